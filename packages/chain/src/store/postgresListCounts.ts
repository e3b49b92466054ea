import type { ListCountChange } from "./listCountChanges.ts";
import { hexArray, numberArray } from "./postgresArrays.ts";
import type { Transaction } from "./postgresSql.ts";

/** Adds changes to the lengths of lists, which are those of partitions if the index has them. */
export async function addListCounts(
  tx: Transaction,
  changes: readonly ListCountChange[],
  isPartitioned: boolean,
): Promise<void> {
  if (changes.length === 0) return;
  const key = isPartitioned ? "list, key, detail, partition_number" : "list, key, detail";
  await tx.unsafe(
    `INSERT INTO list_counts (${key}, n)
    SELECT list, decode(key, 'hex'), decode(detail, 'hex')${isPartitioned ? ", partition_number" : ""}, n
    FROM unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[])
      AS counted (list, key, detail, partition_number, n)
    ON CONFLICT (${key}) DO UPDATE SET n = list_counts.n + excluded.n`,
    [
      numberArray(changes.map(({ list }) => list)),
      hexArray(changes.map((change) => change.key)),
      hexArray(changes.map(({ detail }) => detail)),
      numberArray(changes.map(({ partition }) => partition)),
      numberArray(changes.map(({ n }) => n)),
    ],
  );
}
