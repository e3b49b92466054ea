import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { ApiReply, ApiRoute } from "../../core/http/apiRoute.ts";
import {
  defineEndpoints,
  jsonObject,
  nothing,
  type UserRequest as RequestOfUser,
  routesOf,
} from "../../core/http/endpoint.ts";
import { NOT_FOUND } from "../../core/http/objectEndpoints.ts";
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

type UserRequest = RequestOfUser<WriteRequest>;

const passkey = () =>
  z
    .object({
      objectId: z.string(),
      credentialId: z.string().describe("In base64url"),
      name: z.string(),
      createdAt: z.string(),
      lastUsedAt: z.string().optional(),
      transports: z.array(z.string()),
      isSyncable: z.boolean().describe("Whether it can be copied to other devices"),
      isBackedUp: z.boolean().describe("Whether it has been copied"),
    })
    .meta({ id: "Passkey" });
const passkeyName = () => z.string().optional().describe("Up to 100 characters");

/** Passkeys. Signing in with one is a sign-in with `authData`. */
const ENDPOINTS = defineEndpoints("Users and sessions", {
  options: {
    method: "POST",
    path: "/passkeys/options",
    access: "everyone",
    summary: "Request options of `navigator.credentials.get()` or `create()`, with a challenge",
    schemas: () => ({
      body: z.object({
        purpose: z
          .enum(["login", "factor", "register", "signup"])
          .describe("`register` needs a session; `signup` creates an account"),
        username: z.string().optional().describe("For `signup`: the name that the authenticator shows"),
        code: z
          .union([z.string(), jsonObject()])
          .optional()
          .describe("To register with a second factor: a code of it, or `{ passkey }`"),
      }),
      response: z.object({
        options: jsonObject().describe("As JSON of WebAuthn"),
        userId: z.string().optional().describe("For `signup`: the ID of the new account"),
      }),
    }),
    acceptsEndedSession: true,
  },
  list: {
    method: "GET",
    path: "/passkeys",
    access: "user",
    summary: "List the passkeys of the current user",
    schemas: () => ({ response: z.object({ results: z.array(passkey()) }) }),
  },
  register: {
    method: "POST",
    path: "/passkeys",
    access: "user",
    summary: "Register a passkey",
    schemas: () => ({
      body: z.object({
        credential: jsonObject().describe("What `navigator.credentials.create()` returned, as JSON"),
        name: passkeyName(),
      }),
      response: passkey(),
    }),
    status: 201,
  },
  rename: {
    method: "PUT",
    path: "/passkeys/:objectId",
    access: "user",
    summary: "Rename a passkey",
    schemas: () => ({ body: z.object({ name: passkeyName() }), response: passkey() }),
    errors: NOT_FOUND,
    retry: "again",
  },
  remove: {
    method: "DELETE",
    path: "/passkeys/:objectId",
    access: "user",
    summary: "Remove a passkey",
    schemas: nothing,
    errors: NOT_FOUND,
    retry: "again",
  },
});

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
  return routesOf(ENDPOINTS, { options, list, register, rename, remove });

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
    if (request.auth.kind !== "user") throw invalidSessionError();
    const { userId } = request.auth;
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

  async function list({ auth }: UserRequest): Promise<JsonObject> {
    return { results: (await passkeys.list(auth.userId)).map(describePasskey) };
  }

  async function register({ auth, params }: UserRequest): Promise<ApiReply> {
    const name = parsePasskeyName(params.name, DEFAULT_PASSKEY_NAME);
    const { passkey, writes } = await ceremonies.verifyRegistration(auth.userId, params.credential, name);
    await commit(writes);
    return { status: 201, body: JSON.stringify(describePasskey(passkey)) };
  }

  async function rename(request: UserRequest): Promise<JsonObject> {
    const passkey = await ceremonies.records.require(request.auth.userId, idOf(request));
    const name = parsePasskeyName(request.params.name, passkey.name);
    await ceremonies.records.rename(passkey, name);
    return describePasskey({ ...passkey, name });
  }

  async function remove(request: UserRequest): Promise<JsonObject> {
    try {
      await passkeys.remove(request.auth.userId, idOf(request));
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
