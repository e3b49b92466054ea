import pg from "pg";
import { IndexDatabaseError } from "./indexErrors.ts";

/** Classes of error codes of connections that the server has closed or does not accept. */
const CONNECTION_CODES = /^(?:08|57P)/;
/** Error codes of sockets. */
export const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);
/** The driver's messages of a connection that ended or does not respond, which have no code. */
const MESSAGES = /^(?:Connection terminated|Query read timeout|Client has encountered a connection error)/;

/** An IndexDatabaseError in the place of an error of the connection; other errors as they are. */
export function toIndexError(error: unknown): unknown {
  return isOfConnection(error) ? new IndexDatabaseError(error) : error;
}

function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCodeOf(error);
  if (error instanceof pg.DatabaseError) return CONNECTION_CODES.test(String(code));
  return SOCKET_CODES.has(code) || MESSAGES.test(error.message);
}

/** The code of an error of the database or of a socket; undefined if it has none. */
export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** How long to wait for what another process uses, before letting that process go first. */
export const LOCK_TIMEOUT = "500ms";
/** Error codes of a lock that was not available in time, and of a deadlock. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);

export function isLockError(error: unknown): boolean {
  return LOCK_ERRORS.has(errorCodeOf(error));
}

/** Error code of a table that does not exist: the index was dropped, or has taken the place of another. */
export const UNDEFINED_TABLE = "42P01";
