import { sql } from "kysely";
import { LEASE_TABLE } from "./indexLease.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { openSqlPool, type SqlPool } from "./postgresSql.ts";
import { POSTGRES_SEARCH, schemaStatements } from "./schema.ts";

/** Timeout of a transaction, in ms. */
const DEADLINE_MS = 120_000;
/** Delay after the server's timeout before a connection is considered dead, in ms. */
const DEADLINE_GRACE_MS = 1_000;

/** `timeoutMs` limits the duration of statements. */
export function openPostgres(
  { url, schema }: PostgresLocation,
  connections: number,
  timeoutMs?: number,
): SqlPool {
  const deadlineMs = timeoutMs === undefined ? DEADLINE_MS : timeoutMs + DEADLINE_GRACE_MS;
  return openSqlPool({ url, schema, connections, applicationName: "purse chain", timeoutMs, deadlineMs });
}

const SCHEMA_DIALECT = {
  integer: "int8",
  bytes: "bytea",
  clustered: "",
  numbered: "int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  search: POSTGRES_SEARCH,
};

/** Creates the schema and its tables; safe for concurrent processes. */
export async function createPostgresSchema(pool: SqlPool, schema: string): Promise<void> {
  await pool.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`purse ${schema}`}, 0))`;
    await tx`CREATE SCHEMA IF NOT EXISTS ${sql.id(schema)}`;
    for (const statement of schemaStatements(SCHEMA_DIALECT)) await tx.unsafe(statement);
    await tx.unsafe(LEASE_TABLE);
  });
}
