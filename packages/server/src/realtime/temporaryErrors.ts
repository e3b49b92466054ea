import { ProtocolError } from "@purse/protocol";

/** The close code after which clients connect again later and resume. */
export const CLOSE_TRY_AGAIN = 1013;
/** The reason that is given with it. */
export const TRY_AGAIN = "try again later";

const SERVICE_UNAVAILABLE = 503;

/**
 * Whether an error is temporary, because the database cannot be reached, for example. As clients end subscriptions that
 * are answered with an error, the socket is closed instead: clients connect again and repeat everything.
 */
export function isTemporary(error: unknown): boolean {
  return error instanceof ProtocolError && error.status === SERVICE_UNAVAILABLE;
}
