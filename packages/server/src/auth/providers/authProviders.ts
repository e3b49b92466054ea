import {
  ErrorCode,
  isJsonObject,
  isStorableText,
  type JsonObject,
  type JsonValue,
  MAX_AUTH_ID_LENGTH,
  ProtocolError,
} from "@purse/protocol";
import type { AuthProviderConfig } from "../../config/auth.ts";
import type { RequestContext } from "../../core/authContext.ts";
import type { Store, Write } from "../../database/store.ts";
import type { AuthConfig } from "../authDependencies.ts";
import { PASSKEY_PROVIDER } from "../passkeys/passkeyProvider.ts";
import { WALLET_PROVIDER } from "../wallets.ts";
import type { AuthAdapter, AuthCheck, AuthPolicy } from "./adapter.ts";
import { anonymousAdapter } from "./anonymous.ts";
import { codeServiceAdapter } from "./codeService.ts";
import { customAdapter } from "./custom.ts";
import { facebookAdapter } from "./facebook.ts";
import { introspectionAdapter } from "./introspection.ts";
import { keycloakAdapter } from "./keycloak.ts";
import { MFA } from "./mfa.ts";
import { oidcAdapter } from "./oidc.ts";

/** Keys of `authData` that no adapter verifies. */
const OWN_PROVIDERS: ReadonlySet<string> = new Set([WALLET_PROVIDER, PASSKEY_PROVIDER, MFA]);

export interface ProviderDependencies {
  config: Pick<AuthConfig, "auth" | "enableAnonymousUsers" | "minAnonymousIdLength" | "compatibility">;
  store: Pick<Store, "getUniqueOwner">;
}

/** A verified identity of an external provider. */
export interface VerifiedIdentity {
  provider: string;
  /** Undefined if it proves something about a user, but identifies none, or is not stored. */
  id: string | undefined;
  /** The data to store; undefined to keep what is stored. */
  stored: JsonObject | undefined;
  /** Returned to the client. */
  response: JsonValue | undefined;
}

export const ANONYMOUS_PROVIDER = "anonymous";

/** The sign-in providers other than wallet and password. An identity belongs to one user at most. */
export class AuthProviders {
  readonly #adapters: Promise<ReadonlyMap<string, AuthAdapter>>;
  readonly #store: ProviderDependencies["store"];
  /** Identities that a request has verified, for the rules that create its user. */
  readonly #verified = new WeakMap<RequestContext, VerifiedIdentity[]>();
  /** What adapters have identified, which has not been sent by a client. */
  readonly #identified = new WeakSet<JsonObject>();

  /** `builtIn` are the adapters that need no settings, by provider. */
  constructor({ config, store }: ProviderDependencies, builtIn: Readonly<Record<string, AuthAdapter>> = {}) {
    this.#store = store;
    this.#adapters = createAdapters(config, builtIn);
  }

  /** Rejects if an adapter cannot be loaded. */
  async ready(): Promise<void> {
    await this.#adapters;
  }

  /**
   * Replaces the proofs of providers that have to look up whom they identify, such as codes, by verified authData with an
   * id. Others are returned as they are. Throws what the providers throw.
   */
  async identify(authData: JsonObject): Promise<JsonObject> {
    const identified: JsonObject = { ...authData };
    for (const [provider, proof] of proofsOf(authData))
      if (isJsonObject(proof)) identified[provider] = await this.#identifyOne(provider, proof);
    return identified;
  }

  /** Only objects that this server has created count as identified. */
  async #identifyOne(provider: string, proof: JsonObject): Promise<JsonObject> {
    const adapter = (await this.#adapters).get(provider);
    if (!adapter?.identify || this.#identified.has(proof)) return proof;
    const identified = await adapter.identify(proof);
    this.#identified.add(identified);
    return identified;
  }

  /** Whether a provider looks up whom a proof identifies. */
  async looksUp(provider: string): Promise<boolean> {
    return (await this.#adapters).get(provider)?.identify !== undefined;
  }

  /** Verifies one proof. Throws 252 for an unknown provider; 251, 250 and others for an invalid proof. */
  async verify(provider: string, proof: JsonValue | undefined, check: AuthCheck): Promise<VerifiedIdentity> {
    const adapter = (await this.#adapters).get(provider);
    if (!adapter) throw unsupportedError();
    if (!isJsonObject(proof)) {
      throw new ProtocolError(ErrorCode.INVALID_LINKED_SESSION, `authData.${provider} must be an object.`);
    }
    const identified = await this.#identifyOne(provider, proof);
    const isMissing = identified.id === undefined && adapter.allowsMissingId === true;
    if (!isMissing && idOf(identified) === undefined) {
      throw new ProtocolError(ErrorCode.LINKED_ID_MISSING, `authData.${provider} needs an id.`);
    }
    const { stored, response } = await adapter.validateAuthData(identified, check);
    return { provider, id: stored && idOf(stored), stored, response };
  }

  /** Verifies several proofs in the order of their providers: one that sends a code comes only after valid ones. */
  async verifyAll(proofs: Proofs, check: AuthCheck): Promise<VerifiedIdentity[]> {
    const identities: VerifiedIdentity[] = [];
    const sorted = [...proofs].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [provider, proof] of sorted) identities.push(await this.verify(provider, proof, check));
    return identities;
  }

  /** The policy of a provider for the user of a check. */
  async policyOf(provider: string, check: AuthCheck, stored: JsonValue | undefined): Promise<AuthPolicy> {
    return (await this.#adapters).get(provider)?.policy?.(check, stored) ?? "default";
  }

  /** The answer to a challenge; undefined if the provider has none. */
  async challenge(
    provider: string,
    data: JsonValue,
    authData: JsonValue | undefined,
    check: AuthCheck,
  ): Promise<JsonValue | undefined> {
    return (await this.#adapters).get(provider)?.challenge?.(data, authData, check);
  }

  /** The part of a user's authData that readers receive, as the providers determine. */
  async visible(authData: JsonObject, user: JsonObject, request: RequestContext): Promise<JsonObject> {
    const adapters = await this.#adapters;
    const entries = Object.entries(authData).map(async ([provider, stored]) => {
      const visible = adapters.get(provider)?.visible;
      return [
        provider,
        visible && isJsonObject(stored) ? await visible(stored, user, request) : stored,
      ] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** The ID of the user that an identity is linked to. Names that are no provider are not looked up. */
  async ownerOf(provider: string, id: string | undefined): Promise<string | undefined> {
    if (id === undefined || !(await this.#adapters).has(provider)) return undefined;
    return this.#store.getUniqueOwner(uniqueScopeOf(provider), id);
  }

  /** The writes that link an identity to a user; none if it has no ID. */
  link({ provider, id }: VerifiedIdentity, userId: string): Write[] {
    if (id === undefined) return [];
    return [{ kind: "reserveUnique", scope: uniqueScopeOf(provider), value: id, owner: userId }];
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

/** Providers and what clients prove with. */
export type Proofs = readonly [provider: string, proof: JsonValue][];

/** The proofs of a sign-in except those of the wallet, the passkey and the second factor. */
export function proofsOf(authData: JsonValue | undefined): Proofs {
  if (!isJsonObject(authData)) return [];
  return Object.entries(authData).filter(
    ([provider, proof]) => proof !== null && !OWN_PROVIDERS.has(provider),
  );
}

/** The ID in a proof, or in stored authData: a string, or a number of old SDKs. */
export function idOf(proof: JsonValue | undefined): string | undefined {
  const id = isJsonObject(proof) ? proof.id : undefined;
  const text = Number.isSafeInteger(id) ? String(id) : id;
  const isId = typeof text === "string" && text !== "" && text.length <= MAX_AUTH_ID_LENGTH;
  return isId && isStorableText(text) ? text : undefined;
}

export function unsupportedError(): ProtocolError {
  return new ProtocolError(ErrorCode.UNSUPPORTED_SERVICE, "This authentication method is unsupported.");
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

async function createAdapters(
  {
    auth,
    enableAnonymousUsers,
    minAnonymousIdLength: anonymousIdLength,
    compatibility,
  }: ProviderDependencies["config"],
  builtIn: Readonly<Record<string, AuthAdapter>>,
): Promise<ReadonlyMap<string, AuthAdapter>> {
  const adapters = new Map<string, AuthAdapter>(Object.entries(builtIn));
  if (enableAnonymousUsers) adapters.set(ANONYMOUS_PROVIDER, anonymousAdapter(anonymousIdLength));
  for (const [provider, config] of Object.entries(auth)) {
    adapters.set(provider, await createAdapter(provider, config, compatibility === "parse"));
  }
  return adapters;
}

async function createAdapter(
  provider: string,
  config: AuthProviderConfig,
  isParseCompatible: boolean,
): Promise<AuthAdapter> {
  switch (config.type) {
    case "oidc":
      return oidcAdapter(config);
    case "facebook":
      return facebookAdapter(config);
    case "code":
      return codeServiceAdapter(config.service, config.options);
    case "keycloak":
      return keycloakAdapter(config);
    case "introspection":
      return introspectionAdapter(config.options);
    case "custom":
      return customAdapter(provider, config.module, config.options, isParseCompatible);
  }
}
