import { isUnknownRelation, toProtocolError } from "./errors.ts";
import type { Sql } from "./session.ts";

/** Translates errors of the database for clients. */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toProtocolError(error);
  }
}

/** Reads from the primary what a replica cannot answer because it lacks a new table or column yet. */
export function replicaSql(replica: Sql, primary: Sql): Sql {
  return {
    run: (text, parameters) =>
      replica.run(text, parameters).catch((error: unknown) => {
        if (!isUnknownRelation(error)) throw error;
        return primary.run(text, parameters);
      }),
  };
}

/** Runs SQL whose errors are translated for clients. */
export function translatingSql(sql: Sql): Sql {
  return { run: (text, parameters) => translateErrors(() => sql.run(text, parameters)) };
}
