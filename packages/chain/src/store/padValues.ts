import { type RawBuilder, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import type { Dialect } from "./indexReader.ts";

/** Repeats the last item up to a power of two, so that few statements serve lists of any length. */
export function padValues<T>(items: readonly T[]): T[] {
  const last = items.at(-1);
  const missing = 2 ** Math.ceil(Math.log2(Math.max(1, items.length))) - items.length;
  return last === undefined ? [] : [...items, ...Array.from({ length: missing }, () => last)];
}

/**
 * A table `wanted` with the column `bytes`, for a CROSS JOIN: given a list of values, SQLite may prefer a database index
 * without them, and read all rows of a contract.
 */
export function wantedBytes({ bytes }: Dialect, values: readonly string[]): RawBuilder<unknown> {
  const items = padValues(values).map((value) => sql`(CAST(${toBytes(value)} AS ${bytes}))`);
  return sql`(SELECT DISTINCT column1 AS bytes FROM (VALUES ${sql.join(items)}) AS listed) AS wanted`;
}
