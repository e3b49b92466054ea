import type { AuthContext } from "../core/authContext.ts";

/**
 * Whether a client sees the credentials of users that are stored for the compatibility with Parse Server: session
 * tokens and authData. A read-only key must not obtain a token that can write, and operators have separate roles.
 */
export function seesSecrets(auth: AuthContext): boolean {
  return auth.kind === "master" && !auth.readOnly && !auth.operator;
}
