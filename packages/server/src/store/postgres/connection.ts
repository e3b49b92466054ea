import { ErrorCode, ProtocolError } from "@purse/protocol";
import postgres from "postgres";
import type { SqlParameter } from "../sql/dialect.ts";

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;

/**
 * Opens a pool. Connections are made when they are needed, and again when they were lost. No statement may take longer
 * than `timeoutMs`: a pattern or an order that somebody else thought up must not hold a connection.
 */
export function connect(url: string, connections: number, timeoutMs: number): Sql {
  return postgres(url, {
    max: connections,
    // Types of the application's own are not used: they need not be asked for.
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: "purse", statement_timeout: timeoutMs },
  });
}

/** A statement with `?` for its parameters, run as PostgreSQL wants it; answers the rows' columns. */
export async function run(
  sql: Sql | Transaction,
  text: string,
  parameters: (SqlParameter | null)[],
): Promise<unknown[][]> {
  try {
    return await sql.unsafe(numbered(text), parameters, { prepare: isKept(text) }).values();
  } catch (error) {
    throw asProtocolError(error);
  }
}

/** Characters of statements that the database keeps prepared, and how many in all. */
const MAX_PREPARED_TEXT = 8_000;
const MAX_PREPARED = 2_000;

/** Statements that are kept prepared, in each connection: what anybody may make up is bounded. */
const prepared = new Set<string>();

function isKept(text: string): boolean {
  if (prepared.has(text)) return true;
  if (text.length > MAX_PREPARED_TEXT || prepared.size >= MAX_PREPARED) return false;
  prepared.add(text);
  return true;
}

const numberedTexts = new Map<string, string>();

/** `$1`, `$2`, … for the `?` of a text. No text that we make has one that is not a parameter. */
export function numbered(text: string): string {
  const known = numberedTexts.get(text);
  if (known !== undefined) return known;
  let count = 0;
  const result = text.replaceAll("?", () => `$${++count}`);
  if (numberedTexts.size >= 10_000) numberedTexts.clear();
  if (text.length <= MAX_PREPARED_TEXT) numberedTexts.set(text, result);
  return result;
}

/** SQLSTATE codes that are the asker's doing. */
const CLIENT_ERRORS: Readonly<Record<string, { code: number; message: string }>> = {
  // invalid_regular_expression
  "2201B": { code: ErrorCode.INVALID_QUERY, message: "bad $regex: it cannot be read" },
  // untranslatable_character, character_not_in_repertoire: NUL in a text
  "22P05": { code: ErrorCode.INVALID_JSON, message: "A text holds a character that cannot be stored" },
  "22021": { code: ErrorCode.INVALID_JSON, message: "A text holds a character that cannot be stored" },
  // invalid_text_representation: half of a surrogate pair in JSON
  "22P02": { code: ErrorCode.INVALID_JSON, message: "A text holds a character that cannot be stored" },
  // numeric_value_out_of_range: the sum of an increment
  "22003": { code: ErrorCode.INCORRECT_TYPE, message: "A number is too large" },
  // program_limit_exceeded, statement_too_complex: an object or a query that is too large
  "54000": { code: ErrorCode.OBJECT_TOO_LARGE, message: "The object is too large" },
  "54001": { code: ErrorCode.INVALID_QUERY, message: "The query is too complex" },
  // query_canceled, by the time limit
  "57014": { code: ErrorCode.TIMEOUT, message: "The query took too long" },
};

export function asProtocolError(error: unknown): unknown {
  const state = sqlState(error);
  const known = state !== undefined && Object.hasOwn(CLIENT_ERRORS, state) ? CLIENT_ERRORS[state] : undefined;
  return known ? new ProtocolError(known.code, known.message) : error;
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}
