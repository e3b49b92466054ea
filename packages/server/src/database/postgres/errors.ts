import { ErrorCode, ProtocolError, unstorableTextError } from "@purse/protocol";
import pg from "pg";

/** Seconds after which a client should retry if the database cannot be reached. */
const RETRY_AFTER_S = 1;

/** The connection was lost before the response to a statement arrived. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
}

/** A statement was not answered in time: the connection is dead, the server is frozen, or it works for too long. */
export class StatementOverdueError extends ConnectionLostError {}

/** The server has ended a session because its transaction waited for this process for too long. */
export class TransactionIdleError extends ConnectionLostError {}

/** The database cannot be reached and nothing was written: 503 with code 100, on which SDKs retry. */
export class DatabaseUnavailableError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  /** `cause` is only for operators. */
  constructor(cause?: unknown) {
    super(ErrorCode.CONNECTION_FAILED, "The database cannot be reached. Try again.", 503);
    this.cause = cause;
  }
}

/** The database cannot write, because its disk is full or faulty, or lacks memory (503). Nothing was written. */
class DatabaseUnwritableError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;
  /** Operators find the reason in the log. */
  readonly unreportedCause: unknown;

  constructor(cause: unknown) {
    super(ErrorCode.CONNECTION_FAILED, "The database lacks disk space or memory. Try again later.", 503);
    this.cause = cause;
    this.unreportedCause = cause;
  }
}

/** Errors for SQLSTATE codes that the client causes or should know of. */
const CLIENT_ERRORS: Readonly<Record<string, (cause: unknown) => ProtocolError>> = {
  // invalid_regular_expression
  "2201B": () => new ProtocolError(ErrorCode.INVALID_QUERY, "bad $regex: the pattern is invalid"),
  // untranslatable_character, character_not_in_repertoire: NUL in a text.
  "22P05": unstorableTextError,
  "22021": unstorableTextError,
  // invalid_text_representation: unpaired surrogate in JSON.
  "22P02": unstorableTextError,
  // numeric_value_out_of_range: the result of an increment.
  "22003": () => new ProtocolError(ErrorCode.INCORRECT_TYPE, "A number is too large"),
  // program_limit_exceeded, statement_too_complex: an object or a query is too large.
  "54000": () => new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, "The object is too large"),
  "54001": () => new ProtocolError(ErrorCode.INVALID_QUERY, "The query is too complex"),
  // query_canceled because of the timeout.
  "57014": () => new StatementTimeoutError("read"),
  // disk_full, out_of_memory, io_error
  "53100": (cause) => new DatabaseUnwritableError(cause),
  "53200": (cause) => new DatabaseUnwritableError(cause),
  "58030": (cause) => new DatabaseUnwritableError(cause),
  // lock_not_available: lock_timeout
  "55P03": () => new DatabaseBusyError(),
};

/** A lock was held by another transaction for too long (503). Nothing was written. */
export class DatabaseBusyError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor() {
    super(ErrorCode.TIMEOUT, "The database is busy: another transaction holds what this one needs.", 503);
  }
}

const TIMEOUT_TEXTS = {
  read: "The query took too long",
  write: "The write took too long and was canceled: what it writes may be too large. Nothing was written.",
};

/** The database worked on a statement for longer than it may (124, which is not retried). Nothing was written. */
export class StatementTimeoutError extends ProtocolError {
  constructor(kind: keyof typeof TIMEOUT_TEXTS) {
    super(ErrorCode.TIMEOUT, TIMEOUT_TEXTS[kind]);
  }
}

/** Whether a statement was canceled or given up because it took too long, while the database is well. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof StatementTimeoutError || sqlState(error) === "57014";
}

/** Whether a statement has waited for a lock for too long (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === "55P03";
}

/** Whether the database names in an error what it was doing, such as locking a row. */
export function namesContext(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.where !== undefined;
}

/** Returns the SQLSTATE of an error; undefined for errors that do not come from the database. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Translates an error of the database for clients; other errors are returned unchanged. */
export function toProtocolError(error: unknown): unknown {
  const state = sqlState(error);
  const known = state !== undefined && Object.hasOwn(CLIENT_ERRORS, state) ? CLIENT_ERRORS[state] : undefined;
  if (known) return known(error);
  return isConnectionLost(error) ? new DatabaseUnavailableError(error) : error;
}

/** Translates an error of a write for clients; other errors are returned unchanged. */
export function toWriteError(error: unknown): unknown {
  return isStatementTimeout(error) ? new StatementTimeoutError("write") : toProtocolError(error);
}

/**
 * SQLSTATE codes with which the server ends or refuses a session: connection exceptions, operator intervention, idle
 * and transaction timeouts, a read-only standby, too many connections.
 */
const CONNECTION_LOST_STATES = /^(08|57P|25P03|25P04|25006|53300|53400)/;

/** Whether the session is unusable after this error. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true;
  return CONNECTION_LOST_STATES.test(sqlState(error) ?? "");
}

/** Whether a transaction has waited for this process for too long (idle_in_transaction_session_timeout). */
export function isIdleTimeout(error: unknown): boolean {
  return error instanceof TransactionIdleError || sqlState(error) === "25P03";
}

/** serialization_failure, deadlock_detected: retrying the transaction may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

/** feature_not_supported, syntax_error, undefined_function, insufficient_privilege: the database refuses a feature. */
export function isUnsupported(error: unknown): boolean {
  return /^(0A000|42601|42883|42501)$/.test(sqlState(error) ?? "");
}

/** undefined_table, undefined_column. */
export function isUnknownRelation(error: unknown): boolean {
  const state = sqlState(error);
  return state === "42P01" || state === "42703";
}
