import { sql } from "kysely";
import type { BlockRow, BlockRows, DiscoveredToken } from "../model/rows.ts";
import { END_ABANDONED_WRITES } from "./indexLease.ts";
import { listCountChange } from "./listCounts.ts";
import { TABLE_STATEMENTS } from "./postgresConnection.ts";
import { insertBlocks } from "./postgresInsert.ts";
import { partitionBounds } from "./postgresPartitions.ts";
import type { SqlPool, Transaction } from "./postgresSql.ts";
import type { RangeLease, RangeLeases } from "./rangeLeases.ts";
import { EVENT_TABLES } from "./schema.ts";
import { blockRow } from "./tableRows.ts";
import type { BlocksTable } from "./tables.ts";
import { upgradedContracts } from "./upgradedContracts.ts";

export interface RangeIndexOptions {
  /** Connections on which the schema of the range is visible. */
  pool: SqlPool;
  leases: RangeLeases;
  lease: RangeLease;
  /** The schema of the range, and that of the index. */
  schema: string;
  indexSchema: string;
  /** Blocks of a partition. */
  blocks: number;
}

const CREATED = /^CREATE (?:TABLE|INDEX IF NOT EXISTS \w+_none ON)/;
const EVENT_INDEX = /^CREATE INDEX IF NOT EXISTS (\w+) ON (\w+)/;
const EVENT_TABLE_NAMES: ReadonlySet<string | undefined> = new Set(EVENT_TABLES);

/**
 * A range as a small index in a schema of its own: the events of its blocks, and the balances and tokens that these
 * blocks alone result in. Each change verifies the lease, so that a process that froze and lost it changes nothing.
 */
export class RangeIndex {
  readonly #options: RangeIndexOptions;
  /** Whether the tables exist. */
  #isCreated = false;

  constructor(options: RangeIndexOptions) {
    this.#options = options;
  }

  /** Returns the latest block of the range; undefined if it has none. */
  async open(): Promise<BlockRow | undefined> {
    const { pool, lease, blocks } = this.#options;
    // The previous holder may have frozen in the middle of a write, whose locks this one needs.
    if (lease.fence > 1) await pool.unsafe(END_ABANDONED_WRITES);
    this.#isCreated = lease.nextBlock > lease.number * blocks;
    return this.#isCreated ? this.#latest() : undefined;
  }

  /** Adds the next blocks; creates the tables before the first ones. Throws RangeLostError. */
  async append(rows: BlockRows, tokens: DiscoveredToken[]): Promise<void> {
    const last = rows.blocks.at(-1);
    if (!last) return;
    if (!this.#isCreated) await this.#write({}, (tx) => this.#createTables(tx));
    this.#isCreated = true;
    await this.#write({ nextBlock: last.number + 1 }, async (tx) => {
      await insertBlocks(tx, rows, tokens, { mayExist: false });
      for (const address of upgradedContracts(rows.logs))
        await tx`INSERT INTO upgraded VALUES (decode(substr(${address}, 3), 'hex')) ON CONFLICT DO NOTHING`;
    });
  }

  /** Prepares the tables for the index, after the last block. Throws RangeLostError. */
  async complete(): Promise<void> {
    const { lease, blocks } = this.#options;
    await this.#write({ isReady: true }, async (tx) => {
      const bounds = partitionBounds(lease.number, blocks);
      const [events] = bounds;
      if (!events) return;
      const positions = { from: String(events.from), end: String(events.end), sign: "1" };
      await tx.unsafe(listCountChange(positions, "''::bytea", blocks));
      for (const { table, column, from, end } of bounds) {
        const name = `${table}_p${lease.number}`;
        await tx.unsafe(`ALTER TABLE ${table} RENAME TO ${name}`);
        await tx.unsafe(`ALTER TABLE ${name} RENAME CONSTRAINT ${table}_pkey TO ${name}_pkey`);
        // It saves the index from reading all rows when they become its partition.
        await tx.unsafe(
          `ALTER TABLE ${name} ADD CONSTRAINT ${RANGE_CHECK} CHECK (${column} >= ${from} AND ${column} < ${end})`,
        );
      }
      for (const statement of EVENT_INDEXES)
        await tx.unsafe(
          statement.replace(EVENT_INDEX, `CREATE INDEX $1_p${lease.number} ON $2_p${lease.number}`),
        );
      for (const { table } of bounds) await tx.unsafe(`ANALYZE ${table}_p${lease.number}`);
    });
  }

  async #createTables(tx: Transaction): Promise<void> {
    const { schema, indexSchema } = this.#options;
    // Numbers of ranges begin again if the index was dropped.
    await tx`DROP SCHEMA IF EXISTS ${sql.id(schema)} CASCADE`;
    await tx`CREATE SCHEMA ${sql.id(schema)}`;
    for (const statement of TABLE_STATEMENTS) if (CREATED.test(statement)) await tx.unsafe(statement);
    await tx.unsafe("DROP TABLE list_counts");
    await tx`CREATE TABLE list_counts (LIKE ${sql.id(indexSchema, "list_counts")})`;
    await tx.unsafe("ALTER TABLE list_counts ADD PRIMARY KEY (list, key, detail, partition_number)");
    await tx.unsafe("CREATE TABLE upgraded (address bytea PRIMARY KEY)");
  }

  async #latest(): Promise<BlockRow | undefined> {
    const [row] = await this.#options.pool<BlocksTable>`SELECT * FROM blocks ORDER BY number DESC LIMIT 1`;
    return row && blockRow(row);
  }

  async #write(
    progress: { nextBlock?: number; isReady?: boolean },
    change: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const { pool, leases, lease } = this.#options;
    await pool.begin(async (tx) => {
      await change(tx);
      await leases.confirm(tx, lease, progress);
    });
  }
}

/** The constraint of the rows of a range, until it is a partition. */
export const RANGE_CHECK = "of_range";

/** The database indexes of events; they are created after the rows. */
const EVENT_INDEXES = TABLE_STATEMENTS.filter((statement) =>
  EVENT_TABLE_NAMES.has(EVENT_INDEX.exec(statement)?.[2]),
);
