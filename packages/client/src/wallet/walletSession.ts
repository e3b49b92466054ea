import { ACL } from "../object/ACL.ts";
import { request } from "../transport.ts";
import type { AuthData } from "../user/authProviders.ts";
import { User } from "../user/User.ts";
import { ignoreProtocolError } from "./signingMessage.ts";
import type { SigningOptions } from "./signingOptions.ts";

/** Signing in needs no session, and an expired one would be rejected. */
export const WITHOUT_SESSION = { sessionToken: "" };

export async function currentUser(): Promise<User> {
  const user = await User.currentAsync();
  if (!user) throw new Error("Could not get user");
  return user;
}

/** Ends the current session, or returns the token of the one that ends after the next sign-in. */
export async function leaveSession({ keepSession }: SigningOptions): Promise<string | undefined> {
  const user = await User.currentAsync();
  // Read now: if the same user signs in again, the object gets the new session token.
  const sessionToken = user?.getSessionToken();
  if (keepSession) return sessionToken;
  if (user) await User.logOut();
  return undefined;
}

/** Signs in with what proves that an account is the user's, and ends the previous session. */
export async function signInWith(
  provider: string,
  authData: AuthData,
  previousSession: string | undefined,
  { oneTimeCode }: SigningOptions,
): Promise<User> {
  const user = new User(oneTimeCode ? { authData: { mfa: { token: oneTimeCode } } } : {});
  await user.linkWith(provider, { authData }, WITHOUT_SESSION);
  // It may have expired already.
  if (previousSession)
    await request("POST", "logout", {}, { sessionToken: previousSession }).catch(ignoreProtocolError);
  user.setACL(new ACL(user));
  return user;
}
