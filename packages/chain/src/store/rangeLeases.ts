import { sql } from "kysely";
import { errorCodeOf } from "./connectionErrors.ts";
import { readSchemaId } from "./indexLease.ts";
import type { Sql } from "./postgresSql.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

/** The lease of a range has gone to another process, or the range was removed. The change was rolled back. */
export class RangeLostError extends Error {
  override readonly name = "RangeLostError";
}

/** How long a lease lasts without renewal, and how often to renew it, in ms. */
const LEASE_MS = 30_000;
export const RENEWAL_MS = LEASE_MS / 3;

/** Ranges of an index, before those of another index have the same numbers. */
const RANGES_PER_SCHEMA = 2 ** 20;

/**
 * Creates the table of the ranges of the index with an id (`readSchemaId()`). Other indexes at the same place have other
 * numbers, so that a process that froze with the lease of a range does not find one with its number in another index.
 */
export function rangesTable(schemaId: number): string {
  return `CREATE TABLE IF NOT EXISTS backfill_ranges (
    id int8 GENERATED ALWAYS AS IDENTITY (START WITH ${Math.max(1, schemaId * RANGES_PER_SCHEMA)}) PRIMARY KEY,
    number int8 UNIQUE NOT NULL, fence int8 NOT NULL, lease_until timestamptz NOT NULL, next_block int8 NOT NULL,
    is_ready boolean NOT NULL, definition text NOT NULL)`;
}

/** Error codes of a table that another process has just created. */
const ALREADY_CREATED: ReadonlySet<unknown> = new Set(["23505", "42P07"]);

/** Blocks of a partition that are indexed apart from the index, before it reaches them. */
export interface BackfillRange {
  id: number;
  /** The number of the partition that it becomes. */
  number: number;
  /** The next block to index. */
  nextBlock: number;
  /** Whether it is complete. */
  isReady: boolean;
  /** Whether a process indexes it. */
  isLeased: boolean;
  /**
   * Whether it can become part of the index; false if the index was built anew or upgraded since, or has a partition for
   * these blocks.
   */
  isCurrent: boolean;
}

/** The lease of a range: only its holder adds blocks to it. */
export interface RangeLease {
  id: number;
  number: number;
  /** Increases each time that another process takes over. */
  fence: number;
  /** The first block that is missing. */
  nextBlock: number;
}

/** Which range to lease. */
export interface RangeRequest {
  /** The first and the last number of partitions that may be begun. */
  first: number;
  last: number;
  /** The definition of the index (`DEFINITION_FACT`) that this process indexes for. */
  definition: string;
}

/**
 * The ranges of an index, in a table that exists once a range was begun. Leases expire by the clock of the database.
 * Processes of versions without ranges ignore the table; what they index makes ranges obsolete, which the next leader
 * removes.
 */
export class RangeLeases {
  readonly #sql: Sql;
  readonly #schema: string;
  readonly #blocks: number;
  #exists = false;

  /** `sql` sees the schema; `blocks` are those of a partition. */
  constructor(sql: Sql, schema: string, blocks: number) {
    this.#sql = sql;
    this.#schema = schema;
    this.#blocks = blocks;
  }

  /** Whether a range was ever begun. */
  async isCreated(): Promise<boolean> {
    if (this.#exists) return true;
    const [table] = await this.#sql<{
      name: string | null;
    }>`SELECT to_regclass('backfill_ranges')::text AS name`;
    this.#exists = table !== undefined && table.name !== null;
    return this.#exists;
  }

  /** All ranges in the order of the chain. */
  async list(): Promise<BackfillRange[]> {
    if (!(await this.isCreated())) return [];
    const rows = await this.#sql<{
      id: number;
      number: number;
      next_block: number;
      is_ready: boolean;
      is_leased: boolean;
      is_current: boolean;
    }>`SELECT id, number, next_block, is_ready, lease_until > clock_timestamp() AS is_leased,
        coalesce(definition = (SELECT value FROM facts WHERE key = ${DEFINITION_FACT}), false)
          AND to_regclass('logs_p' || number) IS NULL AS is_current
      FROM backfill_ranges ORDER BY number`;
    return rows.map((row) => ({
      id: row.id,
      number: row.number,
      nextBlock: row.next_block,
      isReady: row.is_ready,
      isLeased: row.is_leased,
      isCurrent: row.is_current,
    }));
  }

  /** Leases the first range whose lease has expired, or else begins one; undefined if there is none. */
  async take({ first, last, definition }: RangeRequest): Promise<RangeLease | undefined> {
    if (!(await this.isCreated())) await this.#create();
    const [resumed] = await this.#sql<{ id: number; number: number; fence: number; next_block: number }>`
      UPDATE backfill_ranges SET fence = fence + 1, lease_until = ${this.#leaseEnd()}
      WHERE id = (SELECT id FROM backfill_ranges
        WHERE NOT is_ready AND lease_until <= clock_timestamp() AND definition = ${definition}
        ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, number, fence, next_block`;
    const [row] = resumed
      ? [resumed]
      : await this.#sql<{ id: number; number: number; fence: number; next_block: number }>`
          INSERT INTO backfill_ranges (number, fence, lease_until, next_block, is_ready, definition)
          SELECT number, 1, ${this.#leaseEnd()}, number * ${this.#blocks}::int8, false, ${definition}::text
          FROM generate_series(${first}::int8, ${last}::int8) AS missing (number)
          WHERE to_regclass('logs_p' || number) IS NULL
            AND NOT EXISTS (SELECT FROM backfill_ranges AS begun WHERE begun.number = missing.number)
            AND ${definition}::text = (SELECT value FROM facts WHERE key = ${DEFINITION_FACT})
          ORDER BY number LIMIT 1
          ON CONFLICT (number) DO NOTHING
          RETURNING id, number, fence, next_block`;
    return row && { id: row.id, number: row.number, fence: row.fence, nextBlock: row.next_block };
  }

  /** Extends a lease. Throws RangeLostError. */
  async renew(lease: RangeLease): Promise<void> {
    await this.confirm(this.#sql, lease, {});
  }

  /**
   * Verifies until the end of a transaction that a lease is held, and saves the progress of its range. Throws
   * RangeLostError.
   */
  async confirm(
    tx: Sql,
    { id, fence }: RangeLease,
    { nextBlock, isReady = false }: { nextBlock?: number; isReady?: boolean },
  ): Promise<void> {
    const { count } = await tx`
      UPDATE ${sql.id(this.#schema, "backfill_ranges")}
      SET lease_until = ${this.#leaseEnd()}, next_block = coalesce(${nextBlock ?? null}::int8, next_block),
        is_ready = ${isReady}::boolean
      WHERE id = ${id} AND fence = ${fence} AND NOT is_ready`;
    if (count === 0) throw new RangeLostError("another process indexes the range");
  }

  /** Ends a lease: another process can continue the range. One without blocks is removed, so that no process waits. */
  async release({ id, fence, number }: RangeLease): Promise<void> {
    await this.#sql`DELETE FROM backfill_ranges
      WHERE id = ${id} AND fence = ${fence} AND NOT is_ready AND next_block = ${number * this.#blocks}`;
    await this.#sql`UPDATE backfill_ranges SET lease_until = '-infinity'
      WHERE id = ${id} AND fence = ${fence} AND NOT is_ready`;
  }

  #leaseEnd() {
    return sql`clock_timestamp() + ${LEASE_MS}::float8 * interval '1 millisecond'`;
  }

  async #create(): Promise<void> {
    try {
      await this.#sql.unsafe(rangesTable(await readSchemaId(this.#sql)));
    } catch (error) {
      // IF NOT EXISTS does not wait for a process that creates it at the same time.
      if (!ALREADY_CREATED.has(errorCodeOf(error))) throw error;
    }
    this.#exists = true;
  }
}
