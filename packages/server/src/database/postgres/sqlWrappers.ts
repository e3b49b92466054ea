import { toProtocolError, toWriteError } from "./errors.ts";
import type { Sql } from "./session.ts";

/** Translates errors of the database for clients. */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toProtocolError(error);
  }
}

/** Translates errors of a write for clients. */
export async function translateWriteErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toWriteError(error);
  }
}

/** Runs SQL whose errors are translated for clients. */
export function translatingSql(sql: Sql): Sql {
  return { run: (text, parameters) => translateErrors(() => sql.run(text, parameters)) };
}
