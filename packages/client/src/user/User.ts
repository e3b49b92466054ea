import type { JsonObject } from "@purse/protocol";
import { configure } from "../connection.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { type Attributes, addMembers, type ExtendedClass, ParseObject } from "../object/ParseObject.ts";
import { allowCustomUserClass } from "../object/registry.ts";
import { loadStoredUser, storedUser } from "../storedUser.ts";
import { type RequestOptions, request } from "../transport.ts";
import { Account, signing, type UserAttributes } from "./Account.ts";
import type { AuthData, AuthProvider, LogInOptions } from "./authProviders.ts";
import { userFor } from "./currentUser.ts";

export type { UserAttributes } from "./Account.ts";
export type { AuthData, AuthProvider, LogInOptions } from "./authProviders.ts";

/** A user account. `A` is the type of the application's own fields. */
export class User<A extends object = Attributes> extends Account<A> {
  static readonly className: string = "_User";

  /** The signed-in user, or null. Throws with an async storage, which needs `currentAsync`. */
  static current(): User | null {
    const json = storedUser();
    if (json === undefined) {
      throw new Error("User.current() cannot wait for an async storage: use currentAsync()");
    }
    return asUser(userFor(json));
  }

  static async currentAsync(): Promise<User | null> {
    return asUser(userFor(await loadStoredUser()));
  }

  /** Adds methods to all users, and statics to the class. */
  static override extend(
    prototype: object | string = {},
    statics: object = {},
    moreStatics: object = {},
  ): ExtendedClass {
    if (typeof prototype === "string") return ParseObject.extend(prototype, statics, moreStatics);
    addMembers(User.prototype, prototype);
    addMembers(User, statics);
    return User;
  }

  /** Allows the application a class "User" of its own, separate from `_User`. */
  static allowCustomUserClass(isAllowed: boolean): void {
    allowCustomUserClass(isAllowed);
  }

  static async signUp(
    username: string,
    password: string,
    attributes?: Partial<UserAttributes> & Attributes,
    options?: SaveOptions,
  ): Promise<User> {
    return new this({ ...attributes, username, password }).signUp(undefined, options);
  }

  static async logIn(username: string, password: string, options?: LogInOptions): Promise<User> {
    return (await signing()).logInAs(new this(), username, password, options);
  }

  /** Signs in with a password and another provider's auth data, as a one-time code: `{ mfa: { token } }`. */
  static async logInWithAdditionalAuth(
    username: string,
    password: string,
    authData: AuthData,
    options?: LogInOptions,
  ): Promise<User> {
    return (await signing()).logInWithAuth(new this(), username, password, authData, options);
  }

  /** Signs in as another user. Needs the master key. */
  static async loginAs(userId: string): Promise<User> {
    return (await signing()).loginAs(new this(), userId);
  }

  /** Signs in; creates the account if it does not exist (101). */
  static async loginOrSignup(username: string, password: string, options?: LogInOptions): Promise<User> {
    return (await signing()).logInOrSignUp(this, username, password, options);
  }

  /** Signs in, or creates an account, with a provider's auth data: `logInWith("moralisEth", {authData})`. */
  static async logInWith(
    provider: string | AuthProvider,
    authOptions?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<User> {
    return new this().linkWith(provider, authOptions, options);
  }

  static _logInWith(
    provider: string | AuthProvider,
    authOptions?: { authData?: AuthData },
    options?: SaveOptions,
  ): Promise<User> {
    return this.logInWith(provider, authOptions, options);
  }

  /** Signs in with a session token. Throws 209 if it is invalid. */
  static async become(sessionToken: string, options?: RequestOptions): Promise<User> {
    return (await signing()).makeCurrent(await this.me(sessionToken, options));
  }

  /** Returns the user of a session token, without signing in. */
  static async me(sessionToken: string, options?: RequestOptions): Promise<User> {
    return (await signing()).fetchMe(new this(), sessionToken, options);
  }

  /** Signs in with a user's JSON that includes a `sessionToken`. */
  static async hydrate(json: JsonObject): Promise<User> {
    return (await signing()).hydrate(new this(), json);
  }

  /**
   * Ends the session. If the server does not confirm it, the user stays signed in and the
   * promise rejects.
   */
  static async logOut(options?: RequestOptions): Promise<void> {
    await (await signing()).logOut(options);
  }

  /** Registers a provider, and passes it the current user's auth data. */
  static async _registerAuthenticationProvider(provider: AuthProvider): Promise<void> {
    await (await signing()).registerAuthProvider(provider, User);
  }

  static async requestPasswordReset(email: string, options?: RequestOptions): Promise<void> {
    await request("POST", "requestPasswordReset", { email }, options);
  }

  static async requestEmailVerification(email: string, options?: RequestOptions): Promise<void> {
    await request("POST", "verificationEmailRequest", { email }, options);
  }

  static async verifyPassword(username: string, password: string, options?: RequestOptions): Promise<User> {
    return (await signing()).verifyPassword(new this(), username, password, options);
  }

  /** Uses revocable sessions from now on; upgrades the current user's legacy session. */
  static async enableRevocableSession(options?: RequestOptions): Promise<void> {
    configure({ revocableSession: true });
    await (await signing()).upgradeCurrent(User, options);
  }

  /** Enables a current user outside the browser, which all callers of the process then share. */
  static enableUnsafeCurrentUser(): void {
    configure({ tracksCurrentUser: true });
  }

  static disableUnsafeCurrentUser(): void {
    configure({ tracksCurrentUser: false });
  }

  static readOnlyAttributes(): string[] {
    return ["sessionToken"];
  }
}

function asUser(user: object | null): User | null {
  if (user === null || user instanceof User) return user;
  throw new Error("The class of _User must extend User");
}
