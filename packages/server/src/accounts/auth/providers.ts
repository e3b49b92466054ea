import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_AUTH_ID_LENGTH,
  ProtocolError,
} from "@purse/protocol";
import type { RequestContext } from "../../caller.ts";
import type { Write } from "../../store/store.ts";
import type { AccountsConfig, AccountsParts } from "../parts.ts";
import { WALLET_PROVIDER } from "../wallets.ts";
import type { AuthAdapter } from "./adapter.ts";
import { anonymousAdapter } from "./anonymous.ts";
import { customAdapter } from "./custom.ts";
import { MFA } from "./mfa.ts";
import { oidcAdapter } from "./oidc.ts";

/** Somebody whom another service knows by this id. */
export interface VerifiedIdentity {
  provider: string;
  id: string;
  /** What is kept of it. */
  kept: JsonObject;
}

export const ANONYMOUS_PROVIDER = "anonymous";

/** The services by which people sign in beside wallet and password; each id of each is one user's alone. */
export class Providers {
  readonly #adapters: Promise<ReadonlyMap<string, AuthAdapter>>;
  readonly #parts: AccountsParts;
  /** Identities that a request has proved, for the rules that create its user. */
  readonly #verified = new WeakMap<RequestContext, VerifiedIdentity[]>();

  constructor(parts: AccountsParts) {
    this.#parts = parts;
    this.#adapters = createAdapters(parts.config);
  }

  /** Rejects where an adapter cannot be loaded. */
  async ready(): Promise<void> {
    await this.#adapters;
  }

  /** Checks one proof. Throws 252 for a service that is not known, 251 and others for a proof that is none. */
  async verify(provider: string, proof: JsonValue | undefined): Promise<VerifiedIdentity> {
    const adapter = (await this.#adapters).get(provider);
    if (!adapter) {
      throw new ProtocolError(ErrorCode.UNSUPPORTED_SERVICE, "This authentication method is unsupported.");
    }
    if (!isJsonObject(proof)) {
      throw new ProtocolError(ErrorCode.INVALID_LINKED_SESSION, `authData.${provider} must be an object.`);
    }
    if (typeof proof.id !== "string" || proof.id === "" || proof.id.length > MAX_AUTH_ID_LENGTH) {
      throw new ProtocolError(ErrorCode.LINKED_ID_MISSING, `authData.${provider} needs an id.`);
    }
    return { provider, id: proof.id, kept: await adapter.validateAuthData(proof) };
  }

  /** Checks all proofs of a sign-in, but for those that others judge (wallet, second factor). */
  async verifyAll(authData: JsonObject): Promise<VerifiedIdentity[]> {
    const asked = Object.entries(authData).filter(
      ([provider, proof]) => proof !== null && provider !== WALLET_PROVIDER && provider !== MFA,
    );
    return Promise.all(asked.map(([provider, proof]) => this.verify(provider, proof)));
  }

  /** The user that an identity belongs to. */
  ownerOf({ provider, id }: { provider: string; id: string }): Promise<string | undefined> {
    return this.#parts.store.ownerOf(scopeOf(provider), id);
  }

  /** The step that makes an identity a user's own. */
  take({ provider, id }: VerifiedIdentity, userId: string): Write {
    return { kind: "claim", scope: scopeOf(provider), value: id, owner: userId };
  }

  /** The step that lets go of a user's identities at a service. */
  release(provider: string, userId: string): Write {
    return { kind: "releaseAll", scope: scopeOf(provider), owner: userId };
  }

  remember(request: RequestContext, identities: VerifiedIdentity[]): void {
    this.#verified.set(request, identities);
  }

  verifiedBy(request: RequestContext): VerifiedIdentity[] {
    return this.#verified.get(request) ?? [];
  }
}

/** The error where an identity is somebody's already. */
export function identityTaken(scope: string): ProtocolError | undefined {
  if (!scope.startsWith("authData:")) return undefined;
  return new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
}

/** The scope of the claims that a service's identities are. */
export function scopeOf(provider: string): string {
  return `authData:${provider}`;
}

async function createAdapters({
  auth,
  enableAnonymousUsers,
  anonymousIdLength,
}: AccountsConfig): Promise<ReadonlyMap<string, AuthAdapter>> {
  const adapters = new Map<string, AuthAdapter>();
  if (enableAnonymousUsers) adapters.set(ANONYMOUS_PROVIDER, anonymousAdapter(anonymousIdLength));
  for (const [provider, config] of Object.entries(auth)) {
    adapters.set(
      provider,
      config.type === "oidc" ? oidcAdapter(config) : await customAdapter(config.module, config.options),
    );
  }
  return adapters;
}
