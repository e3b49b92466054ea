import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { type ApiReply, type ApiRoute, jsonReply } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import { invalidSessionError } from "../core/invalidSessionError.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { authorizeOperation } from "../data/permissions/classPermissions.ts";
import { getRow } from "../database/serverRows.ts";
import type { Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { assertNotDisabled } from "./disabledUsers.ts";
import type { CreatedWith, NewSession, SessionOrigin } from "./sessionRecord.ts";
import { missingSessionTokenError, READ_ONLY_FIELDS, readOnlyFieldError } from "./sessionRules.ts";
import type { Sessions } from "./sessions.ts";
import { userReply } from "./userReply.ts";

export interface SessionRouteDependencies {
  dependencies: AuthDependencies;
  sessions: Sessions;
  /** Starts a session of an existing user, by default of the device of the request. */
  startSession(
    request: WriteRequest,
    owner: string,
    createdWith: CreatedWith,
    writes?: Write[],
    origin?: SessionOrigin,
  ): Promise<NewSession>;
  /** Reads a user with the user's own permissions. */
  readOwnUser(request: RequestContext, owner: string): Promise<JsonObject>;
}

/** Routes for the session of a request and its user: reading, changing and ending it, and starting further ones. */
export function sessionRoutes({
  dependencies,
  sessions,
  startSession,
  readOwnUser,
}: SessionRouteDependencies): ApiRoute<WriteRequest>[] {
  const { objects, store, schemaOf } = dependencies;
  return [
    { method: "POST", path: "/loginAs", handle: logInAs, retry: "again" },
    { method: "POST", path: "/logout", handle: logOut, acceptsEndedSession: true, retry: "again" },
    { method: "GET", path: "/users/me", handle: me },
    { method: "GET", path: "/users/me/signInMethods", handle: signInMethods },
    { method: "GET", path: "/sessions/me", handle: currentSession },
    { method: "PUT", path: "/sessions/me", handle: changeSession, retry: "again" },
    { method: "DELETE", path: "/sessions/me", handle: logOut },
    { method: "POST", path: "/sessions", handle: newSession, retry: "again" },
    { method: "POST", path: "/classes/_Session", handle: newSession, retry: "again" },
    { method: "POST", path: "/upgradeToRevocableSession", handle: upgradeSession, retry: "again" },
  ];

  /** Starts a session of any user with the master key. */
  async function logInAs(request: WriteRequest): Promise<ApiReply> {
    assertMaster(request, "write", "master key is required");
    const { userId: id } = request.params;
    if (typeof id !== "string" || id === "") {
      throw new ProtocolError(INVALID_VALUE_CODE, "userId must not be empty, null, or undefined");
    }
    const user = await getRow(store, schemaOf("_User"), id);
    if (!user) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "user not found");
    assertNotDisabled(user);
    const createdWith = { action: "login", authProvider: "masterkey" } as const;
    // The session is for the user's app, so it records nothing of the operator's device.
    const operatorId = request.auth.kind === "master" ? request.auth.operator?.id : undefined;
    const origin = { installationId: undefined, operatorId };
    const { sessionToken } = await startSession(request, id, createdWith, [], origin);
    return jsonReply(JSON.stringify({ ...(await readOwnUser(request, id)), sessionToken }));
  }

  /** Starts an additional session for another device of the signed-in user. */
  async function newSession(request: WriteRequest): Promise<ApiReply> {
    if (request.auth.kind === "anonymous") throw missingSessionTokenError();
    const auth = requireUser(request);
    authorizeOperation(schemaOf("_Session"), "create", auth);
    // The session always belongs to the signed-in user, regardless of `user`.
    const field = READ_ONLY_FIELDS.find((name) => name !== "user" && name in request.params);
    if (field !== undefined) throw readOnlyFieldError(field);
    // It is not bound to the requesting installation, whose own session continues.
    const origin = { ...request, installationId: undefined };
    const createdWith = { action: "create", authProvider: "" } as const;
    const session = await startSession(request, auth.userId, createdWith, [], origin);
    return { status: 201, body: await readOwnSession(request, session) };
  }

  async function upgradeSession(request: WriteRequest): Promise<ApiReply> {
    const auth = requireUser(request);
    authorizeOperation(schemaOf("_Session"), "create", auth);
    const session = await startSession(request, auth.userId, { action: "upgrade", authProvider: "" });
    return jsonReply(await readOwnSession(request, session));
  }

  /** Reads a new session with its own token. */
  async function readOwnSession(
    request: WriteRequest,
    { object, sessionToken }: Pick<NewSession, "object" | "sessionToken">,
  ): Promise<string> {
    const { objectId, createdAt } = object;
    const sessionId = String(objectId);
    const auth = { ...requireUser(request), sessionId, sessionToken };
    try {
      return await objects.get({ ...request, auth }, "_Session", sessionId, {});
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // Class-level permissions deny users access to sessions. They still get their token.
      return JSON.stringify({ objectId, createdAt, sessionToken });
    }
  }

  async function changeSession(request: WriteRequest): Promise<JsonObject> {
    const auth = requireUser(request);
    return (await objects.update(request, "_Session", auth.sessionId, request.params, request.writeOptions))
      .body;
  }

  async function logOut(request: WriteRequest): Promise<JsonObject> {
    if (request.auth.kind !== "user") return {};
    const { sessionId, sessionToken } = request.auth;
    const afterLogout = dependencies.triggers.of("afterLogout");
    const session = afterLogout && (await getRow(store, schemaOf("_Session"), sessionId));
    await sessions.revoke(sessionId);
    if (afterLogout && session) await afterLogout({ ...session, sessionToken }, request);
    return {};
  }

  async function me(request: WriteRequest): Promise<ApiReply> {
    return userReply(objects, request, requireUser(request).userId);
  }

  /** Whether the user of the request has a password. No other request receives it, not even with the master key. */
  async function signInMethods(request: WriteRequest): Promise<JsonObject> {
    const found = await store.getSecret(schemaOf("_User"), requireUser(request).userId);
    return { hasPassword: typeof found?.secret.passwordHash === "string" };
  }

  async function currentSession(request: WriteRequest): Promise<ApiReply> {
    const auth = requireUser(request);
    return jsonReply(await objects.get(request, "_Session", auth.sessionId, {}));
  }
}

/** Parse error code for an invalid parameter. */
const INVALID_VALUE_CODE = 162;

function requireUser(request: RequestContext) {
  if (request.auth.kind !== "user") throw invalidSessionError();
  return request.auth;
}
