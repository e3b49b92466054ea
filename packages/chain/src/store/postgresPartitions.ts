import { performance } from "node:perf_hooks";
import { toBytes } from "../model/hexBytes.ts";
import type { Logger } from "../model/logger.ts";
import { NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { errorCodeOf } from "./connectionErrors.ts";
import { type EventRemoval, NO_REMOVAL, type Removal } from "./eventRemoval.ts";
import { PartitionStatistics } from "./partitionStatistics.ts";
import type { Sql, SqlPool, Transaction } from "./postgresSql.ts";
import { EVENT_TABLES } from "./schema.ts";
import { KEPT_FACT } from "./upgradeProgress.ts";

/** Rows of the same blocks are in partitions of the same number. */
const PARTITIONED_TABLES = [...EVENT_TABLES, "list_counts"] as const;

/**
 * How long removing partitions waits for reads of all tables, which wait for it in turn: shorter than the time after
 * which PostgreSQL looks for deadlocks, so that no read fails.
 */
const LOCK_TIMEOUT = "500ms";
/** Limits the time for all locks together; `lock_timeout` would limit that for each of them. */
const LOCK_TABLES = [
  `SET LOCAL statement_timeout = '${LOCK_TIMEOUT}'`,
  `LOCK TABLE ${PARTITIONED_TABLES.map((table) => `ONLY ${table}`).join(", ")} IN ACCESS EXCLUSIVE MODE`,
  "SET LOCAL statement_timeout TO DEFAULT",
];
const RETRY_MS = 10_000;
/** Blocks of which one step saves what is needed after their removal. */
const SAVED_BLOCKS = 2_000;
/** Error codes of locks that were not available in time, and of a deadlock. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set(["55P03", "57014", "40P01"]);

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
export class PostgresPartitions implements EventRemoval {
  /** Blocks of a partition. */
  readonly blocks: number;
  readonly #pool: SqlPool;
  readonly #assertLeader: (tx: Transaction) => Promise<void>;
  readonly #statistics: PartitionStatistics;
  /** Numbers of partitions that exist. */
  readonly #known = new Set<number>();
  /** The partitions before this one have been removed; undefined if that is not known. */
  #first: number | undefined;
  /** What is needed of the blocks before this one is saved. */
  #savedBefore = 0;
  /** When to try again to remove partitions, on the clock of `performance`. */
  #retryAt = 0;

  constructor(pool: SqlPool, assertLeader: (tx: Transaction) => Promise<void>, blocks: number, log?: Logger) {
    this.#pool = pool;
    this.#assertLeader = assertLeader;
    this.blocks = blocks;
    this.#statistics = new PartitionStatistics(pool, log);
  }

  /** Creates the missing partitions of blocks, both ends included, and the one after them. */
  async create(from: number, to: number): Promise<void> {
    const missing: number[] = [];
    const [first, last] = [this.numberOf(from), this.numberOf(to)];
    for (let number = first; number <= last + 1; number++) if (!this.#known.has(number)) missing.push(number);
    if (missing.length > 0) {
      await this.#statistics.settled();
      await this.#pool.begin(async (tx) => {
        for (const number of missing) await this.#createOne(tx, number);
        await this.#assertLeader(tx);
      });
      for (const number of missing) this.#known.add(number);
    }
    this.#statistics.refresh();
  }

  /**
   * Does the next step of removing the partitions whose blocks are all before a block. Several steps save what is needed
   * of a partition, one transaction then removes it and only drops tables. Reads of the tables that do not end in time
   * postpone it.
   */
  async removeBefore(block: number): Promise<Removal> {
    const first = this.numberOf(block);
    if (first <= (this.#first ?? 0) || performance.now() < this.#retryAt) return NO_REMOVAL;
    const number = await this.#oldest();
    if (number === undefined || number >= first) {
      this.#first = first;
      return NO_REMOVAL;
    }
    const [start, end] = [number * this.blocks, (number + 1) * this.blocks];
    const saved = Math.max(start, this.#savedBefore);
    if (saved < end) {
      const next = Math.min(end, saved + SAVED_BLOCKS);
      await this.#pool.begin(async (tx) => {
        await saveLastTransfers(tx, positionOf(saved, 0), positionOf(next, 0));
        await this.#assertLeader(tx);
      });
      this.#savedBefore = next;
      if (next < end) return { isRemoved: false, hasMore: true };
    }
    if (!(await this.#remove(number))) return NO_REMOVAL;
    this.#known.delete(number);
    return { isRemoved: true, hasMore: true };
  }

  /** The number of the partition of a block. */
  numberOf(block: number): number {
    return Math.floor(block / this.blocks);
  }

  /** Forgets what exists and what has been removed, since another process may have changed that. */
  reset(): void {
    this.#known.clear();
    this.#first = undefined;
    this.#savedBefore = 0;
  }

  /** Returns false if reads of the tables did not end in time. */
  async #remove(number: number): Promise<boolean> {
    await this.#statistics.settled();
    try {
      await this.#pool.begin(async (tx) => {
        // Reads wait for the locks, so nothing waits for the lease while they are held. Its row stays locked.
        await this.#assertLeader(tx);
        for (const statement of LOCK_TABLES) await tx.unsafe(statement);
        // Maintenance of the partition itself is not waited for, either.
        await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        for (const table of PARTITIONED_TABLES) await tx.unsafe(`DROP TABLE ${table}_p${number}`);
        const kept = String((number + 1) * this.blocks);
        await tx`INSERT INTO facts VALUES (${KEPT_FACT}, ${kept})
          ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
      });
      return true;
    } catch (error) {
      if (!LOCK_ERRORS.has(errorCodeOf(error))) throw error;
      this.#retryAt = performance.now() + RETRY_MS;
      return false;
    }
  }

  /** The number of the partition with the oldest blocks. */
  async #oldest(): Promise<number | undefined> {
    const [row] = await this.#pool<{ number: number | null }>`
      SELECT min(substr(relname::text, ${"logs_p".length + 1}::int4)::int8) AS number
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'logs'::regclass`;
    return row?.number ?? undefined;
  }

  async #createOne(tx: Transaction, number: number): Promise<void> {
    for (const { table, from, end } of partitionBounds(number, this.blocks))
      await attach(tx, table, number, `FROM (${from}) TO (${end})`);
  }
}

interface PartitionBounds {
  table: string;
  from: number;
  /** Exclusive. */
  end: number;
}

/** The bounds of a partition of so many blocks in each of the partitioned tables. */
export function partitionBounds(number: number, blocks: number): PartitionBounds[] {
  const [from, end] = [positionOf(number * blocks, 0), positionOf((number + 1) * blocks, 0)];
  return [
    ...EVENT_TABLES.map((table) => ({ table, from, end })),
    { table: "list_counts", from: number, end: number + 1 },
  ];
}

/** Creates a partition, unless it exists. Its indexes are created with those of the whole table. */
async function attach(tx: Transaction, table: string, number: number, values: string): Promise<void> {
  const name = `${table}_p${number}`;
  const [found] = await tx<{ name: string | null }>`SELECT to_regclass(${name})::text AS name`;
  if (found?.name) return;
  await tx.unsafe(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS)`);
  await tx.unsafe(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES ${values}`);
}

/**
 * Saves what is needed of the transfers of NFTs in a range of positions after their removal: reorganizations restore the
 * owner before the transfers that they remove. Ranges are saved in ascending order, and again after an interruption.
 */
async function saveLastTransfers(tx: Transaction, from: number, end: number): Promise<void> {
  await tx`
    INSERT INTO dropped_nfts
    SELECT DISTINCT ON (token, token_id) token, token_id, to_address, position,
      max(position) FILTER (WHERE from_address = ${toBytes(NULL_ADDRESS)}) OVER nft, min(position) OVER nft
    FROM nft_transfers WHERE position >= ${from} AND position < ${end}
    WINDOW nft AS (PARTITION BY token, token_id)
    ORDER BY token, token_id, position DESC, part DESC
    ON CONFLICT (token, token_id) DO UPDATE SET receiver = excluded.receiver, received = excluded.received,
      minted = coalesce(excluded.minted, dropped_nfts.minted)`;
}
