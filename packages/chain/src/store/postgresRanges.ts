import { sql } from "kysely";
import type { BlockRow } from "../model/rows.ts";
import { attachRange } from "./attachRange.ts";
import { isLockError, LOCK_TIMEOUT } from "./connectionErrors.ts";
import type { SqlPool, Transaction } from "./postgresSql.ts";
import { RangeIndex } from "./rangeIndex.ts";
import { type BackfillRange, type RangeLease, RangeLeases, type RangeRequest } from "./rangeLeases.ts";

export interface PostgresRangesOptions {
  /** Opens connections on which a schema is visible. `deadlineMs` limits a transaction. */
  open(schema: string, deadlineMs: number): SqlPool;
  /** A connection to the schema of the index for leases alone, so that long changes do not delay renewals. */
  leaseSql: SqlPool;
  /** The schema of the index. */
  schema: string;
  assertLeader: (tx: Transaction) => Promise<void>;
  /** Blocks of a partition. */
  blocks: number;
}

/** A leased range with its connections. */
export interface OpenRange {
  lease: RangeLease;
  index: RangeIndex;
  /** First and last block. */
  first: number;
  last: number;
  close(): Promise<void>;
}

/** Deadline of a transaction in ms: creating database indexes, and adding many balances, take long. */
const DEADLINE_MS = 6 * 3_600_000;

/**
 * Partitions that processes other than the leader index in advance, each in a schema of its own, which no reader sees.
 * The leader attaches them to the index in the order of the chain.
 */
export class PostgresRanges {
  readonly leases: RangeLeases;
  readonly #options: PostgresRangesOptions;
  readonly #pool: SqlPool;

  constructor(options: PostgresRangesOptions) {
    this.#options = options;
    this.#pool = options.open(options.schema, DEADLINE_MS);
    this.leases = new RangeLeases(options.leaseSql, options.schema, options.blocks);
  }

  /** Leases a range; undefined if there is none. */
  async take(request: RangeRequest): Promise<OpenRange | undefined> {
    const { open, schema: indexSchema, blocks } = this.#options;
    const lease = await this.leases.take(request);
    if (!lease) return undefined;
    const schema = this.#schemaOf(lease);
    const pool = open(schema, DEADLINE_MS);
    return {
      lease,
      index: new RangeIndex({ pool, leases: this.leases, lease, schema, indexSchema, blocks }),
      first: lease.number * blocks,
      last: (lease.number + 1) * blocks - 1,
      close: () => pool.end(),
    };
  }

  /**
   * Adds a complete range to the index, whose latest block is `parent`. Returns the last block; undefined if the range
   * does not continue the index.
   */
  attach(range: BackfillRange, parent: BlockRow | undefined): Promise<BlockRow | undefined> {
    const { assertLeader, schema: indexSchema, blocks } = this.#options;
    const schema = this.#schemaOf(range);
    return this.#pool.begin(async (tx) => {
      const last = await attachRange(tx, range, { schema, indexSchema, blocks, parent });
      await assertLeader(tx);
      return last;
    });
  }

  /**
   * Removes ranges, and the blocks of all that no longer exist. Only the leader calls it. Returns false if a process still
   * uses such blocks, so that they have to be removed later.
   */
  async remove(ranges: readonly BackfillRange[]): Promise<boolean> {
    if (ranges.length > 0)
      await this.#pool.begin(async (tx) => {
        for (const { id } of ranges) await tx`DELETE FROM backfill_ranges WHERE id = ${id}`;
        await this.#options.assertLeader(tx);
      });
    return !(await this.leases.isCreated()) || (await this.#removeSchemas());
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #schemaOf({ id }: { id: number }): string {
    return `${this.#options.schema}_range_${id}`;
  }

  /** Removes the schemas of ranges that no longer exist; returns whether all are removed. */
  async #removeSchemas(): Promise<boolean> {
    const prefix = `${this.#options.schema}_range_`;
    const schemas = await this.#pool<{ name: string }>`
      SELECT nspname::text AS name FROM pg_namespace
      WHERE starts_with(nspname, ${prefix}) AND substr(nspname::text, ${prefix.length + 1}::int4) ~ '^[0-9]+$'
        AND substr(nspname::text, ${prefix.length + 1}::int4) NOT IN (SELECT id::text FROM backfill_ranges)`;
    let areRemoved = true;
    for (const { name } of schemas) {
      try {
        await this.#pool.begin(async (tx) => {
          await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
          await tx`DROP SCHEMA IF EXISTS ${sql.id(name)} CASCADE`;
        });
      } catch (error) {
        if (!isLockError(error)) throw error;
        areRemoved = false;
      }
    }
    return areRemoved;
  }
}
