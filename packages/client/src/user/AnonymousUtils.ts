import { uuid } from "../identity.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { User } from "./User.ts";

const PROVIDER = "anonymous";

/** Accounts without name or password; they last until somebody signs up with them or out of them. */
export const AnonymousUtils = {
  isLinked(user: User): boolean {
    return user._isLinked(PROVIDER);
  },

  /** Whether it can be used: always, as it needs nothing to be set up. */
  isRegistered: (): boolean => true,

  logIn(options?: SaveOptions): Promise<User> {
    return User.logInWith(PROVIDER, { authData: { id: uuid() } }, options);
  },

  link(user: User, options?: SaveOptions): Promise<User> {
    return user.linkWith(PROVIDER, { authData: { id: uuid() } }, options);
  },
};
