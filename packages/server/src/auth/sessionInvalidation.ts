import type { Store } from "../database/store.ts";

/** Which cached sessions are invalid: those of a user, one session, or all if neither is given. `except` stays valid. */
export interface SessionInvalidation {
  userId?: string;
  sessionId?: string;
  except?: string | undefined;
}

/** Prefix of the messages between processes; the rest is a SessionInvalidation as JSON. */
const MESSAGE_PREFIX = "sessions:";

/** Tells the other processes which sessions are invalid. */
export function publishInvalidation(
  store: Pick<Store, "publish">,
  invalidation: SessionInvalidation,
): Promise<void> {
  return store.publish(MESSAGE_PREFIX + JSON.stringify(invalidation));
}

/** Returns what a message between processes invalidates; undefined if it is about something else. */
export function parseInvalidation(message: string): SessionInvalidation | undefined {
  if (!message.startsWith(MESSAGE_PREFIX)) return undefined;
  const invalidation: SessionInvalidation = JSON.parse(message.slice(MESSAGE_PREFIX.length));
  return invalidation;
}

declare module "../core/eventBus.ts" {
  interface ServerEvents {
    /** Sessions that may have ended. */
    "session.revoked": SessionInvalidation;
  }
}
