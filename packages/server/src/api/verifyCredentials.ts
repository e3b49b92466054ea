import { ErrorCode, ProtocolError } from "@purse/protocol";
import { ANONYMOUS, type AuthContext } from "../core/authContext.ts";
import type { Envelope } from "../core/http/envelope.ts";
import type { VerifyMasterKey } from "../core/http/masterKey.ts";
import { UnauthorizedError } from "../core/unauthorizedError.ts";

export interface CredentialDependencies {
  verifyMasterKey: VerifyMasterKey;
  verifyMaintenanceKey: VerifyMasterKey;
  authenticateSession(sessionToken: string): Promise<AuthContext>;
  /** The sender of a session that was authenticated a moment ago, without waiting; undefined for all others. */
  knownSession(sessionToken: string): AuthContext | undefined;
}

/**
 * Returns the sender of a request, without waiting if it is known. Throws or rejects with 119 for a wrong key and with
 * 209 for an invalid session, unless a route handles requests with ended sessions as anonymous.
 */
export type VerifyCredentials = (
  envelope: Pick<Envelope, "masterKey" | "maintenanceKey" | "sessionToken">,
  ip: string,
  acceptsEndedSession: boolean,
) => AuthContext | Promise<AuthContext>;

export function createVerifyCredentials(dependencies: CredentialDependencies): VerifyCredentials {
  return ({ masterKey, maintenanceKey, sessionToken }, ip, acceptsEndedSession) => {
    if (masterKey !== undefined || maintenanceKey !== undefined) {
      const auth =
        maintenanceKey === undefined
          ? dependencies.verifyMasterKey(masterKey ?? "", ip)
          : dependencies.verifyMaintenanceKey(maintenanceKey, ip);
      if (!auth) throw new UnauthorizedError("masterKey");
      return auth;
    }
    if (sessionToken === undefined) return ANONYMOUS;
    const known = dependencies.knownSession(sessionToken);
    if (known) return known;
    const authenticated = dependencies.authenticateSession(sessionToken);
    return acceptsEndedSession ? authenticated.catch(anonymousIfEnded) : authenticated;
  };
}

function anonymousIfEnded(error: unknown): AuthContext {
  if (error instanceof ProtocolError && error.code === ErrorCode.INVALID_SESSION_TOKEN) return ANONYMOUS;
  throw error;
}
