import { ErrorCode, ProtocolError } from "@purse/protocol";
import pg from "pg";

/** Seconds after which a client should try again when the database cannot be reached. */
const RETRY_AFTER_S = 1;

/** The connection that a statement was sent on ended before its answer came. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The database cannot be reached, and nothing of the request was written: 503, code 100, which SDKs retry on. */
export class DatabaseUnavailable extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor() {
    super(ErrorCode.CONNECTION_FAILED, "The database cannot be reached. Try again.", 503);
  }
}

/** SQLSTATE codes that are the client's doing, or that the client should know of. */
const CLIENT_ERRORS: Readonly<Record<string, () => ProtocolError>> = {
  // invalid_regular_expression
  "2201B": () => new ProtocolError(ErrorCode.INVALID_QUERY, "bad $regex: it cannot be read"),
  // untranslatable_character, character_not_in_repertoire: NUL in a text
  "22P05": unstorableCharacter,
  "22021": unstorableCharacter,
  // invalid_text_representation: half of a surrogate pair in JSON
  "22P02": unstorableCharacter,
  // numeric_value_out_of_range: the sum of an increment
  "22003": () => new ProtocolError(ErrorCode.INCORRECT_TYPE, "A number is too large"),
  // program_limit_exceeded, statement_too_complex: an object or a query that is too large
  "54000": () => new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, "The object is too large"),
  "54001": () => new ProtocolError(ErrorCode.INVALID_QUERY, "The query is too complex"),
  // query_canceled, by the time limit
  "57014": () => new ProtocolError(ErrorCode.TIMEOUT, "The query took too long"),
  // lock_not_available: lock_timeout
  "55P03": () => new DatabaseBusy(),
};

/** Another transaction held what this one needed for too long (503). Nothing was written. */
export class DatabaseBusy extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor() {
    super(ErrorCode.TIMEOUT, "The database is busy: another transaction holds what this one needs.", 503);
  }
}

function unstorableCharacter(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "A text holds a character that cannot be stored");
}

/** The five characters by which the database names an error; undefined for errors that are not the database's. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** What a client is answered where the database refuses a statement; any other error as it is. */
export function asProtocolError(error: unknown): unknown {
  const state = sqlState(error);
  const known = state !== undefined && Object.hasOwn(CLIENT_ERRORS, state) ? CLIENT_ERRORS[state] : undefined;
  if (known) return known();
  return isConnectionLost(error) ? new DatabaseUnavailable() : error;
}

/**
 * SQLSTATE codes with which the server ends a session, or refuses to begin one for now: connection exceptions,
 * operator intervention, idle and transaction timeouts, a standby that cannot write, too many connections.
 */
const LOST = /^(08|57P|25P03|25P04|25006|53300|53400)/;

/** Whether the session is of no use any more: no statement that is sent on it can be answered. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  return LOST.test(sqlState(error) ?? "");
}

/** serialization_failure, deadlock_detected: the same transaction may succeed when it is run again. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}
