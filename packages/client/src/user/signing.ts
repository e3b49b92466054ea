import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { connection, currentConnection } from "../connection.ts";
import { loadStoredUser } from "../identity.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { copyOf, mapFields } from "../object/encode.ts";
import type { Attributes } from "../object/fieldTypes.ts";
import { type RequestOptions, request, requestObject } from "../transport.ts";
import { type AuthData, type AuthProvider, type LogInOptions, providerName } from "./authProviders.ts";
import { clearCurrent, type KeptUser, persist } from "./keptUser.ts";
import { identify, providersOf, registerProvider } from "./knownProviders.ts";
import { runLogOutHooks } from "./logOutHooks.ts";

export { clearCurrent, follow } from "./keptUser.ts";

/* Signing in, up and out. Loaded on first use: returning users do not need it. */

/** The part of the user class that is used here. */
interface Users<T extends Signing> {
  logIn(username: string, password: string, options?: LogInOptions): Promise<T>;
  signUp(username: string, password: string): Promise<T>;
  currentAsync(): Promise<T | null>;
}

/** The part of a user that is used here. */
interface Signing extends KeptUser {
  save(fields?: null, options?: SaveOptions): Promise<unknown>;
  revert(): void;
  getUsername(): string | undefined;
  _get(key: string): unknown;
  _set(fields: object): unknown;
  _setOrThrow(fields: object): void;
  _commit(fields: Attributes): void;
}

export async function signUp<T extends Signing>(
  user: T,
  attributes: object = {},
  options: SaveOptions = {},
): Promise<T> {
  user._setOrThrow(attributes);
  if (!user._get("username")) throw refusal("Cannot sign up user with an empty username.");
  if (!user._get("password")) throw refusal("Cannot sign up user with an empty password.");
  await user.save(null, options);
  return makeCurrent(user);
}

export async function logIn<T extends Signing>(
  user: T,
  { usePost = true, authData, ...rest }: LogInOptions = {},
): Promise<T> {
  const credentials: JsonObject = credentialsOf(user._get("username"), user._get("password"));
  if (authData) credentials.authData = authData;
  const answer = await requestObject(usePost ? "POST" : "GET", "login", credentials, rest);
  user._state.dropOperations(Object.keys(credentials));
  user.id = undefined;
  user._finishFetch(answer, true);
  return makeCurrent(user);
}

/** Validates the types of name and password. */
export async function logInAs<T extends Signing>(
  user: T,
  username: unknown,
  password: unknown,
  options?: LogInOptions,
): Promise<T> {
  user._set(credentialsOf(username, password));
  return logIn(user, options);
}

export function logInWithAuth<T extends Signing>(
  user: T,
  username: unknown,
  password: unknown,
  authData: unknown,
  options?: LogInOptions,
): Promise<T> {
  if (!isJsonObject(authData)) throw refusal("Auth must be an object.");
  return logInAs(user, username, password, { ...options, authData });
}

export async function logInOrSignUp<T extends Signing>(
  users: Users<T>,
  username: string,
  password: string,
  options?: LogInOptions,
): Promise<T> {
  try {
    return await users.logIn(username, password, options);
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== ErrorCode.OBJECT_NOT_FOUND) throw error;
    return users.signUp(username, password);
  }
}

export async function loginAs<T extends Signing>(user: T, userId: string): Promise<T> {
  if (!userId) {
    throw new ProtocolError(ErrorCode.USERNAME_MISSING, "Cannot log in as user with an empty user id");
  }
  user._finishFetch(await requestObject("POST", "loginAs", { userId }, { useMasterKey: true }));
  return makeCurrent(user);
}

export async function fetchMe<T extends Signing>(
  user: T,
  sessionToken: string,
  options?: RequestOptions,
): Promise<T> {
  const answer = await requestObject("GET", "users/me", {}, { ...options, sessionToken });
  user._finishFetch({ sessionToken, ...answer });
  return user;
}

/** Does not sign in without a session token. */
export async function hydrate<T extends Signing>(user: T, json: JsonObject): Promise<T> {
  user._finishFetch(mapFields(json, copyOf));
  return user.getSessionToken() ? makeCurrent(user) : user;
}

/** Returns the account's fields if name and password are right. Throws 101 if they are not. */
export async function verifyPassword<T extends AnyObject>(
  user: T,
  username: unknown,
  password: unknown,
  options?: RequestOptions,
): Promise<T> {
  const credentials = credentialsOf(username, password);
  user._finishFetch(await requestObject("GET", "verifyPassword", credentials, options));
  return user;
}

export async function logOut(options: RequestOptions = {}): Promise<void> {
  await runLogOutHooks();
  const user = await loadStoredUser();
  const own = typeof user?.sessionToken === "string" ? user.sessionToken : undefined;
  const sessionToken = options.sessionToken ?? own;
  if (user && own && isAnonymous(user)) await destroyStored(user);
  if (sessionToken) await endSession({ ...options, sessionToken });
  for (const provider of providersOf(isJsonObject(user?.authData) ? user.authData : {}))
    provider.deauthenticate?.();
  await clearCurrent();
}

/** A session that the server rejects (209) has already ended. */
async function endSession(options: RequestOptions): Promise<void> {
  try {
    await request("POST", "logout", {}, options);
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== ErrorCode.INVALID_SESSION_TOKEN) throw error;
  }
}

export async function link<T extends Signing>(
  user: T,
  provider: string | AuthProvider,
  given: { authData?: AuthData } = {},
  options?: SaveOptions,
): Promise<T> {
  const name = providerName(provider);
  const authData = given.authData ?? (await identify(provider));
  await setAuthData(user, { ...objectOf(user._get("authData")), [name]: authData }, options);
  return makeCurrent(user);
}

export async function unlink<T extends Signing>(
  user: T,
  provider: string | AuthProvider,
  options?: SaveOptions,
): Promise<T> {
  const name = providerName(provider);
  const { [name]: _, ...rest } = objectOf(user._get("authData"));
  await setAuthData(user, { [name]: null }, options);
  user._commit({ authData: rest });
  await user._afterSync();
  return user;
}

async function setAuthData(user: Signing, authData: JsonObject, options?: SaveOptions): Promise<void> {
  user._set({ authData });
  try {
    await user.save(null, options);
  } catch (error) {
    user._state.dropOperations(["authData"]);
    throw error;
  }
}

export async function register<T extends Signing>(provider: AuthProvider, users: Users<T>): Promise<void> {
  registerProvider(provider);
  const user = await users.currentAsync();
  if (user) await restore(user, provider);
}

/** Passes the current auth data to a provider, and unlinks it if the provider rejects the data. */
async function restore(user: Signing, provider: AuthProvider): Promise<void> {
  const own = objectOf(user._get("authData"))[provider.getAuthType()];
  if (isJsonObject(own) && provider.restoreAuthentication?.(own) === false) await unlink(user, provider);
}

export async function upgradeSession(user: Signing, options?: RequestOptions): Promise<void> {
  const sessionToken = user.getSessionToken();
  if (!sessionToken) {
    throw new ProtocolError(ErrorCode.SESSION_MISSING, "Cannot upgrade a user with no session token");
  }
  const session = await requestObject("POST", "upgradeToRevocableSession", {}, { ...options, sessionToken });
  user._commit({ sessionToken: session.sessionToken });
  await user._afterSync();
}

/** Upgrades the current user's session if it is a legacy one. */
export async function upgradeCurrent<T extends Signing>(
  users: Users<T>,
  options?: RequestOptions,
): Promise<void> {
  const user = currentConnection() ? await users.currentAsync() : null;
  const token = user?.getSessionToken();
  if (user && token && !token.includes("r:")) await upgradeSession(user, options);
}

/** Makes a user the current one, if this process has one. Deletes a previous anonymous user, who cannot sign in again. */
export async function makeCurrent<T extends KeptUser>(user: T): Promise<T> {
  if (!connection().keepsCurrentUser) return user;
  const before = await loadStoredUser();
  if (before && before.objectId !== user.id && isAnonymous(before)) await destroyStored(before);
  await persist(user);
  return user;
}

function isAnonymous({ authData }: { authData?: unknown }): boolean {
  return isJsonObject(authData) && Boolean(authData.anonymous);
}

/** Deletes the account of a stored user on the server. */
async function destroyStored({ objectId, sessionToken }: JsonObject): Promise<void> {
  const options = typeof sessionToken === "string" ? { sessionToken } : {};
  await request("DELETE", `classes/_User/${encodeURIComponent(String(objectId))}`, {}, options);
}

function credentialsOf(username: unknown, password: unknown): { username: string; password: string } {
  if (typeof username !== "string") throw refusal("Username must be a string.");
  if (typeof password !== "string") throw refusal("Password must be a string.");
  return { username, password };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}
