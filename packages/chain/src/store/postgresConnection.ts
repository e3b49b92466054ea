import { LEASE_TABLE } from "./indexLease.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { openSqlPool, type SqlPool } from "./postgresSql.ts";
import { layoutStatements, POSTGRES_SEARCH } from "./schema.ts";

/** What is written at once takes no longer than this, in ms. */
const DEADLINE_MS = 120_000;
/** How much later than the server a statement is given up, in ms: its connection leads nowhere. */
const GRACE_MS = 1_000;

/** Statements run for at most `timeoutMs`, where it is given. */
export function openPostgres(
  { url, schema }: PostgresLocation,
  connections: number,
  timeoutMs?: number,
): SqlPool {
  const deadlineMs = timeoutMs === undefined ? DEADLINE_MS : timeoutMs + GRACE_MS;
  return openSqlPool({ url, schema, connections, applicationName: "purse chain", timeoutMs, deadlineMs });
}

const LAYOUT_DIALECT = {
  integer: "int8",
  bytes: "bytea",
  clustered: "",
  numbered: "int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  search: POSTGRES_SEARCH,
};

/** Makes the schema with its tables, once for however many processes ask at the same time. */
export async function preparePostgres(sql: SqlPool, schema: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`purse ${schema}`}, 0))`;
    await tx`CREATE SCHEMA IF NOT EXISTS ${tx(schema)}`;
    for (const statement of layoutStatements(LAYOUT_DIALECT)) await tx.unsafe(statement);
    await tx.unsafe(LEASE_TABLE);
  });
}
