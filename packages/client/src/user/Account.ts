import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { loadStoredUser, storedUser } from "../identity.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { isPlainObject } from "../object/encode.ts";
import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import { type RequestOptions, requestObject } from "../transport.ts";
import { type AuthData, type AuthProvider, identify, providerName } from "./authProviders.ts";
import { clearCurrent, makeCurrent, persist } from "./currentUser.ts";

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

export interface LogInOptions extends RequestOptions {
  /** False sends the log-in as a GET. */
  usePost?: boolean;
  /** What other providers ask for beside the password. */
  authData?: AuthData;
}

/** One user: what can be asked of it. Who is signed in, and signing in and up, is told by User. */
export class Account<A extends object> extends ParseObject<UserAttributes & A> {
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
    this.stripAnonymity();
    this._set({ username });
  }

  /** Takes away what makes the account anonymous; the next save tells the server. */
  stripAnonymity(): void {
    const authData = this._get("authData");
    if (isPlainObject(authData) && "anonymous" in authData)
      this._set({ authData: { ...authData, anonymous: null } });
  }

  /** Gives it back, when linking the account failed. The name is spelt as the Parse SDKs spell it. */
  restoreAnonimity(anonymousData: AuthData | undefined): void {
    const authData = this._get("authData");
    if (anonymousData)
      this._set({ authData: { ...(isPlainObject(authData) && authData), anonymous: anonymousData } });
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

  /** Like `isCurrent`, also with an async storage. */
  async isCurrentAsync(): Promise<boolean> {
    return this.id !== undefined && (await loadStoredUser())?.objectId === this.id;
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
    const { usePost = true, authData, ...rest } = options;
    const credentials: JsonObject = credentialsOf(this._get("username"), this._get("password"));
    if (authData) credentials.authData = authData;
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
    const name = providerName(provider);
    const authData = given.authData ?? (await identify(provider));
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
    const name = providerName(provider);
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
    return isJsonObject(authData) && Boolean(authData[providerName(provider)]);
  }

  _revertField(key: string): void {
    super.revert(...([key] as Parameters<ParseObject<UserAttributes & A>["revert"]>));
  }

  /** Asks the server whether the password is this user's. */
  async verifyPassword(password: string, options: RequestOptions = {}): Promise<ParseObject> {
    const answer = await verifyCredentials(this.getUsername() ?? "", password, options);
    return ParseObject.fromJSON({ ...answer, className: "_User" });
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
}

/** The account's fields, when name and password are right. Throws 101 when they are not. */
export function verifyCredentials(
  username: string,
  password: string,
  options: RequestOptions,
): Promise<JsonObject> {
  return requestObject("GET", "verifyPassword", credentialsOf(username, password), options);
}

export function credentialsOf(username: unknown, password: unknown): { username: string; password: string } {
  if (typeof username !== "string") throw refusal("Username must be a string.");
  if (typeof password !== "string") throw refusal("Password must be a string.");
  return { username, password };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function refusal(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}
