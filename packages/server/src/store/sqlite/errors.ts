import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { SerializedError } from "@purse/workers";
import Database from "better-sqlite3";

/** What is wrong with the database itself: its file is damaged, or nothing can be written to it now (a full disk). */
export type Fault = "damaged" | "unwritable";

/** An error of SQLite that says what is wrong with the database itself. */
export class DatabaseFaultError extends Error {
  override readonly name = "DatabaseFaultError";
  readonly fault: Fault;

  constructor(fault: Fault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/;
const UNWRITABLE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|PERM)/;

export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof DatabaseFaultError) return error.fault;
  if (!(error instanceof Database.SqliteError)) return undefined;
  if (DAMAGED.test(error.code)) return "damaged";
  return UNWRITABLE.test(error.code) ? "unwritable" : undefined;
}

/** What SQLite says of statements that are larger than it takes. */
const TOO_COMPLEX = /too (?:many|large|long|complex|deep)|maximum depth|stack overflow|out of range/i;

/** An error of a statement as the other threads know it: of SQLite's own words nothing comes out to clients. */
export function asKnownError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const fault = faultOf(error);
  if (fault) return new DatabaseFaultError(fault, `${error.code}: ${error.message}`);
  if (error.code === "SQLITE_ERROR" && TOO_COMPLEX.test(error.message)) {
    return new ProtocolError(ErrorCode.INVALID_QUERY, "The query has too many conditions or keys");
  }
  return error;
}

type Details = { code: number; status?: number } | { fault: Fault };

export function serializeError(error: unknown): SerializedError {
  const known = asKnownError(error);
  const message = known instanceof Error ? known.message : String(known);
  if (known instanceof DatabaseFaultError)
    return { message, details: { fault: known.fault } satisfies Details };
  if (!(known instanceof ProtocolError)) return { message };
  const { code, status } = known;
  return { message, details: { code, ...(status !== undefined && { status }) } satisfies Details };
}

export function deserializeError({ message, details }: SerializedError): Error {
  if (!isDetails(details)) return new Error(message);
  if ("fault" in details) return new DatabaseFaultError(details.fault, message);
  return new ProtocolError(details.code, message, details.status);
}

function isDetails(details: unknown): details is Details {
  return typeof details === "object" && details !== null;
}
