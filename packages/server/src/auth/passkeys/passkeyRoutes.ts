import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiReply, ApiRoute } from "../../core/http/apiRoute.ts";
import { invalidSessionError } from "../../core/invalidSessionError.ts";
import type { WriteRequest } from "../../data/objects/writeOptions.ts";
import { UniqueConstraintError, type Write } from "../../database/store.ts";
import type { AuthDependencies } from "../authDependencies.ts";
import { credentialsConflictError } from "../keepSignInMethod.ts";
import { factorConflictError, MFA, missingFactorError } from "../providers/mfa.ts";
import { factorOf, type SecondFactor } from "../secondFactor.ts";
import { UNIQUE_KEYS } from "../uniqueKeys.ts";
import { describePasskey, parsePasskeyName } from "./passkeyRecords.ts";
import { DEFAULT_PASSKEY_NAME, type UserPasskeys } from "./userPasskeys.ts";

export interface PasskeyRouteDependencies {
  dependencies: Pick<AuthDependencies, "store" | "schemaOf" | "clock" | "limits">;
  passkeys: UserPasskeys;
  secondFactor: SecondFactor;
}

/** Routes for the options of passkeys, and for the passkeys of the signed-in user. Signing in is a sign-in with `authData`. */
export function passkeyRoutes({
  dependencies: { store, schemaOf, clock, limits },
  passkeys,
  secondFactor,
}: PasskeyRouteDependencies): ApiRoute<WriteRequest>[] {
  const { ceremonies } = passkeys;
  return [
    { method: "POST", path: "/passkeys/options", handle: options, acceptsEndedSession: true },
    { method: "GET", path: "/passkeys", handle: list },
    { method: "POST", path: "/passkeys", handle: register },
    { method: "PUT", path: "/passkeys/:objectId", handle: rename, retry: "again" },
    { method: "DELETE", path: "/passkeys/:objectId", handle: remove, retry: "again" },
  ];

  async function options(request: WriteRequest): Promise<JsonObject> {
    const { purpose } = request.params;
    if (purpose !== "login" && purpose !== "factor" && purpose !== "register" && purpose !== "signup") {
      throw new ProtocolError(
        ErrorCode.VALIDATION_ERROR,
        "purpose must be login, factor, register or signup.",
      );
    }
    await limits.countAddress("passkeyChallenge", request);
    if (purpose === "signup") return passkeys.signUpOptions(accountNameOf(request));
    if (purpose !== "register") return { options: await ceremonies.assertionOptions(purpose) };
    const userId = requireUserId(request);
    // A passkey signs in without the second factor, so adding one requires that factor.
    await proveFactor(userId, request);
    return { options: await passkeys.registrationOptions(userId) };
  }

  /** Verifies and consumes a code of the second factor, or a passkey, if the user has a second factor. */
  async function proveFactor(userId: string, request: WriteRequest): Promise<void> {
    const schema = schemaOf("_User");
    const authData = (await store.getSecret(schema, userId))?.secret.authData;
    const factor = factorOf(authData);
    if (!factor || !isJsonObject(authData)) return;
    const { code } = request.params;
    if (code === undefined) throw missingFactorError();
    const { writes, next } = await secondFactor.verify(userId, factor, code, request);
    const secret = { authData: { ...authData, [MFA]: next ?? factor } };
    const at = new Date(clock()).toISOString();
    const update: Write = { kind: "update", schema, id: userId, at, operations: {}, secret, subjects: null };
    await commit(next ? [...writes, update] : writes);
  }

  async function list(request: WriteRequest): Promise<JsonObject> {
    return { results: (await passkeys.list(requireUserId(request))).map(describePasskey) };
  }

  async function register(request: WriteRequest): Promise<ApiReply> {
    const userId = requireUserId(request);
    const name = parsePasskeyName(request.params.name, DEFAULT_PASSKEY_NAME);
    const { passkey, writes } = await ceremonies.verifyRegistration(userId, request.params.credential, name);
    await commit(writes);
    return { status: 201, body: JSON.stringify(describePasskey(passkey)) };
  }

  async function rename(request: WriteRequest): Promise<JsonObject> {
    const passkey = await ceremonies.records.require(requireUserId(request), idOf(request));
    const name = parsePasskeyName(request.params.name, passkey.name);
    await ceremonies.records.rename(passkey, name);
    return describePasskey({ ...passkey, name });
  }

  async function remove(request: WriteRequest): Promise<JsonObject> {
    try {
      await passkeys.remove(requireUserId(request), idOf(request));
    } catch (error) {
      const isConflict = error instanceof UniqueConstraintError && error.scope === UNIQUE_KEYS.credentials;
      throw isConflict ? credentialsConflictError() : error;
    }
    return {};
  }

  /** Commits the writes of a passkey or of a code. A concurrent use of the same challenge or code is rejected. */
  async function commit(writes: Write[]): Promise<void> {
    try {
      await store.write(writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      throw ceremonies.conflictError(error) ?? factorConflictError(error.scope) ?? error;
    }
  }
}

/** The name that an authenticator shows for a new account. Throws 142. */
function accountNameOf({ params: { username } }: WriteRequest): string {
  if (username === undefined || username === null) return DEFAULT_PASSKEY_NAME;
  if (typeof username === "string" && username.trim() !== "") return username.slice(0, 64);
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "username must be text.");
}

function idOf({ pathParams }: WriteRequest): string {
  return pathParams.objectId ?? "";
}

function requireUserId({ auth }: WriteRequest): string {
  if (auth.kind !== "user") throw invalidSessionError();
  return auth.userId;
}
