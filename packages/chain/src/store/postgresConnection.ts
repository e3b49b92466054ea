import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { isLockError, LOCK_TIMEOUT } from "./connectionErrors.ts";
import { LEASE_TABLE } from "./indexLease.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { PARTITIONS_FACT } from "./postgresPartitions.ts";
import { openSqlPool, type Sql, type SqlPool } from "./postgresSql.ts";
import { ADDED_COLUMNS, POSTGRES_APPROVALS, postgresLiteral, schemaStatements } from "./schema.ts";
import { POSTGRES_SEARCH } from "./searchSchema.ts";

/** Timeout of a transaction, in ms. */
const DEADLINE_MS = 120_000;
/** Delay after the server's timeout before a connection is considered dead, in ms. */
const DEADLINE_GRACE_MS = 1_000;

/** What connections are for. The indexes of all chains of a thread share those of one purpose. */
export type Purpose = "lookup" | "list" | "lease" | "indexer reads" | "writes";

/** How long the indexer waits for a connection, in ms: other chains may write for as long. */
const INDEXER_ACQUIRE_MS = DEADLINE_MS;
/** How long others wait, in ms. */
const ACQUIRE_MS = 5_000;

/** `timeoutMs` limits the duration of statements, `deadlineMs` that of transactions. */
export function openPostgres(
  { url, schema, directUrl }: PostgresLocation,
  purpose: Purpose,
  connections: number,
  timeoutMs?: number,
  deadlineMs = timeoutMs === undefined ? DEADLINE_MS : timeoutMs + DEADLINE_GRACE_MS,
): SqlPool {
  return openSqlPool({
    ...{ url, schema, purpose, connections, timeoutMs },
    isPooled: directUrl !== undefined,
    deadlineMs,
    acquireMs: timeoutMs === undefined ? INDEXER_ACQUIRE_MS : ACQUIRE_MS,
    copies: purpose === "writes",
  });
}

const SCHEMA_DIALECT = {
  integer: "int8",
  bytes: "bytea",
  clustered: "",
  numbered: "int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  isPartitioned: false,
  approvals: POSTGRES_APPROVALS,
  literal: postgresLiteral,
  collation: ' COLLATE "C"',
  search: POSTGRES_SEARCH,
};

/** Deadline of creating tables, in ms: a new index of a large table takes long. */
const SCHEMA_DEADLINE_MS = 6 * 3_600_000;

let schemaConnections = 0;

/**
 * Creates the schema and its tables, partitioned if the location says so; safe for concurrent processes. Existing tables
 * stay as they are.
 */
export async function createPostgresSchema({
  url,
  schema,
  directUrl,
  partitionBlocks,
}: PostgresLocation): Promise<void> {
  const pool = openSqlPool({
    url: directUrl ?? url,
    isPooled: false,
    schema,
    // A connection of its own, since it waits for locks.
    purpose: `schema ${++schemaConnections}`,
    connections: 1,
    timeoutMs: undefined,
    deadlineMs: SCHEMA_DEADLINE_MS,
    acquireMs: SCHEMA_DEADLINE_MS,
    copies: false,
  });
  try {
    await createTables(pool, schema, partitionBlocks);
  } finally {
    await pool.end();
  }
}

const MAX_ATTEMPTS = 600;
const RETRY_MS = 500;

/**
 * Changes nothing if nothing is missing: even statements with IF NOT EXISTS lock tables, in another order than a
 * process that writes the index. Otherwise it lets such a process go first and tries again.
 */
async function createTables(
  pool: SqlPool,
  schema: string,
  partitionBlocks: number | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (await isComplete(pool, schema)) return;
    try {
      return await pool.begin(async (tx) => {
        await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`purse ${schema}`}, 0))`;
        // Another process may have created them in the meantime.
        if (await isComplete(tx, schema)) return;
        await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await tx`CREATE SCHEMA IF NOT EXISTS ${sql.id(schema)}`;
        for (const { table, column, type } of ADDED_COLUMNS) {
          const columnType = type === "integer" ? SCHEMA_DIALECT.integer : type;
          await tx.unsafe(`ALTER TABLE IF EXISTS ${table} ADD COLUMN IF NOT EXISTS ${column} ${columnType}`);
        }
        const kind = await kindOfLogs(tx, schema);
        const isPartitioned = kind === undefined ? partitionBlocks !== undefined : kind === "p";
        for (const statement of isPartitioned ? PARTITIONED_STATEMENTS : STATEMENTS)
          await tx.unsafe(statement);
        if (kind === undefined && partitionBlocks !== undefined)
          await tx`INSERT INTO facts VALUES (${PARTITIONS_FACT}, ${String(partitionBlocks)})`;
      });
    } catch (error) {
      if (!isLockError(error) || attempt === MAX_ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

const STATEMENTS = [...schemaStatements(SCHEMA_DIALECT), LEASE_TABLE];
const PARTITIONED_STATEMENTS = [...schemaStatements({ ...SCHEMA_DIALECT, isPartitioned: true }), LEASE_TABLE];
const CREATED = namesIn(/^CREATE (?:TABLE|INDEX) IF NOT EXISTS (\w+)/);
const DROPPED = namesIn(/^DROP INDEX IF EXISTS (\w+)/);

/** The first group of the statements that match. */
function namesIn(pattern: RegExp): string[] {
  return STATEMENTS.flatMap((statement) => pattern.exec(statement)?.[1] ?? []);
}

/** The kind of the table of logs: `r`, or `p` if it is partitioned; undefined in a new schema. */
async function kindOfLogs(connection: Sql, schema: string): Promise<string | undefined> {
  const [table] = await connection<{ kind: string }>`
    SELECT relkind::text AS kind FROM pg_class
    WHERE relnamespace = to_regnamespace(quote_ident(${schema})) AND relname = 'logs'`;
  return table?.kind;
}

/** Whether the schema has all tables, indexes and columns, and none that others have replaced. */
async function isComplete(connection: Sql, schema: string): Promise<boolean> {
  const relations = await connection<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(${schema}))`;
  const columns = await connection<{ name: string }>`
    SELECT relname || '.' || attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = to_regnamespace(quote_ident(${schema})) AND relkind = 'r' AND NOT attisdropped`;
  const names = new Set([...relations, ...columns].map(({ name }) => name));
  const expected = [...CREATED, ...ADDED_COLUMNS.map(({ table, column }) => `${table}.${column}`)];
  return expected.every((name) => names.has(name)) && !DROPPED.some((name) => names.has(name));
}
