import { isDeepStrictEqual } from "node:util";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { Write } from "../../database/store.ts";
import type { AuthCheck, AuthPolicy } from "./adapter.ts";
import { type AuthProviders, idOf, type Proofs, proofsOf, type VerifiedIdentity } from "./authProviders.ts";
import { MFA } from "./mfa.ts";

export interface AuthDataSignInOptions {
  providers: AuthProviders;
  /** Whether authData that equals the stored one is accepted without verification. */
  allowsExpiredTokens: boolean;
}

/** The verified authData of a sign-in. */
export interface SignInProofs {
  /** New values of the user's authData, by provider. */
  stored: JsonObject;
  writes: Write[];
  /** Returned to the client in `authDataResponse`. */
  response: JsonObject;
  /** Whether a provider has vouched for the user alone, so that no second factor is required. */
  isSolo: boolean;
}

/**
 * Verifies the authData of a user who signs in, by any method: refreshes what is stored, links providers that the user
 * did not have, and demands the additional ones.
 */
export class AuthDataSignIn {
  readonly #options: AuthDataSignInOptions;

  constructor(options: AuthDataSignInOptions) {
    this.#options = options;
  }

  /** The user that the proofs identify, before they are verified. Throws 208 if they identify several and are valid. */
  async ownerOf(proofs: Proofs, request: RequestContext): Promise<string | undefined> {
    const { providers } = this.#options;
    const owners = await Promise.all(
      proofs.map(([provider, proof]) => providers.ownerOf(provider, idOf(proof))),
    );
    const [owner, ...others] = new Set(owners.filter((each) => each !== undefined));
    if (others.length > 0) {
      // Without valid proofs, the response does not reveal which ids exist.
      await providers.verifyAll(proofs, { request, user: undefined, isSignedIn: false });
      throw alreadyLinkedError();
    }
    return owner;
  }

  /**
   * `user` has `authData`. Throws -1 if an additional provider is missing, 208 for an identity of another user, and the
   * errors of the providers. `guard` counts attempts at what is required besides a password.
   */
  async verify(
    request: RequestContext,
    user: JsonObject,
    submitted: JsonValue | undefined,
    guard: <T extends { writes: Write[] }>(attempt: () => Promise<T>) => Promise<T>,
  ): Promise<SignInProofs> {
    const { allowsExpiredTokens } = this.#options;
    const known = isJsonObject(user.authData) ? user.authData : {};
    const check: AuthCheck = { request, user, isSignedIn: false };
    const proofs = proofsOf(submitted);
    const policies = await this.#policiesOf(known, check);
    const isSent = (provider: string) => proofs.some(([sent]) => sent === provider);
    const isSolo = [...policies].some(([provider, policy]) => policy === "solo" && isSent(provider));
    const additional = [...policies].filter(([, policy]) => policy === "additional").map(([name]) => name);
    if (!isSolo && additional.length > 0 && !additional.some(isSent)) {
      throw new ProtocolError(ErrorCode.OTHER_CAUSE, `Missing additional authData ${additional.join(",")}`);
    }
    const unverified: [string, JsonValue][] = [];
    for (const [provider, proof] of proofs) {
      const isStored = allowsExpiredTokens && isSecret(proof) && isDeepStrictEqual(known[provider], proof);
      if (!isStored || (await this.#options.providers.looksUp(provider))) unverified.push([provider, proof]);
    }
    const verifyAll = () => this.#verifyAll(unverified, check, known, String(user.objectId));
    const isGuarded = additional.some(isSent);
    return { ...(isGuarded ? await guard(verifyAll) : await verifyAll()), isSolo };
  }

  async #verifyAll(
    proofs: Proofs,
    check: AuthCheck,
    known: JsonObject,
    userId: string,
  ): Promise<Omit<SignInProofs, "isSolo">> {
    const { providers } = this.#options;
    const identities = await providers.verifyAll(proofs, check);
    const stored: JsonObject = {};
    const writes: Write[] = [];
    for (const identity of identities) {
      const { provider, id } = identity;
      if (identity.stored === undefined) continue;
      const owner = await providers.ownerOf(provider, id);
      if (owner !== undefined && owner !== userId) throw alreadyLinkedError();
      if (id !== idOf(known[provider]))
        writes.push(providers.unlink(provider, userId), ...providers.link(identity, userId));
      if (!isDeepStrictEqual(known[provider], identity.stored)) stored[provider] = identity.stored;
    }
    return { stored, writes, response: authDataResponseOf(identities) };
  }

  async #policiesOf(known: JsonObject, check: AuthCheck): Promise<Map<string, AuthPolicy>> {
    const policies = new Map<string, AuthPolicy>();
    for (const [provider, stored] of Object.entries(known)) {
      // The second factor has its own rules.
      if (provider !== MFA)
        policies.set(provider, await this.#options.providers.policyOf(provider, check, stored));
    }
    return policies;
  }
}

/** Whether authData has more than an id, which others may know. */
function isSecret(proof: JsonValue): boolean {
  return isJsonObject(proof) && Object.keys(proof).some((name) => name !== "id");
}

/** The responses of providers for the client, by provider. */
export function authDataResponseOf(identities: readonly VerifiedIdentity[]): JsonObject {
  return Object.fromEntries(
    identities.flatMap(({ provider, response }) => (response === undefined ? [] : [[provider, response]])),
  );
}

function alreadyLinkedError(): ProtocolError {
  return new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
}
