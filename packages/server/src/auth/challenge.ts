import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { triggerAuthData } from "./authDataChanges.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import type { AuthCheck } from "./providers/adapter.ts";
import type { AuthDataSignIn } from "./providers/authDataSignIn.ts";
import { type AuthProviders, idOf, proofsOf } from "./providers/authProviders.ts";
import type { SecondFactor } from "./secondFactor.ts";

export interface ChallengeDependencies {
  dependencies: Pick<AuthDependencies, "store" | "schemaOf">;
  providers: AuthProviders;
  signIns: AuthDataSignIn;
  secondFactor: SecondFactor;
  /** Verifies username and password, and returns the id of their user. Throws as a login does. */
  verifyPassword(request: WriteRequest): Promise<string>;
}

/**
 * Creates `POST /challenge`: what a client needs before it can prove an identity, such as a code sent to a phone. The
 * user is that of a username and a password, that of one proof in `authData`, or none.
 */
export function createChallenge({
  dependencies: { store, schemaOf },
  providers,
  signIns,
  secondFactor,
  verifyPassword,
}: ChallengeDependencies) {
  return async function challenge(request: WriteRequest): Promise<JsonValue> {
    const { username, email, password, authData, challengeData } = request.params;
    const hasName = Boolean(username) || Boolean(email);
    if (hasName && !password) {
      throw otherCause("You provided username or email, you need to also provide password.");
    }
    const named = hasName ? await verifyPassword(request) : undefined;
    if (!challengeData) throw otherCause("Nothing to challenge.");
    if (!isJsonObject(challengeData)) throw otherCause("challengeData should be an object.");
    const check = await identify(request, named, authData);
    const answers: JsonObject = {};
    // In order, so that no code is sent if another provider refuses.
    for (const [provider, data] of Object.entries(challengeData).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const proof = isJsonObject(authData) ? authData[provider] : undefined;
      const answer = await providers.challenge(provider, data, proof, check);
      if (answer !== undefined) answers[provider] = answer;
    }
    return { challengeData: answers };
  };

  async function identify(
    request: WriteRequest,
    named: string | undefined,
    authData: JsonValue | undefined,
  ): Promise<AuthCheck> {
    const nobody: AuthCheck = { request, user: undefined, isSignedIn: false, isChallenge: true };
    if (!authData) return { ...nobody, user: named === undefined ? undefined : await readUser(named) };
    if (!isJsonObject(authData)) throw otherCause("authData should be an object.");
    if (named !== undefined) {
      throw otherCause("You cannot provide username/email and authData, only use one identification method.");
    }
    const proofs = proofsOf(authData).filter(([, proof]) => idOf(proof) !== undefined);
    const [proof, ...others] = proofs;
    if (others.length > 0) {
      throw otherCause("You cannot provide more than one authData provider with an id.");
    }
    const owner = proof && (await signIns.ownerOf([proof], request));
    if (!proof || owner === undefined) throw userNotFound();
    const check = { ...nobody, user: await readUser(owner) };
    // A wrong proof looks like an unknown id, and counts as a failed sign-in.
    await secondFactor
      .attempt(owner, request, async () => {
        await providers.verify(proof[0], proof[1], check);
        return { writes: [] };
      })
      .catch(() => {
        throw userNotFound();
      });
    return check;
  }

  async function readUser(userId: string): Promise<JsonObject> {
    const found = await store.getSecret(schemaOf("_User"), userId);
    if (!found) throw userNotFound();
    const { authData } = found.secret;
    return { ...JSON.parse(found.text), authData: isJsonObject(authData) ? triggerAuthData(authData) : {} };
  }
}

function otherCause(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}

function userNotFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "User not found.");
}
