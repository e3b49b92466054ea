import type { AuthContext } from "../core/authContext.ts";

/**
 * Whether a client sees the credentials of users that are stored for the compatibility with Parse Server: session tokens
 * and authData. A key that may only read must not get a token that writes, and operators have roles of their own.
 */
export function seesSecrets(auth: AuthContext): boolean {
  return auth.kind === "master" && !auth.readOnly && !auth.operator;
}
