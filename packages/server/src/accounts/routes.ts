import { ErrorCode, isJsonObject, type JsonObject, MAX_EMAIL_LENGTH, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import { ClaimTaken, type Write } from "../store/store.ts";
import { factorTaken, MFA } from "./auth/mfa.ts";
import { ANONYMOUS_PROVIDER, type Providers } from "./auth/providers.ts";
import type { Email } from "./email.ts";
import type { Lockout } from "./lockout.ts";
import { type AccountsParts, CLAIM, foldName } from "./parts.ts";
import { isBcrypt } from "./password.ts";
import { assertFresh } from "./passwordPolicy.ts";
import { hasFactor, type SecondFactor } from "./secondFactor.ts";
import type { CreatedWith, NewSession, SessionOrigin } from "./sessionRecord.ts";
import { READ_ONLY, readOnlyField } from "./sessionRules.ts";
import { invalidSession, type Sessions } from "./sessions.ts";
import { WALLET_PROVIDER, type Wallets, walletTaken } from "./wallets.ts";

export interface AccountRouteParts {
  parts: AccountsParts;
  sessions: Sessions;
  wallets: Wallets;
  email: Email;
  lockout: Lockout;
  secondFactor: SecondFactor;
  providers: Providers;
}

/** Signing up, in and out, and what people see of themselves. */
export function accountRoutes(all: AccountRouteParts): ApiRoute[] {
  const { parts, sessions, wallets, email, lockout, secondFactor, providers } = all;
  const { objects, store, schemaOf, limits } = parts;
  const callerOf = (sessionToken: string) => sessions.callerOf(sessionToken);
  const userId = (request: ApiRequest) => request.pathParams.objectId ?? "";
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
    { method: "GET", path: "/verifyPassword", handle: checkPassword, acceptsEndedSession: true },
    {
      method: "POST",
      path: "/verifyPassword",
      handle: checkPassword,
      acceptsEndedSession: true,
      retry: "again",
    },
    {
      method: "GET",
      path: "/users",
      handle: async (request) => text(await objects.find(request, "_User", request.params)),
    },
    { method: "GET", path: "/users/:objectId", handle: readUser },
    { method: "GET", path: "/classes/_User/:objectId", handle: readUser },
    {
      method: "PUT",
      path: "/users/:objectId",
      retry: "write",
      handle: async (request) =>
        (await objects.update(request, "_User", userId(request), request.params)).body,
    },
    {
      method: "DELETE",
      path: "/users/:objectId",
      handle: async (request) => {
        await objects.remove(request, "_User", userId(request));
        return {};
      },
    },
    {
      method: "GET",
      path: "/sessions",
      handle: async (request) => text(await objects.find(request, "_Session", request.params)),
    },
    {
      method: "GET",
      path: "/sessions/:objectId",
      handle: async (request) =>
        text(await objects.get(request, "_Session", userId(request), request.params)),
    },
    {
      method: "PUT",
      path: "/sessions/:objectId",
      retry: "write",
      handle: async (request) =>
        (await objects.update(request, "_Session", userId(request), request.params)).body,
    },
    {
      method: "DELETE",
      path: "/sessions/:objectId",
      handle: async (request) => {
        await objects.remove(request, "_Session", request.pathParams.objectId ?? "");
        return {};
      },
    },
  ];

  async function readUser(request: ApiRequest): Promise<ApiReply> {
    const user = await objects.get(request, "_User", userId(request), request.params);
    const { caller } = request;
    if (caller.kind !== "user" || caller.userId !== userId(request)) return text(user);
    // SDKs replace all that they know of their user by the answer. Without the token they would be signed out.
    return text(JSON.stringify({ ...JSON.parse(user), sessionToken: caller.sessionToken }));
  }

  async function signUpOrSignIn(request: ApiRequest): Promise<ApiReply> {
    const { authData } = request.params;
    const given = isJsonObject(authData) ? authData : {};
    const proof = given[WALLET_PROVIDER];
    if (proof === undefined || proof === null) return byIdentity(request, given);
    const wallet = await wallets.verify(proof, "login", request);
    const owner = await wallets.ownerOf(wallet.address);
    if (owner !== undefined) return signIn(request, owner, WALLET_PROVIDER, wallets.use(wallet));
    wallets.remember(request, wallet);
    try {
      return await create(request, request.params);
    } catch (error) {
      // Another request of the same wallet was quicker: this one signs in to the user that it made.
      const now = await wallets.ownerOf(wallet.address);
      if (
        now === undefined ||
        !(error instanceof ProtocolError) ||
        error.code !== ErrorCode.ACCOUNT_ALREADY_LINKED
      ) {
        throw error;
      }
      return signIn(request, now, WALLET_PROVIDER, wallets.use(wallet));
    }
  }

  /** By another service: to the user that it knows, or as a new one. People are never found by their e-mail. */
  async function byIdentity(request: ApiRequest, authData: JsonObject): Promise<ApiReply> {
    const identities = await providers.verifyAll(authData);
    if (identities.length === 0) return create(request, request.params);
    const owners = await Promise.all(identities.map((identity) => providers.ownerOf(identity)));
    const known = [...new Set(owners.filter((owner) => owner !== undefined))];
    const [owner] = known;
    if (known.length > 1) {
      throw new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
    }
    const provider = identities[0]?.provider ?? "";
    if (owner !== undefined) return signIn(request, owner, provider, []);
    providers.remember(request, identities);
    return create(request, request.params);
  }

  async function create(request: ApiRequest, fields: JsonObject): Promise<ApiReply> {
    const isAnonymous = providers.verifiedBy(request).some(({ provider }) => provider === ANONYMOUS_PROVIDER);
    await limits.countAddress(isAnonymous ? "anonymousSignUp" : "signUp", request);
    const { status, body } = await objects.create(request, "_User", fields);
    return { status, body: JSON.stringify(body) };
  }

  async function logIn(request: ApiRequest): Promise<ApiReply> {
    const { owner, user, name, hash } = await byPassword(request);
    email.assertMaySignIn(user);
    const { password } = request.params;
    const steps = lockout.clear(name);
    if (hash !== undefined && isBcrypt(hash) && typeof password === "string") {
      steps.push(changeOfSecret(owner, { passwordHash: await parts.passwords.hash(password, request) }));
    }
    return signIn(request, owner, "password", steps);
  }

  async function checkPassword(request: ApiRequest): Promise<ApiReply> {
    const { owner, user, name, needsCode } = await byPassword(request);
    email.assertMaySignIn(user);
    // The password alone does not clear the count of an account that wants a code as well.
    const cleared = needsCode ? [] : lockout.clear(name);
    if (cleared.length > 0) await store.write(cleared);
    return text(JSON.stringify(await asThemselves(request, owner)));
  }

  /** The user whose name (or e-mail) and password these are. Known and unknown names take the same time. */
  async function byPassword(request: ApiRequest): Promise<Found> {
    const { username, email, password } = request.params;
    const name = username ?? email;
    if (name === undefined || name === null || name === "") {
      throw new ProtocolError(ErrorCode.USERNAME_MISSING, "username/email is required.");
    }
    if (password === undefined || password === null || password === "") {
      throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password is required.");
    }
    if (typeof name !== "string" || typeof password !== "string") throw wrongCredentials();
    // Nobody can have such a name: there is nothing to compare a password with, or to count.
    if (name.length > MAX_EMAIL_LENGTH) throw wrongCredentials();
    const scope = username === undefined ? CLAIM.email : CLAIM.username;
    const owner = await store.ownerOf(scope, foldName(name));
    // Whichever of their names people use, their attempts are counted together.
    const counted = owner ?? foldName(name);
    // Counted before the password is looked at, so that guesses sent side by side count as well.
    const refund = await limits.countAddress("failedLogIn", request);
    await lockout.assertOpen(counted);
    const found = owner === undefined ? undefined : await store.getSecret(schemaOf("_User"), owner);
    const secret = found?.secret ?? {};
    const hash = typeof secret.passwordHash === "string" ? secret.passwordHash : undefined;
    const isRight = await parts.passwords.verify(hash, password, request);
    if (!isRight || owner === undefined || !found) {
      await lockout.fail(counted);
      throw wrongCredentials();
    }
    // Others may have guessed wrong while this one was being judged.
    await lockout.assertOpen(counted);
    await refund();
    assertFresh(secret, parts.config.policy, parts.clock());
    const needsCode = hasFactor(secret.authData);
    return { owner, user: JSON.parse(found.text), name: counted, hash, needsCode };
  }

  async function signIn(
    request: ApiRequest,
    owner: string,
    authProvider: string,
    steps: Write[],
  ): Promise<ApiReply> {
    const { authData } = (await store.getSecret(schemaOf("_User"), owner))?.secret ?? {};
    const beforeLogin = parts.triggers.of("beforeLogin");
    if (beforeLogin) await beforeLogin(await asThemselves(request, owner), request);
    const factor = await secondFactor.assert(owner, authData, request.params.authData, request);
    const writes = [...steps, ...(factor?.writes ?? [])];
    if (factor?.next && isJsonObject(authData)) {
      writes.push(changeOfSecret(owner, { authData: { ...authData, [MFA]: factor.next } }));
    }
    const { sessionToken } = await startSession(request, owner, { action: "login", authProvider }, writes);
    const afterLogin = parts.triggers.of("afterLogin");
    if (afterLogin) {
      const { caller: _, ...others } = request;
      const caller = await callerOf(sessionToken);
      await afterLogin({ ...(await asThemselves(request, owner)), sessionToken }, { ...others, caller });
    }
    const user = await asThemselves(request, owner);
    return text(JSON.stringify({ ...user, sessionToken }));
  }

  /** The one way to begin a session of a user whom there is: by sign-in, by the operator, or beside another one. */
  async function startSession(
    request: ApiRequest,
    owner: string,
    createdWith: CreatedWith,
    steps: Write[] = [],
    origin: SessionOrigin = request,
  ): Promise<NewSession> {
    await limits.countSubject("session", request, owner);
    try {
      return await sessions.start(owner, createdWith, origin, steps);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      throw factorTaken(error.scope) ?? walletTaken(error.scope);
    }
  }

  function changeOfSecret(owner: string, secret: JsonObject): Write {
    const at = new Date(parts.clock()).toISOString();
    return {
      kind: "update",
      schema: schemaOf("_User"),
      id: owner,
      at,
      operations: {},
      secret,
      principals: null,
    };
  }

  /** For operators who look at the app as somebody else. */
  async function logInAs(request: ApiRequest): Promise<ApiReply> {
    assertMaster(request, "write");
    const { userId: id } = request.params;
    if (typeof id !== "string" || id === "") {
      throw new ProtocolError(INVALID_VALUE, "userId must not be empty, null, or undefined");
    }
    if ((await store.get(schemaOf("_User"), id, null)) === undefined) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "user not found");
    }
    const createdWith = { action: "login", authProvider: "masterkey" } as const;
    // The session is for the user's app: nothing of the operator's device belongs into it.
    const { sessionToken } = await startSession(request, id, createdWith, [], NO_DEVICE);
    const user = await asThemselves(request, id);
    return text(JSON.stringify({ ...user, sessionToken }));
  }

  /** A session of its own for another device of whoever is signed in. */
  async function newSession(request: ApiRequest): Promise<ApiReply> {
    if (request.caller.kind === "anonymous") {
      throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Session token required.");
    }
    const caller = signedIn(request);
    // It is the caller's whoever is named.
    const field = READ_ONLY.find((name) => name !== "user" && name in request.params);
    if (field !== undefined) throw readOnlyField(field);
    // Not of the installation that asks for it, whose own session goes on.
    const origin = { ...request, installationId: undefined };
    const createdWith = { action: "create", authProvider: "" } as const;
    const session = await startSession(request, caller.userId, createdWith, [], origin);
    return { status: 201, body: await asItsUser(request, session) };
  }

  async function upgradeSession(request: ApiRequest): Promise<ApiReply> {
    const caller = signedIn(request);
    const session = await startSession(request, caller.userId, { action: "upgrade", authProvider: "" });
    return text(await asItsUser(request, session));
  }

  /** A new session as a read with its own token shows it. */
  async function asItsUser(
    request: ApiRequest,
    { object, sessionToken }: Pick<NewSession, "object" | "sessionToken">,
  ): Promise<string> {
    const { objectId, createdAt } = object;
    const sessionId = String(objectId);
    const caller = { ...signedIn(request), sessionId, sessionToken };
    try {
      return await objects.get({ ...request, caller }, "_Session", sessionId, {});
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // Class-level permissions keep sessions from their users. The token belongs to the user all the same.
      return JSON.stringify({ objectId, createdAt, sessionToken });
    }
  }

  async function changeSession(request: ApiRequest): Promise<JsonObject> {
    const caller = signedIn(request);
    return (await objects.update(request, "_Session", caller.sessionId, request.params)).body;
  }

  async function logOut(request: ApiRequest): Promise<JsonObject> {
    if (request.caller.kind !== "user") return {};
    const { sessionId, sessionToken } = request.caller;
    const afterLogout = parts.triggers.of("afterLogout");
    const session = afterLogout && (await store.get(schemaOf("_Session"), sessionId, null));
    await sessions.endOne(sessionId);
    if (afterLogout && session !== undefined) {
      await afterLogout({ ...JSON.parse(session), sessionToken }, request);
    }
    return {};
  }

  async function me(request: ApiRequest): Promise<JsonObject> {
    const caller = signedIn(request);
    const user = JSON.parse(await objects.get(request, "_User", caller.userId, request.params));
    return { ...user, sessionToken: caller.sessionToken };
  }

  async function currentSession(request: ApiRequest): Promise<ApiReply> {
    const caller = signedIn(request);
    return text(await objects.get(request, "_Session", caller.sessionId, {}));
  }

  /** A user as it sees itself. */
  async function asThemselves(request: RequestContext, owner: string): Promise<JsonObject> {
    const caller = { kind: "user" as const, userId: owner, roles: [], sessionId: "", sessionToken: "" };
    return JSON.parse(await objects.get({ ...request, caller }, "_User", owner, {}));
  }
}

/** As Parse numbers a parameter that cannot be. */
const INVALID_VALUE = 162;

/** Whose name and password were given. */
interface Found {
  owner: string;
  user: JsonObject;
  /** By which the attempts are counted. */
  name: string;
  hash: string | undefined;
  /** Whether the password is not enough. */
  needsCode: boolean;
}

const NO_DEVICE: SessionOrigin = { installationId: undefined };

function signedIn(request: RequestContext) {
  if (request.caller.kind !== "user") throw invalidSession();
  return request.caller;
}

function wrongCredentials(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Invalid username/password.");
}

function text(body: string): ApiReply {
  return { status: 200, body };
}
