import { positionOf } from "../model/rows.ts";
import type { Sql, SqlPool, Transaction } from "./postgresSql.ts";

/** Tables that are partitioned by the positions of their rows. */
const EVENT_TABLES = [
  "transactions",
  "transaction_fees",
  "logs",
  "nft_transfers",
  "trades",
  "internal_transfers",
] as const;

/** Property of a partitioned index: the blocks of a partition, for the life of the index. */
export const PARTITIONS_FACT = "partitions";

/** Returns the number of blocks of a partition of an index; undefined if it is not partitioned. */
export async function readPartitionBlocks(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ value: string }>`SELECT value FROM facts WHERE key = ${PARTITIONS_FACT}`;
  return row && Number(row.value);
}

/**
 * The partitions of an index: each contains the events of the same number of blocks, and the lengths of lists of these.
 * They are created before they are needed, as tables of their own that are attached, which no reader waits for.
 */
export class PostgresPartitions {
  /** Blocks of a partition. */
  readonly blocks: number;
  readonly #pool: SqlPool;
  readonly #assertLeader: (tx: Transaction) => Promise<void>;
  /** Numbers of partitions that exist. */
  readonly #known = new Set<number>();

  constructor(pool: SqlPool, assertLeader: (tx: Transaction) => Promise<void>, blocks: number) {
    this.#pool = pool;
    this.#assertLeader = assertLeader;
    this.blocks = blocks;
  }

  /** Creates the missing partitions of blocks, both ends included, and the one after them. */
  async create(from: number, to: number): Promise<void> {
    const missing: number[] = [];
    for (let number = this.#numberOf(from); number <= this.#numberOf(to) + 1; number++)
      if (!this.#known.has(number)) missing.push(number);
    if (missing.length === 0) return;
    await this.#pool.begin(async (tx) => {
      for (const number of missing) await this.#createOne(tx, number);
      await this.#assertLeader(tx);
    });
    for (const number of missing) this.#known.add(number);
  }

  #numberOf(block: number): number {
    return Math.floor(block / this.blocks);
  }

  async #createOne(tx: Transaction, number: number): Promise<void> {
    const [first, end] = [number, number + 1].map((each) => positionOf(each * this.blocks, 0));
    for (const table of EVENT_TABLES) await attach(tx, table, number, `FROM (${first}) TO (${end})`);
    await attach(tx, "list_counts", number, `FROM (${number}) TO (${number + 1})`);
  }
}

/** Creates a partition, unless it exists. Its indexes are created with those of the whole table. */
async function attach(tx: Transaction, table: string, number: number, values: string): Promise<void> {
  const name = `${table}_p${number}`;
  const [found] = await tx<{ name: string | null }>`SELECT to_regclass(${name})::text AS name`;
  if (found?.name) return;
  await tx.unsafe(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS)`);
  await tx.unsafe(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES ${values}`);
}
