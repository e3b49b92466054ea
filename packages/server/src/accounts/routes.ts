import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { ClaimTaken, type Write } from "../store/store.ts";
import type { Email } from "./email.ts";
import type { Lockout } from "./lockout.ts";
import { type AccountsParts, CLAIM, foldName } from "./parts.ts";
import { verifyPassword } from "./password.ts";
import { assertFresh } from "./passwordPolicy.ts";
import { invalidSession, type Sessions } from "./sessions.ts";
import { WALLET_PROVIDER, type Wallets, walletTaken } from "./wallets.ts";

/** Signing up, in and out, and what people see of themselves. */
export function accountRoutes(
  parts: AccountsParts,
  sessions: Sessions,
  wallets: Wallets,
  { email, lockout }: { email: Email; lockout: Lockout },
): ApiRoute[] {
  const { objects, store, schemaOf } = parts;
  const userId = (request: ApiRequest) => request.names.objectId ?? "";
  return [
    { method: "POST", path: "/users", handle: signUpOrSignIn, tolerant: true },
    { method: "POST", path: "/login", handle: logIn, tolerant: true },
    { method: "GET", path: "/login", handle: logIn, tolerant: true },
    { method: "POST", path: "/logout", handle: logOut, tolerant: true },
    { method: "GET", path: "/users/me", handle: me },
    { method: "GET", path: "/sessions/me", handle: currentSession },
    { method: "POST", path: "/upgradeToRevocableSession", handle: currentSession },
    { method: "GET", path: "/verifyPassword", handle: checkPassword, tolerant: true },
    { method: "POST", path: "/verifyPassword", handle: checkPassword, tolerant: true },
    {
      method: "GET",
      path: "/users",
      handle: async (request) => text(await objects.find(request, "_User", request.params)),
    },
    {
      method: "GET",
      path: "/users/:objectId",
      handle: async (request) => text(await objects.get(request, "_User", userId(request), request.params)),
    },
    {
      method: "PUT",
      path: "/users/:objectId",
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
      method: "DELETE",
      path: "/sessions/:objectId",
      handle: async (request) => {
        await objects.remove(request, "_Session", request.names.objectId ?? "");
        return {};
      },
    },
  ];

  async function signUpOrSignIn(request: ApiRequest): Promise<ApiReply> {
    const { authData } = request.params;
    const proof = isJsonObject(authData) ? authData[WALLET_PROVIDER] : undefined;
    if (proof === undefined || proof === null) return create(request, request.params);
    const wallet = await wallets.verify(proof, "login");
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

  async function create(request: ApiRequest, fields: JsonObject): Promise<ApiReply> {
    const { status, body } = await objects.create(request, "_User", fields);
    return { status, body: JSON.stringify(body) };
  }

  async function logIn(request: ApiRequest): Promise<ApiReply> {
    const { owner, user, name } = await byPassword(request.params);
    email.assertMaySignIn(user);
    return signIn(request, owner, "password", lockout.clear(name));
  }

  async function checkPassword(request: ApiRequest): Promise<ApiReply> {
    const { owner, user, name } = await byPassword(request.params);
    email.assertMaySignIn(user);
    const cleared = lockout.clear(name);
    if (cleared.length > 0) await store.write(cleared);
    return text(JSON.stringify(await asThemselves(request, owner)));
  }

  /** The user whose name (or e-mail) and password these are. Known and unknown names take the same time. */
  async function byPassword({ username, email, password }: JsonObject): Promise<Found> {
    const name = username ?? email;
    if (name === undefined || name === null || name === "") {
      throw new ProtocolError(ErrorCode.USERNAME_MISSING, "username/email is required.");
    }
    if (password === undefined || password === null || password === "") {
      throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password is required.");
    }
    if (typeof name !== "string" || typeof password !== "string") throw wrongCredentials();
    const scope = username === undefined ? CLAIM.email : CLAIM.username;
    const owner = await store.ownerOf(scope, foldName(name));
    // Whichever of their names people use, their attempts are counted together.
    const counted = owner ?? foldName(name);
    await lockout.attempt(counted);
    const found = owner === undefined ? undefined : await store.getSecret(schemaOf("_User"), owner);
    const secret = found?.secret ?? {};
    const hash = typeof secret.passwordHash === "string" ? secret.passwordHash : undefined;
    const isRight = await verifyPassword(hash, password);
    if (!isRight || owner === undefined || !found) throw wrongCredentials();
    assertFresh(secret, parts.config.policy, parts.clock());
    return { owner, user: JSON.parse(found.text), name: counted };
  }

  async function signIn(
    request: ApiRequest,
    owner: string,
    authProvider: string,
    steps: Write[],
  ): Promise<ApiReply> {
    const session = sessions.begin(owner, { action: "login", authProvider }, request.installationId);
    try {
      await store.write([...steps, ...session.writes]);
    } catch (error) {
      throw error instanceof ClaimTaken ? walletTaken(error.scope) : error;
    }
    const user = await asThemselves(request, owner);
    return text(JSON.stringify({ ...user, sessionToken: session.sessionToken }));
  }

  async function logOut(request: ApiRequest): Promise<JsonObject> {
    if (request.caller.kind === "user") await sessions.endOne(request.caller.sessionId);
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

/** Whose name and password were given. */
interface Found {
  owner: string;
  user: JsonObject;
  /** By which the attempts are counted. */
  name: string;
}

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
