import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_AUTH_ID_LENGTH,
  ProtocolError,
} from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { Write } from "../../database/store.ts";
import type { AuthConfig, AuthDependencies } from "../types.ts";
import { WALLET_PROVIDER } from "../wallets.ts";
import type { AuthAdapter } from "./adapter.ts";
import { anonymousAdapter } from "./anonymous.ts";
import { customAdapter } from "./custom.ts";
import { MFA } from "./mfa.ts";
import { oidcAdapter } from "./oidc.ts";

/** A verified identity of an external provider. */
export interface VerifiedIdentity {
  provider: string;
  id: string;
  /** The data to store. */
  stored: JsonObject;
}

export const ANONYMOUS_PROVIDER = "anonymous";

/** The sign-in providers other than wallet and password. An identity belongs to one user at most. */
export class AuthProviders {
  readonly #adapters: Promise<ReadonlyMap<string, AuthAdapter>>;
  readonly #dependencies: AuthDependencies;
  /** Identities that a request has verified, for the rules that create its user. */
  readonly #verified = new WeakMap<RequestContext, VerifiedIdentity[]>();

  constructor(dependencies: AuthDependencies) {
    this.#dependencies = dependencies;
    this.#adapters = createAdapters(dependencies.config);
  }

  /** Rejects if an adapter cannot be loaded. */
  async ready(): Promise<void> {
    await this.#adapters;
  }

  /** Verifies one proof. Throws 252 for an unknown provider; 251, 250 and others for an invalid proof. */
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
    return { provider, id: proof.id, stored: await adapter.validateAuthData(proof) };
  }

  /** Verifies all proofs of a sign-in except those of the wallet and the second factor. */
  async verifyAll(authData: JsonObject): Promise<VerifiedIdentity[]> {
    const proofs = Object.entries(authData).filter(
      ([provider, proof]) => proof !== null && provider !== WALLET_PROVIDER && provider !== MFA,
    );
    return Promise.all(proofs.map(([provider, proof]) => this.verify(provider, proof)));
  }

  /** The ID of the user that an identity is linked to. */
  ownerOf({ provider, id }: { provider: string; id: string }): Promise<string | undefined> {
    return this.#dependencies.store.getUniqueOwner(uniqueScopeOf(provider), id);
  }

  /** The write that links an identity to a user. */
  link({ provider, id }: VerifiedIdentity, userId: string): Write {
    return { kind: "reserveUnique", scope: uniqueScopeOf(provider), value: id, owner: userId };
  }

  /** The write that unlinks a user's identities of a provider. */
  unlink(provider: string, userId: string): Write {
    return { kind: "releaseAllUnique", scope: uniqueScopeOf(provider), owner: userId };
  }

  setVerified(request: RequestContext, identities: VerifiedIdentity[]): void {
    this.#verified.set(request, identities);
  }

  getVerified(request: RequestContext): VerifiedIdentity[] {
    return this.#verified.get(request) ?? [];
  }
}

/** The error if an identity is linked to another user. */
export function identityConflictError(scope: string): ProtocolError | undefined {
  if (!scope.startsWith("authData:")) return undefined;
  return new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
}

/** The scope of the unique keys of a provider's identities. */
export function uniqueScopeOf(provider: string): string {
  return `authData:${provider}`;
}

async function createAdapters({
  auth,
  enableAnonymousUsers,
  minAnonymousIdLength: anonymousIdLength,
}: AuthConfig): Promise<ReadonlyMap<string, AuthAdapter>> {
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
