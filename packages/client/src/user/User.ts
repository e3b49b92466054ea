import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { configure, connection } from "../connection.ts";
import { loadStoredUser, storedUser, storeUser } from "../identity.ts";
import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import type { SaveOptions } from "../object/saving.ts";
import { type RequestOptions, request, requestObject } from "../transport.ts";

/** Fields of every user. `accounts` are lower-case addresses, `ethAddress` the first or current of them. */
export interface UserAttributes {
  username: string;
  password: string;
  email: string;
  emailVerified: boolean;
  sessionToken: string;
  authData: Record<string, AuthData | null>;
  accounts: string[];
  ethAddress: string;
}

/** What a provider of identities knows about a user: for wallets `{id, signature, data}`. */
export type AuthData = JsonObject;

/** A provider that signs in by itself, in the old callback style. */
export interface AuthProvider {
  getAuthType(): string;
  authenticate(callbacks: {
    success(provider: AuthProvider, authData: AuthData): void;
    error(provider: AuthProvider, error: unknown): void;
  }): void;
  restoreAuthentication?(authData: AuthData | null): boolean;
  deauthenticate?(): void;
}

export interface LogInOptions extends RequestOptions {
  /** False sends the log-in as a GET. */
  usePost?: boolean;
}

const logOutHooks = new Set<() => void | Promise<void>>();

/** Runs before every log-out; the wallet is put away so. Returns the way to take it back. */
export function beforeLogOut(hook: () => void | Promise<void>): () => void {
  logOutHooks.add(hook);
  return () => void logOutHooks.delete(hook);
}

/** The instance that stands for the stored user, as long as the stored user stays the same. */
let current: { json: JsonObject; user: User } | undefined;

/** A person with an account. `A` are the application's own fields. */
export class User<A extends object = Attributes> extends ParseObject<UserAttributes & A> {
  constructor(attributes?: Partial<UserAttributes & A>) {
    super("_User", attributes);
  }

  get sessionToken(): string | undefined {
    return this.getSessionToken();
  }

  getUsername(): string | undefined {
    return textOf(this._get("username"));
  }

  setUsername(username: string): void {
    const authData = this._get("authData");
    if (isJsonObject(authData) && "anonymous" in authData)
      this._set({ authData: { ...authData, anonymous: null } });
    this._set({ username });
  }

  setPassword(password: string): void {
    this._set({ password });
  }

  getEmail(): string | undefined {
    return textOf(this._get("email"));
  }

  setEmail(email: string): this | false {
    return this._set({ email });
  }

  getSessionToken(): string | undefined {
    return textOf(this._get("sessionToken"));
  }

  /** Whether this is the current user and has a session. */
  authenticated(): boolean {
    return this.getSessionToken() !== undefined && this.isCurrent();
  }

  isCurrent(): boolean {
    return this.id !== undefined && storedUser()?.objectId === this.id;
  }

  /** Makes the account and signs in. Throws −1 for an empty name or password, 202 or 203 for taken ones. */
  async signUp(attributes: Partial<UserAttributes & A> = {}, options: SaveOptions = {}): Promise<this> {
    this._setOrThrow(attributes);
    if (!this._get("username")) throw refusal("Cannot sign up user with an empty username.");
    if (!this._get("password")) throw refusal("Cannot sign up user with an empty password.");
    await this.save(null, options);
    return makeCurrent(this);
  }

  /** Signs in with the username and password set on this user. Throws 101 when they are wrong. */
  async logIn(options: LogInOptions = {}): Promise<this> {
    const { usePost = true, ...rest } = options;
    const credentials = credentialsOf(this._get("username"), this._get("password"));
    const answer = await requestObject(usePost ? "POST" : "GET", "login", credentials, rest);
    this.revert();
    this.id = undefined;
    this._finishFetch(answer, true);
    return makeCurrent(this);
  }

  /** Signs in, or links the signed-in user, with what a provider knows. Answers the user. */
  async linkWith(
    provider: string | AuthProvider,
    given: { authData?: AuthData } = {},
    options: SaveOptions = {},
  ): Promise<this> {
    const name = typeof provider === "string" ? provider : provider.getAuthType();
    const authData = given.authData ?? (typeof provider === "string" ? {} : await authenticateWith(provider));
    const known = this._get("authData");
    this._set({ authData: { ...(isJsonObject(known) ? known : {}), [name]: authData } });
    try {
      await this.save(null, options);
    } catch (error) {
      this._revertField("authData");
      throw error;
    }
    return makeCurrent(this);
  }

  _linkWith(
    provider: string | AuthProvider,
    given?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<this> {
    return this.linkWith(provider, given, options);
  }

  /** Takes a provider's identity away from this user. */
  async _unlinkFrom(provider: string | AuthProvider, options: SaveOptions = {}): Promise<this> {
    const name = typeof provider === "string" ? provider : provider.getAuthType();
    const known = this._get("authData");
    this._set({ authData: { [name]: null } });
    try {
      await this.save(null, options);
    } catch (error) {
      this._revertField("authData");
      throw error;
    }
    const { [name]: _, ...rest } = isJsonObject(known) ? known : {};
    this._commit({ authData: rest });
    await this._afterSync();
    return this;
  }

  _isLinked(provider: string | AuthProvider): boolean {
    const authData = this._get("authData");
    return (
      isJsonObject(authData) &&
      Boolean(authData[typeof provider === "string" ? provider : provider.getAuthType()])
    );
  }

  _revertField(key: string): void {
    super.revert(...([key] as Parameters<ParseObject<UserAttributes & A>["revert"]>));
  }

  /** Asks the server whether the password is this user's. */
  verifyPassword(password: string, options: RequestOptions = {}): Promise<User> {
    return User.verifyPassword(this.getUsername() ?? "", password, options);
  }

  /** Exchanges an old session for one that can be revoked. Throws 206 without a session. */
  async _upgradeToRevocableSession(options: RequestOptions = {}): Promise<void> {
    const token = this.getSessionToken();
    if (!token) {
      throw new ProtocolError(ErrorCode.SESSION_MISSING, "Cannot upgrade a user with no session token");
    }
    const session = await requestObject(
      "POST",
      "upgradeToRevocableSession",
      {},
      { ...options, sessionToken: token },
    );
    this._commit({ sessionToken: session.sessionToken });
    await this._afterSync();
  }

  override toJSON(seen?: readonly ParseObject<object>[]): JsonObject {
    const { password: _, ...json } = super.toJSON(seen);
    return json;
  }

  override _readOnlyAttributes(): readonly string[] {
    return ["sessionToken"];
  }

  override _keptOnFetch(): Attributes {
    const sessionToken = this.getSessionToken();
    return sessionToken ? { sessionToken } : {};
  }

  override _finishSave(answer: JsonValue, status: number): void {
    super._finishSave(answer, status);
    // The password was sent; from here on only the server knows it.
    this._forget("password");
  }

  override async _afterSync(): Promise<void> {
    if (this.isCurrent()) await persist(this);
  }

  override async _afterDestroy(): Promise<void> {
    if (this.isCurrent()) await clearCurrent();
  }

  /** The signed-in user, or null. Throws with an async storage: use `currentAsync` there. */
  static current(): User | null {
    const json = storedUser();
    if (json === undefined) {
      throw new Error(
        "Cannot call currentUser() when using a platform with an async storage system. Call currentUserAsync() instead.",
      );
    }
    return userFor(json);
  }

  static async currentAsync(): Promise<User | null> {
    return userFor(await loadStoredUser());
  }

  static async signUp(
    username: string,
    password: string,
    attributes: Partial<UserAttributes> & Attributes = {},
    options: SaveOptions = {},
  ): Promise<User> {
    return new User({ ...attributes, username, password }).signUp({}, options);
  }

  static async logIn(username: string, password: string, options: LogInOptions = {}): Promise<User> {
    const { username: name, password: secret } = credentialsOf(username, password);
    return new User({ username: name, password: secret }).logIn(options);
  }

  /** Signs in, and when there is no such account (101) makes it. */
  static async loginOrSignup(username: string, password: string, options: LogInOptions = {}): Promise<User> {
    try {
      return await User.logIn(username, password, options);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== ErrorCode.OBJECT_NOT_FOUND) throw error;
      return User.signUp(username, password);
    }
  }

  /** Signs in, or makes an account, with what a provider knows: `logInWith("moralisEth", {authData})`. */
  static async logInWith(
    provider: string | AuthProvider,
    given: { authData?: AuthData } = {},
    options: SaveOptions = {},
  ): Promise<User> {
    return new User().linkWith(provider, given, options);
  }

  static _logInWith(
    provider: string | AuthProvider,
    given?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<User> {
    return User.logInWith(provider, given, options);
  }

  /** Signs in with a session token. Throws 209 when it is not valid. */
  static async become(sessionToken: string, options: RequestOptions = {}): Promise<User> {
    return makeCurrent(await User.me(sessionToken, options));
  }

  /** The user of a session token, without signing in. */
  static async me(sessionToken: string, options: RequestOptions = {}): Promise<User> {
    const answer = await requestObject("GET", "users/me", {}, { ...options, sessionToken });
    const user = new User();
    user._finishFetch({ sessionToken, ...answer });
    return user;
  }

  /** Signs in with a user's JSON that came another way, with its `sessionToken`. */
  static async hydrate(json: JsonObject): Promise<User> {
    const user = new User();
    user._finishFetch(json);
    return makeCurrent(user);
  }

  /**
   * Ends the session. When the server does not confirm it, the user stays signed in and the
   * promise rejects.
   */
  static async logOut(options: RequestOptions = {}): Promise<void> {
    for (const hook of [...logOutHooks]) await hook();
    const user = await User.currentAsync();
    const sessionToken = options.sessionToken ?? user?.getSessionToken();
    if (sessionToken) await request("POST", "logout", {}, { ...options, sessionToken });
    await clearCurrent();
  }

  static async requestPasswordReset(email: string, options: RequestOptions = {}): Promise<void> {
    await request("POST", "requestPasswordReset", { email }, options);
  }

  static async requestEmailVerification(email: string, options: RequestOptions = {}): Promise<void> {
    await request("POST", "verificationEmailRequest", { email }, options);
  }

  static async verifyPassword(
    username: string,
    password: string,
    options: RequestOptions = {},
  ): Promise<User> {
    const answer = await requestObject("GET", "verifyPassword", credentialsOf(username, password), options);
    const user = new User();
    user._finishFetch(answer);
    return user;
  }

  static enableRevocableSession(): void {
    configure({ revocableSession: true });
  }

  /** Lets a process outside the browser have a current user, which all its callers then share. */
  static enableUnsafeCurrentUser(): void {
    configure({ keepsCurrentUser: true });
  }

  static disableUnsafeCurrentUser(): void {
    configure({ keepsCurrentUser: false });
  }

  static readOnlyAttributes(): string[] {
    return ["sessionToken"];
  }
}

function userFor(json: JsonObject | null): User | null {
  if (!json) return null;
  if (current?.json === json) return current.user;
  const user = ParseObject.fromJSON({ ...json, className: "_User" });
  if (!(user instanceof User)) throw new Error("The class registered for _User must extend User");
  current = { json, user };
  return user;
}

async function makeCurrent<T extends User<object>>(user: T): Promise<T> {
  if (connection().keepsCurrentUser) await persist(user);
  return user;
}

async function persist(user: User<object>): Promise<void> {
  const sessionToken = user.getSessionToken() ?? storedUser()?.sessionToken;
  const { __type: _, ...json } = user._toFullJSON();
  const stored: JsonObject = { ...json, className: "_User" };
  if (typeof sessionToken === "string") stored.sessionToken = sessionToken;
  if (user instanceof User) current = { json: stored, user };
  await storeUser(stored);
}

async function clearCurrent(): Promise<void> {
  current = undefined;
  await storeUser(null);
}

function authenticateWith(provider: AuthProvider): Promise<AuthData> {
  return new Promise((resolve, reject) => {
    provider.authenticate({
      success: (_, authData) => resolve(authData),
      error: (_, error) => reject(error),
    });
  });
}

function credentialsOf(username: unknown, password: unknown): { username: string; password: string } {
  if (typeof username !== "string") throw refusal("Username must be a string.");
  if (typeof password !== "string") throw refusal("Password must be a string.");
  return { username, password };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}
