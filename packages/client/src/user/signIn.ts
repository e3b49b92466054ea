import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { connection, currentConnection } from "../connection.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { deepCopy, mapFields } from "../object/encode.ts";
import type { Attributes } from "../object/fieldTypes.ts";
import { pathOf } from "../pathOf.ts";
import { loadStoredUser } from "../storedUser.ts";
import { type RequestOptions, request, requestObject } from "../transport.ts";
import { type AuthData, type AuthProvider, type LogInOptions, providerName } from "./authProviders.ts";
import { runLogOutHooks } from "./logOutHooks.ts";
import { clearCurrent, type PersistedUser, persist } from "./persistedUser.ts";
import { providersOf, registerProvider, requestAuthData } from "./providerRegistry.ts";

export { clearCurrent, persistChanges } from "./persistedUser.ts";

/* Signing in, up and out. Loaded on first use: returning users do not need it. */

/** The part of the user class that is used here. */
interface UserClass<T extends SignInUser> {
  logIn(username: string, password: string, options?: LogInOptions): Promise<T>;
  signUp(username: string, password: string): Promise<T>;
  currentAsync(): Promise<T | null>;
}

/** The part of a user that is used here. */
interface SignInUser extends PersistedUser {
  save(fields?: null, options?: SaveOptions): Promise<unknown>;
  revert(): void;
  getUsername(): string | undefined;
  _get(key: string): unknown;
  _set(fields: object): unknown;
  _setOrThrow(fields: object): void;
  _commit(fields: Attributes): void;
}

export async function signUp<T extends SignInUser>(
  user: T,
  attributes: object = {},
  options: SaveOptions = {},
): Promise<T> {
  user._setOrThrow(attributes);
  if (!user._get("username")) throw validationError("Cannot sign up user with an empty username.");
  if (!user._get("password")) throw validationError("Cannot sign up user with an empty password.");
  await user.save(null, options);
  return makeCurrent(user);
}

export async function logIn<T extends SignInUser>(
  user: T,
  { usePost = true, authData, ...rest }: LogInOptions = {},
): Promise<T> {
  const credentials: JsonObject = credentialsOf(user._get("username"), user._get("password"));
  if (authData) credentials.authData = authData;
  const response = await requestObject(usePost ? "POST" : "GET", "login", credentials, rest);
  user._state.dropOperations(Object.keys(credentials));
  user.id = undefined;
  user._finishFetch(response, true);
  return makeCurrent(user);
}

/** Validates the types of name and password. */
export async function logInAs<T extends SignInUser>(
  user: T,
  username: unknown,
  password: unknown,
  options?: LogInOptions,
): Promise<T> {
  user._set(credentialsOf(username, password));
  return logIn(user, options);
}

export function logInWithAuth<T extends SignInUser>(
  user: T,
  username: unknown,
  password: unknown,
  authData: unknown,
  options?: LogInOptions,
): Promise<T> {
  if (!isJsonObject(authData)) throw validationError("Auth must be an object.");
  return logInAs(user, username, password, { ...options, authData });
}

export async function logInOrSignUp<T extends SignInUser>(
  users: UserClass<T>,
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

export async function loginAs<T extends SignInUser>(user: T, userId: string): Promise<T> {
  if (!userId) {
    throw new ProtocolError(ErrorCode.USERNAME_MISSING, "Cannot log in as user with an empty user id");
  }
  user._finishFetch(await requestObject("POST", "loginAs", { userId }, { useMasterKey: true }));
  return makeCurrent(user);
}

export async function fetchMe<T extends SignInUser>(
  user: T,
  sessionToken: string,
  options?: RequestOptions,
): Promise<T> {
  const response = await requestObject("GET", "users/me", {}, { ...options, sessionToken });
  user._finishFetch({ sessionToken, ...response });
  return user;
}

export async function hydrate<T extends SignInUser>(user: T, json: JsonObject): Promise<T> {
  user._finishFetch(mapFields(json, deepCopy));
  return makeCurrent(user);
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
  if (user && own && isAnonymous(user)) await deleteStoredUser(user);
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

export async function link<T extends SignInUser>(
  user: T,
  provider: string | AuthProvider,
  authOptions: { authData?: AuthData } = {},
  options?: SaveOptions,
): Promise<T> {
  const name = providerName(provider);
  const authData = authOptions.authData ?? (await requestAuthData(provider));
  await setAuthData(user, { ...asObject(user._get("authData")), [name]: authData }, options);
  return makeCurrent(user);
}

export async function unlink<T extends SignInUser>(
  user: T,
  provider: string | AuthProvider,
  options?: SaveOptions,
): Promise<T> {
  const name = providerName(provider);
  const { [name]: _, ...rest } = asObject(user._get("authData"));
  await setAuthData(user, { [name]: null }, options);
  user._commit({ authData: rest });
  await user._afterSync();
  return user;
}

async function setAuthData(user: SignInUser, authData: JsonObject, options?: SaveOptions): Promise<void> {
  user._set({ authData });
  try {
    await user.save(null, options);
  } catch (error) {
    user._state.dropOperations(["authData"]);
    throw error;
  }
}

export async function registerAuthProvider<T extends SignInUser>(
  provider: AuthProvider,
  users: UserClass<T>,
): Promise<void> {
  registerProvider(provider);
  const user = await users.currentAsync();
  if (user) await restoreAuthentication(user, provider);
}

/** Passes the current auth data to a provider, and unlinks it if the provider rejects the data. */
async function restoreAuthentication(user: SignInUser, provider: AuthProvider): Promise<void> {
  const own = asObject(user._get("authData"))[provider.getAuthType()];
  if (isJsonObject(own) && provider.restoreAuthentication?.(own) === false) await unlink(user, provider);
}

export async function upgradeSession(user: SignInUser, options?: RequestOptions): Promise<void> {
  const sessionToken = user.getSessionToken();
  if (!sessionToken) {
    throw new ProtocolError(ErrorCode.SESSION_MISSING, "Cannot upgrade a user with no session token");
  }
  const session = await requestObject("POST", "upgradeToRevocableSession", {}, { ...options, sessionToken });
  user._commit({ sessionToken: session.sessionToken });
  await user._afterSync();
}

/** Upgrades the current user's session if it is a legacy one. */
export async function upgradeCurrent<T extends SignInUser>(
  users: UserClass<T>,
  options?: RequestOptions,
): Promise<void> {
  const user = currentConnection() ? await users.currentAsync() : null;
  const token = user?.getSessionToken();
  if (user && token && !token.includes("r:")) await upgradeSession(user, options);
}

/**
 * Makes a user with a session the current one, if this process has one. Deletes a previous anonymous user, who cannot
 * sign in again. A sign-up gives no session if the email address must be verified first: then nothing changes.
 */
export async function makeCurrent<T extends PersistedUser>(user: T): Promise<T> {
  if (!connection().tracksCurrentUser) return user;
  const before = await loadStoredUser();
  if (before?.objectId !== user.id && !user.getSessionToken()) return user;
  if (before && before.objectId !== user.id && isAnonymous(before)) await deleteStoredUser(before);
  await persist(user);
  return user;
}

function isAnonymous({ authData }: { authData?: unknown }): boolean {
  return isJsonObject(authData) && Boolean(authData.anonymous);
}

/** Deletes the account of a stored user on the server. */
async function deleteStoredUser({ objectId, sessionToken }: JsonObject): Promise<void> {
  const options = typeof sessionToken === "string" ? { sessionToken } : {};
  await request("DELETE", pathOf("classes", "_User", String(objectId)), {}, options);
}

function credentialsOf(username: unknown, password: unknown): { username: string; password: string } {
  if (typeof username !== "string") throw validationError("Username must be a string.");
  if (typeof password !== "string") throw validationError("Password must be a string.");
  return { username, password };
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function validationError(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}
