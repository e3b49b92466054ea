import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { SaveOptions } from "../object/callOptions.ts";
import { isPlainObject } from "../object/encode.ts";
import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import { loadStoredUser, storedUser } from "../storedUser.ts";
import type { RequestOptions } from "../transport.ts";
import { type AuthData, type AuthProvider, type LogInOptions, providerName } from "./authProviders.ts";

/** Fields of every user. `accounts` are lowercase addresses, `ethAddress` the first or current one. */
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

/** The sign-in code is loaded on first use. */
export const signing = () => import("./signIn.ts");

/** The instance methods of a user. The current user and the static methods are in User. */
export class Account<A extends object> extends ParseObject<UserAttributes & A> {
  constructor(attributes?: Partial<UserAttributes & A>) {
    super("_User", attributes);
  }

  get sessionToken(): string | undefined {
    return this.getSessionToken();
  }

  getUsername(): string | undefined {
    return stringField(this._get("username"));
  }

  setUsername(username: string): void {
    this.stripAnonymity();
    this._set({ username });
  }

  /** Removes the anonymous auth data; the next save sends the change. */
  stripAnonymity(): void {
    const authData = this._get("authData");
    if (isPlainObject(authData) && "anonymous" in authData) this.restoreAnonimity(null);
  }

  /** Restores it when linking the account failed. The spelling is that of the Parse SDKs. */
  restoreAnonimity(anonymous: AuthData | null | undefined): void {
    const authData = this._get("authData");
    if (anonymous !== undefined)
      this._set({ authData: { ...(isPlainObject(authData) && authData), anonymous } });
  }

  setPassword(password: string): void {
    this._set({ password });
  }

  getEmail(): string | undefined {
    return stringField(this._get("email"));
  }

  setEmail(email: string): this | false {
    return this._set({ email });
  }

  getSessionToken(): string | undefined {
    return stringField(this._get("sessionToken"));
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

  /**
   * Creates the account and signs in, unless the server gives no session because the email address must be verified
   * first (`getSessionToken()` is undefined). Throws −1 for an empty name or password, 202 or 203 if name or email
   * is taken.
   */
  async signUp(attributes?: Partial<UserAttributes & A>, options?: SaveOptions): Promise<this> {
    return (await signing()).signUp(this, attributes, options);
  }

  /** Signs in with the username and password of this user. Throws 101 if they are wrong. */
  async logIn(options?: LogInOptions): Promise<this> {
    return (await signing()).logIn(this, options);
  }

  /** Signs in, or links the signed-in user, with a provider's auth data. Returns the user. */
  async linkWith(
    provider: string | AuthProvider,
    authOptions?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<this> {
    return (await signing()).link(this, provider, authOptions, options);
  }

  _linkWith(
    provider: string | AuthProvider,
    authOptions?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<this> {
    return this.linkWith(provider, authOptions, options);
  }

  /** Unlinks a provider from this user. */
  async _unlinkFrom(provider: string | AuthProvider, options?: SaveOptions): Promise<this> {
    return (await signing()).unlink(this, provider, options);
  }

  _isLinked(provider: string | AuthProvider): boolean {
    const authData = this._get("authData");
    return isJsonObject(authData) && Boolean(authData[providerName(provider)]);
  }

  /** Verifies the user's password on the server. */
  async verifyPassword(password: string, options?: RequestOptions): Promise<ParseObject> {
    const user = ParseObject.fromJSON({ className: "_User" });
    return (await signing()).verifyPassword(user, this.getUsername() ?? "", password, options);
  }

  /** Exchanges a legacy session for a revocable one. Throws 206 without a session. */
  async _upgradeToRevocableSession(options?: RequestOptions): Promise<void> {
    await (await signing()).upgradeSession(this, options);
  }

  override toJSON(seen?: readonly ParseObject<object>[]): JsonObject {
    const { password: _, ...json } = super.toJSON(seen);
    return json;
  }

  override _preserved(): Attributes {
    const sessionToken = this.getSessionToken();
    return sessionToken ? { sessionToken } : {};
  }

  override _finishSave(answer: JsonValue, status: number): void {
    super._finishSave(answer, status);
    // The password is not kept after it was sent.
    this._forget("password");
  }

  override async _afterSync(): Promise<void> {
    if (this.isCurrent()) await (await signing()).persistChanges(this);
  }

  override async _afterDestroy(): Promise<void> {
    if (this.isCurrent()) await (await signing()).clearCurrent();
  }
}

function stringField(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
