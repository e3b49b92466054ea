/** Which cached sessions are invalid: those of a user, one session, or all if neither is given. `except` stays valid. */
export interface SessionInvalidation {
  userId?: string;
  sessionId?: string;
  except?: string | undefined;
}

declare module "../core/eventBus.ts" {
  interface ServerEvents {
    /** Sessions that may have ended. */
    "session.revoked": SessionInvalidation;
  }
}
