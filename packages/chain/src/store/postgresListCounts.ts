import { sql } from "kysely";
import type { ListCountChange } from "./listCountChanges.ts";
import { rowsTable } from "./postgresRows.ts";
import type { Transaction } from "./postgresSql.ts";

/** Adds changes to the lengths of lists, which are those of partitions if the index has them. */
export async function addListCounts(
  tx: Transaction,
  changes: readonly ListCountChange[],
  isPartitioned: boolean,
): Promise<void> {
  if (changes.length === 0) return;
  const key = sql.raw(isPartitioned ? "list, key, detail, partition_number" : "list, key, detail");
  const rows = changes.map(({ partition, ...change }) => ({ ...change, partition_number: partition }));
  const counted = rowsTable(rows, { bytes: ["key", "detail"], numbers: ["list", "partition_number", "n"] });
  await tx`
    INSERT INTO list_counts (${key}, n) SELECT ${key}, n FROM ${counted} AS counted
    ON CONFLICT (${key}) DO UPDATE SET n = list_counts.n + excluded.n`;
}
