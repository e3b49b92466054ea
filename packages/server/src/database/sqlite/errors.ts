import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { SerializedError } from "@purse/workers";
import Database from "better-sqlite3";

/** A failure of the database itself: the file is damaged, or it cannot be written (e.g. the disk is full). */
export type DatabaseFault = "damaged" | "unwritable";

/** An error of SQLite that is caused by the database itself. */
export class DatabaseFaultError extends Error {
  override readonly name = "DatabaseFaultError";
  readonly fault: DatabaseFault;

  constructor(fault: DatabaseFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/;
const UNWRITABLE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|PERM)/;

export function getFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseFaultError) return error.fault;
  if (!(error instanceof Database.SqliteError)) return undefined;
  if (DAMAGED.test(error.code)) return "damaged";
  return UNWRITABLE.test(error.code) ? "unwritable" : undefined;
}

/** Messages of SQLite for statements that exceed its limits. */
const TOO_COMPLEX = /too (?:many|large|long|complex|deep)|maximum depth|stack overflow|out of range/i;

/** Translates an error of a statement, so that messages of SQLite are not revealed to clients. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const fault = getFault(error);
  if (fault) return new DatabaseFaultError(fault, `${error.code}: ${error.message}`);
  if (error.code === "SQLITE_ERROR" && TOO_COMPLEX.test(error.message)) {
    return new ProtocolError(ErrorCode.INVALID_QUERY, "The query has too many conditions or keys");
  }
  return error;
}

type ErrorDetails = { code: number; status?: number } | { fault: DatabaseFault };

export function serializeError(error: unknown): SerializedError {
  const known = translateError(error);
  const message = known instanceof Error ? known.message : String(known);
  if (known instanceof DatabaseFaultError)
    return { message, details: { fault: known.fault } satisfies ErrorDetails };
  if (!(known instanceof ProtocolError)) return { message };
  const { code, status } = known;
  return { message, details: { code, ...(status !== undefined && { status }) } satisfies ErrorDetails };
}

export function deserializeError({ message, details }: SerializedError): Error {
  if (!isDetails(details)) return new Error(message);
  if ("fault" in details) return new DatabaseFaultError(details.fault, message);
  return new ProtocolError(details.code, message, details.status);
}

function isDetails(details: unknown): details is ErrorDetails {
  return typeof details === "object" && details !== null;
}
