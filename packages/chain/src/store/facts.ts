import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";

/** A property of an index; undefined if it has not been saved. */
export async function readFact(reader: IndexReader, key: string): Promise<string | undefined> {
  const [fact] = await reader.all(query.selectFrom("facts").select("value").where("key", "=", key));
  return fact?.value;
}
