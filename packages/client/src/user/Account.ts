import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { loadStoredUser, storedUser } from "../identity.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { isPlainObject } from "../object/encode.ts";
import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import type { RequestOptions } from "../transport.ts";
import { type AuthData, type AuthProvider, type LogInOptions, providerName } from "./authProviders.ts";

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

/** Signing in and out is loaded when it is done for the first time. */
export const signing = () => import("./signing.ts");

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
    if (isPlainObject(authData) && "anonymous" in authData) this.restoreAnonimity(null);
  }

  /** Gives it back, when linking the account failed. The name is spelt as the Parse SDKs spell it. */
  restoreAnonimity(anonymous: AuthData | null | undefined): void {
    const authData = this._get("authData");
    if (anonymous !== undefined)
      this._set({ authData: { ...(isPlainObject(authData) && authData), anonymous } });
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
  async signUp(attributes?: Partial<UserAttributes & A>, options?: SaveOptions): Promise<this> {
    return (await signing()).signUp(this, attributes, options);
  }

  /** Signs in with the username and password set on this user. Throws 101 when they are wrong. */
  async logIn(options?: LogInOptions): Promise<this> {
    return (await signing()).logIn(this, options);
  }

  /** Signs in, or links the signed-in user, with what a provider knows. Answers the user. */
  async linkWith(
    provider: string | AuthProvider,
    given?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<this> {
    return (await signing()).link(this, provider, given, options);
  }

  _linkWith(
    provider: string | AuthProvider,
    given?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<this> {
    return this.linkWith(provider, given, options);
  }

  /** Takes a provider's identity away from this user. */
  async _unlinkFrom(provider: string | AuthProvider, options?: SaveOptions): Promise<this> {
    return (await signing()).unlink(this, provider, options);
  }

  _isLinked(provider: string | AuthProvider): boolean {
    const authData = this._get("authData");
    return isJsonObject(authData) && Boolean(authData[providerName(provider)]);
  }

  /** Asks the server whether the password is this user's. */
  async verifyPassword(password: string, options?: RequestOptions): Promise<ParseObject> {
    const user = ParseObject.fromJSON({ className: "_User" });
    return (await signing()).verifyPassword(user, this.getUsername() ?? "", password, options);
  }

  /** Exchanges an old session for one that can be revoked. Throws 206 without a session. */
  async _upgradeToRevocableSession(options?: RequestOptions): Promise<void> {
    await (await signing()).upgradeSession(this, options);
  }

  override toJSON(seen?: readonly ParseObject<object>[]): JsonObject {
    const { password: _, ...json } = super.toJSON(seen);
    return json;
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
    if (this.isCurrent()) await (await signing()).follow(this);
  }

  override async _afterDestroy(): Promise<void> {
    if (this.isCurrent()) await (await signing()).clearCurrent();
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
