import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { RequestContext } from "../core/authContext.ts";
import { type ApiReply, type ApiRoute, jsonReply } from "../core/http/apiRoute.ts";
import {
  defineEndpoints,
  nothing,
  type UserRequest as RequestOfUser,
  routesOf,
} from "../core/http/endpoint.ts";
import { masterKeyError } from "../core/http/masterKeyAccess.ts";
import { objectFields, objectResponse } from "../core/http/objectEndpoints.ts";
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
import { userResponse } from "./userEndpoints.ts";
import { userReply } from "./userReply.ts";

type UserRequest = RequestOfUser<WriteRequest>;

const sessionResponse = () =>
  objectResponse()
    .extend({ sessionToken: z.string().optional() })
    .describe("The session")
    .meta({ id: "Session" });
const session = () => ({ response: sessionResponse() });
const newSession = {
  method: "POST",
  access: "user",
  summary: "Start another session of the user",
  schemas: () => ({ body: objectFields(), response: sessionResponse() }),
  status: 201,
  denied: ({ auth }: RequestContext) =>
    auth.kind === "anonymous" ? missingSessionTokenError() : invalidSessionError(),
  retry: "again",
} as const;

const ENDPOINTS = defineEndpoints("Users and sessions", {
  logInAs: {
    method: "POST",
    path: "/loginAs",
    access: "masterKey",
    summary: "Start a session of another user",
    schemas: () => ({ body: z.object({ userId: z.string() }), response: userResponse() }),
    denied: () => masterKeyError("master key is required"),
    retry: "again",
  },
  // Without a session, there is nothing to end.
  logOut: {
    method: "POST",
    path: "/logout",
    access: "everyone",
    summary: "Log out",
    schemas: nothing,
    acceptsEndedSession: true,
    retry: "again",
  },
  me: {
    method: "GET",
    path: "/users/me",
    access: "user",
    summary: "Read the current user",
    schemas: () => ({ response: userResponse() }),
  },
  signInMethods: {
    method: "GET",
    path: "/users/me/signInMethods",
    access: "user",
    summary: "Whether the current user has a password",
    schemas: () => ({ response: z.object({ hasPassword: z.boolean() }) }),
  },
  currentSession: {
    method: "GET",
    path: "/sessions/me",
    access: "user",
    summary: "Read the current session",
    schemas: session,
  },
  changeSession: {
    method: "PUT",
    path: "/sessions/me",
    access: "user",
    summary: "Change the current session",
    schemas: () => ({ body: objectFields(), response: z.object({ updatedAt: z.string() }) }),
    retry: "again",
  },
  endSession: {
    method: "DELETE",
    path: "/sessions/me",
    access: "everyone",
    summary: "End the current session",
    schemas: nothing,
  },
  newSession: { ...newSession, path: "/sessions" },
  newSessionAsObject: { ...newSession, path: "/classes/_Session" },
  upgradeSession: {
    method: "POST",
    path: "/upgradeToRevocableSession",
    access: "user",
    summary: "Start another session of the user",
    schemas: session,
    retry: "again",
  },
});

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
  return routesOf(ENDPOINTS, {
    logInAs,
    logOut,
    me,
    signInMethods,
    currentSession,
    changeSession,
    endSession: logOut,
    newSession,
    newSessionAsObject: newSession,
    upgradeSession,
  });

  /** Starts a session of any user with the master key. */
  async function logInAs(request: WriteRequest): Promise<ApiReply> {
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
  async function newSession(request: UserRequest): Promise<ApiReply> {
    authorizeOperation(schemaOf("_Session"), "create", request.auth);
    // The session always belongs to the signed-in user, regardless of `user`.
    const field = READ_ONLY_FIELDS.find((name) => name !== "user" && name in request.params);
    if (field !== undefined) throw readOnlyFieldError(field);
    // It is not bound to the requesting installation, whose own session continues.
    const origin = { ...request, installationId: undefined };
    const createdWith = { action: "create", authProvider: "" } as const;
    const session = await startSession(request, request.auth.userId, createdWith, [], origin);
    return { status: 201, body: await readOwnSession(request, session) };
  }

  async function upgradeSession(request: UserRequest): Promise<ApiReply> {
    const { auth } = request;
    authorizeOperation(schemaOf("_Session"), "create", auth);
    const session = await startSession(request, auth.userId, { action: "upgrade", authProvider: "" });
    return jsonReply(await readOwnSession(request, session));
  }

  /** Reads a new session with its own token. */
  async function readOwnSession(
    request: UserRequest,
    { object, sessionToken }: Pick<NewSession, "object" | "sessionToken">,
  ): Promise<string> {
    const { objectId, createdAt } = object;
    const sessionId = String(objectId);
    const auth = { ...request.auth, sessionId, sessionToken };
    try {
      return await objects.get({ ...request, auth }, "_Session", sessionId, {});
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // Class-level permissions deny users access to sessions. They still get their token.
      return JSON.stringify({ objectId, createdAt, sessionToken });
    }
  }

  async function changeSession(request: UserRequest): Promise<JsonObject> {
    const { auth, params, writeOptions } = request;
    return (await objects.update(request, "_Session", auth.sessionId, params, writeOptions)).body;
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

  async function me(request: UserRequest): Promise<ApiReply> {
    return userReply(objects, request, request.auth.userId);
  }

  /** Whether the user of the request has a password. No other request receives it, not even with the master key. */
  async function signInMethods({ auth }: UserRequest): Promise<JsonObject> {
    const found = await store.getSecret(schemaOf("_User"), auth.userId);
    return { hasPassword: typeof found?.secret.passwordHash === "string" };
  }

  async function currentSession(request: UserRequest): Promise<ApiReply> {
    return jsonReply(await objects.get(request, "_Session", request.auth.sessionId, {}));
  }
}

/** Parse error code for an invalid parameter. */
const INVALID_VALUE_CODE = 162;
