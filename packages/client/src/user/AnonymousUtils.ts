import type { SaveOptions } from "../object/callOptions.ts";
import { uuid } from "../uuid.ts";
import { User } from "./User.ts";

const PROVIDER = "anonymous";

/** Accounts without name or password; they exist until the user signs up or signs out. */
export const AnonymousUtils = {
  isLinked(user: User): boolean {
    return user._isLinked(PROVIDER);
  },

  /** Always true: no setup is needed. */
  isRegistered: (): boolean => true,

  logIn(options?: SaveOptions): Promise<User> {
    return User.logInWith(PROVIDER, { authData: { id: uuid() } }, options);
  },

  link(user: User, options?: SaveOptions): Promise<User> {
    return user.linkWith(PROVIDER, { authData: { id: uuid() } }, options);
  },
};
