import { ErrorCode, isJsonObject, type JsonObject, MAX_EMAIL_LENGTH, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiReply, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { UniqueConstraintError, type Write } from "../database/store.ts";
import type { AccountEmails } from "./accountEmails.ts";
import type { Lockout } from "./lockout.ts";
import { isBcrypt } from "./password.ts";
import { assertPasswordNotExpired } from "./passwordPolicy.ts";
import { ANONYMOUS_PROVIDER, type AuthProviders } from "./providers/authProviders.ts";
import { factorConflictError, MFA } from "./providers/mfa.ts";
import { hasFactor, type SecondFactor } from "./secondFactor.ts";
import type { CreatedWith, NewSession, SessionOrigin } from "./sessionRecord.ts";
import { READ_ONLY_FIELDS, readOnlyFieldError } from "./sessionRules.ts";
import { invalidSessionError, type Sessions } from "./sessions.ts";
import type { AuthDependencies } from "./types.ts";
import { foldName, UNIQUE_KEYS } from "./uniqueKeys.ts";
import { WALLET_PROVIDER, type Wallets, walletConflictError } from "./wallets.ts";

export interface AuthRouteDependencies {
  dependencies: AuthDependencies;
  sessions: Sessions;
  wallets: Wallets;
  email: AccountEmails;
  lockout: Lockout;
  secondFactor: SecondFactor;
  providers: AuthProviders;
}

/** Routes for sign-up, sign-in and sign-out, users and sessions. */
export function authRoutes({
  dependencies,
  sessions,
  wallets,
  email,
  lockout,
  secondFactor,
  providers,
}: AuthRouteDependencies): ApiRoute<WriteRequest>[] {
  const { objects, store, schemaOf, limits } = dependencies;
  const authenticateSession = (sessionToken: string) => sessions.authenticate(sessionToken);
  const userId = (request: WriteRequest) => request.pathParams.objectId ?? "";
  return [
    { method: "POST", path: "/users", handle: signUpOrSignIn, acceptsEndedSession: true, retry: "write" },
    {
      method: "POST",
      path: "/classes/_User",
      handle: signUpOrSignIn,
      acceptsEndedSession: true,
      retry: "write",
    },
    { method: "POST", path: "/loginAs", handle: logInAs, retry: "again" },
    { method: "POST", path: "/login", handle: logIn, acceptsEndedSession: true, retry: "again" },
    { method: "GET", path: "/login", handle: logIn, acceptsEndedSession: true },
    { method: "POST", path: "/logout", handle: logOut, acceptsEndedSession: true, retry: "again" },
    { method: "GET", path: "/users/me", handle: me },
    { method: "GET", path: "/sessions/me", handle: currentSession },
    { method: "PUT", path: "/sessions/me", handle: changeSession, retry: "again" },
    { method: "DELETE", path: "/sessions/me", handle: logOut },
    { method: "POST", path: "/sessions", handle: newSession, retry: "again" },
    { method: "POST", path: "/classes/_Session", handle: newSession, retry: "again" },
    { method: "POST", path: "/upgradeToRevocableSession", handle: upgradeSession, retry: "again" },
    { method: "GET", path: "/verifyPassword", handle: verifyPassword, acceptsEndedSession: true },
    {
      method: "POST",
      path: "/verifyPassword",
      handle: verifyPassword,
      acceptsEndedSession: true,
      retry: "again",
    },
    {
      method: "GET",
      path: "/users",
      handle: async (request) => jsonReply(await objects.find(request, "_User", request.params)),
    },
    { method: "GET", path: "/users/:objectId", handle: readUser },
    { method: "GET", path: "/classes/_User/:objectId", handle: readUser },
    {
      method: "PUT",
      path: "/users/:objectId",
      retry: "write",
      handle: async (request) =>
        (await objects.update(request, "_User", userId(request), request.params, request.writeOptions)).body,
    },
    {
      method: "DELETE",
      path: "/users/:objectId",
      handle: async (request) => {
        await objects.remove(request, "_User", userId(request), request.writeOptions);
        return {};
      },
    },
    {
      method: "GET",
      path: "/sessions",
      handle: async (request) => jsonReply(await objects.find(request, "_Session", request.params)),
    },
    {
      method: "GET",
      path: "/sessions/:objectId",
      handle: async (request) =>
        jsonReply(await objects.get(request, "_Session", userId(request), request.params)),
    },
    {
      method: "PUT",
      path: "/sessions/:objectId",
      retry: "write",
      handle: async (request) =>
        (await objects.update(request, "_Session", userId(request), request.params, request.writeOptions))
          .body,
    },
    {
      method: "DELETE",
      path: "/sessions/:objectId",
      handle: async (request) => {
        await objects.remove(request, "_Session", request.pathParams.objectId ?? "", request.writeOptions);
        return {};
      },
    },
  ];

  async function readUser(request: WriteRequest): Promise<ApiReply> {
    const user = await objects.get(request, "_User", userId(request), request.params);
    const { auth } = request;
    if (auth.kind !== "user" || auth.userId !== userId(request)) return jsonReply(user);
    // SDKs replace their current user with the response. Without the token they would be signed out.
    return jsonReply(JSON.stringify({ ...JSON.parse(user), sessionToken: auth.sessionToken }));
  }

  async function signUpOrSignIn(request: WriteRequest): Promise<ApiReply> {
    const { authData } = request.params;
    const authDataByProvider = isJsonObject(authData) ? authData : {};
    const proof = authDataByProvider[WALLET_PROVIDER];
    if (proof === undefined || proof === null) return signInWithIdentity(request, authDataByProvider);
    const wallet = await wallets.verify(proof, "login", request);
    const owner = await wallets.ownerOf(wallet.address);
    if (owner !== undefined) return signIn(request, owner, WALLET_PROVIDER, wallets.consume(wallet));
    wallets.setVerified(request, wallet);
    try {
      return await createUser(request, request.params);
    } catch (error) {
      // A concurrent request with the same wallet has created the user: sign in to it.
      const now = await wallets.ownerOf(wallet.address);
      if (
        now === undefined ||
        !(error instanceof ProtocolError) ||
        error.code !== ErrorCode.ACCOUNT_ALREADY_LINKED
      ) {
        throw error;
      }
      return signIn(request, now, WALLET_PROVIDER, wallets.consume(wallet));
    }
  }

  /** Signs in with identities of other providers, or creates a user. Users are never matched by email address. */
  async function signInWithIdentity(request: WriteRequest, authData: JsonObject): Promise<ApiReply> {
    const identities = await providers.verifyAll(authData);
    if (identities.length === 0) return createUser(request, request.params);
    const owners = await Promise.all(identities.map((identity) => providers.ownerOf(identity)));
    const known = [...new Set(owners.filter((owner) => owner !== undefined))];
    const [owner] = known;
    if (known.length > 1) {
      throw new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
    }
    const provider = identities[0]?.provider ?? "";
    if (owner !== undefined) return signIn(request, owner, provider, []);
    providers.setVerified(request, identities);
    return createUser(request, request.params);
  }

  async function createUser(request: WriteRequest, fields: JsonObject): Promise<ApiReply> {
    const isAnonymous = providers
      .getVerified(request)
      .some(({ provider }) => provider === ANONYMOUS_PROVIDER);
    await limits.countAddress(isAnonymous ? "anonymousSignUp" : "signUp", request);
    const { status, body } = await objects.create(request, "_User", fields, request.writeOptions);
    return { status, body: JSON.stringify(body) };
  }

  async function logIn(request: WriteRequest): Promise<ApiReply> {
    const { owner, user, lockoutKey, hash } = await verifyCredentials(request);
    email.assertCanSignIn(user);
    const { password } = request.params;
    const writes = lockout.resetWrites(lockoutKey);
    if (hash !== undefined && isBcrypt(hash) && typeof password === "string") {
      writes.push(
        secretUpdate(owner, { passwordHash: await dependencies.passwords.hash(password, request) }),
      );
    }
    return signIn(request, owner, "password", writes);
  }

  async function verifyPassword(request: WriteRequest): Promise<ApiReply> {
    const { owner, user, lockoutKey, needsCode } = await verifyCredentials(request);
    email.assertCanSignIn(user);
    // The password alone does not reset the count of an account that also requires a code.
    const resetWrites = needsCode ? [] : lockout.resetWrites(lockoutKey);
    if (resetWrites.length > 0) await store.write(resetWrites);
    return jsonReply(JSON.stringify(await readOwnUser(request, owner)));
  }

  /** Verifies a username or email address and a password. Known and unknown names take the same time. */
  async function verifyCredentials(request: WriteRequest): Promise<VerifiedCredentials> {
    const { username, email, password } = request.params;
    const name = username ?? email;
    if (name === undefined || name === null || name === "") {
      throw new ProtocolError(ErrorCode.USERNAME_MISSING, "username/email is required.");
    }
    if (password === undefined || password === null || password === "") {
      throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password is required.");
    }
    if (typeof name !== "string" || typeof password !== "string") throw wrongCredentials();
    // No user can have such a name, so there is nothing to compare or to count.
    if (name.length > MAX_EMAIL_LENGTH) throw wrongCredentials();
    const scope = username === undefined ? UNIQUE_KEYS.email : UNIQUE_KEYS.username;
    const owner = await store.getUniqueOwner(scope, foldName(name));
    // Attempts with the username and with the email address are counted together.
    const lockoutKey = owner ?? foldName(name);
    // Counted before the password is verified, so that concurrent guesses count too.
    const refund = await limits.countAddress("failedLogIn", request);
    await lockout.assertUnlocked(lockoutKey);
    const found = owner === undefined ? undefined : await store.getSecret(schemaOf("_User"), owner);
    const secret = found?.secret ?? {};
    const hash = typeof secret.passwordHash === "string" ? secret.passwordHash : undefined;
    const isCorrect = await dependencies.passwords.verify(hash, password, request);
    if (!isCorrect || owner === undefined || !found) {
      await lockout.countFailure(lockoutKey);
      throw wrongCredentials();
    }
    // Concurrent wrong guesses may have locked the account while this password was being verified.
    await lockout.assertUnlocked(lockoutKey);
    await refund();
    assertPasswordNotExpired(secret, dependencies.config.policy, dependencies.clock());
    const needsCode = hasFactor(secret.authData);
    return { owner, user: JSON.parse(found.text), lockoutKey, hash, needsCode };
  }

  async function signIn(
    request: WriteRequest,
    owner: string,
    authProvider: string,
    signInWrites: Write[],
  ): Promise<ApiReply> {
    const { authData } = (await store.getSecret(schemaOf("_User"), owner))?.secret ?? {};
    const beforeLogin = dependencies.triggers.of("beforeLogin");
    if (beforeLogin) await beforeLogin(await readOwnUser(request, owner), request);
    const factor = await secondFactor.verifySignIn(owner, authData, request.params.authData, request);
    const writes = [...signInWrites, ...(factor?.writes ?? [])];
    if (factor?.next && isJsonObject(authData)) {
      writes.push(secretUpdate(owner, { authData: { ...authData, [MFA]: factor.next } }));
    }
    const { sessionToken } = await startSession(request, owner, { action: "login", authProvider }, writes);
    const afterLogin = dependencies.triggers.of("afterLogin");
    if (afterLogin) {
      const { auth: _, ...others } = request;
      const auth = await authenticateSession(sessionToken);
      await afterLogin({ ...(await readOwnUser(request, owner)), sessionToken }, { ...others, auth });
    }
    const user = await readOwnUser(request, owner);
    return jsonReply(JSON.stringify({ ...user, sessionToken }));
  }

  /** Starts a session of an existing user. All sessions but that of a sign-up are started here. */
  async function startSession(
    request: WriteRequest,
    owner: string,
    createdWith: CreatedWith,
    writes: Write[] = [],
    origin: SessionOrigin = request,
  ): Promise<NewSession> {
    await limits.countSubject("session", request, owner);
    try {
      return await sessions.start(owner, createdWith, origin, writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      throw factorConflictError(error.scope) ?? walletConflictError(error.scope);
    }
  }

  function secretUpdate(owner: string, secret: JsonObject): Write {
    const at = new Date(dependencies.clock()).toISOString();
    return {
      kind: "update",
      schema: schemaOf("_User"),
      id: owner,
      at,
      operations: {},
      secret,
      subjects: null,
    };
  }

  /** Starts a session of any user with the master key. */
  async function logInAs(request: WriteRequest): Promise<ApiReply> {
    assertMaster(request, "write");
    const { userId: id } = request.params;
    if (typeof id !== "string" || id === "") {
      throw new ProtocolError(INVALID_VALUE_CODE, "userId must not be empty, null, or undefined");
    }
    if ((await store.get(schemaOf("_User"), id, null)) === undefined) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "user not found");
    }
    const createdWith = { action: "login", authProvider: "masterkey" } as const;
    // The session is for the user's app, so it records nothing of the operator's device.
    const { sessionToken } = await startSession(request, id, createdWith, [], NO_SESSION_ORIGIN);
    const user = await readOwnUser(request, id);
    return jsonReply(JSON.stringify({ ...user, sessionToken }));
  }

  /** Starts an additional session for another device of the signed-in user. */
  async function newSession(request: WriteRequest): Promise<ApiReply> {
    if (request.auth.kind === "anonymous") {
      throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Session token required.");
    }
    const auth = requireUser(request);
    // The session always belongs to the signed-in user, whatever `user` says.
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
    const session = afterLogout && (await store.get(schemaOf("_Session"), sessionId, null));
    await sessions.revoke(sessionId);
    if (afterLogout && session !== undefined) {
      await afterLogout({ ...JSON.parse(session), sessionToken }, request);
    }
    return {};
  }

  async function me(request: WriteRequest): Promise<JsonObject> {
    const auth = requireUser(request);
    const user = JSON.parse(await objects.get(request, "_User", auth.userId, request.params));
    return { ...user, sessionToken: auth.sessionToken };
  }

  async function currentSession(request: WriteRequest): Promise<ApiReply> {
    const auth = requireUser(request);
    return jsonReply(await objects.get(request, "_Session", auth.sessionId, {}));
  }

  /** Reads a user with the user's own permissions. */
  async function readOwnUser(request: RequestContext, owner: string): Promise<JsonObject> {
    const auth = { kind: "user" as const, userId: owner, roles: [], sessionId: "", sessionToken: "" };
    return JSON.parse(await objects.get({ ...request, auth }, "_User", owner, {}));
  }
}

/** Parse error code for an invalid parameter. */
const INVALID_VALUE_CODE = 162;

/** The user of a verified name and password. */
interface VerifiedCredentials {
  owner: string;
  user: JsonObject;
  /** Key that failed attempts are counted by. */
  lockoutKey: string;
  hash: string | undefined;
  /** Whether the account also requires a second-factor code. */
  needsCode: boolean;
}

const NO_SESSION_ORIGIN: SessionOrigin = { installationId: undefined };

function requireUser(request: RequestContext) {
  if (request.auth.kind !== "user") throw invalidSessionError();
  return request.auth;
}

function wrongCredentials(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Invalid username/password.");
}

function jsonReply(body: string): ApiReply {
  return { status: 200, body };
}
