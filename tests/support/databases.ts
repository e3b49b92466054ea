import { inject } from "vitest";
import { ALL_CASES, REST } from "./allCases.ts";
import { newDatabase } from "./postgresServer.ts";
import { newStartedDatabase } from "./startedDatabase.ts";

/** The supported databases: for tests of the `Store`, of SQL and of transactions. */
export const ALL_DATABASES = ["SQLite", "PostgreSQL"] as const;
export type DatabaseName = (typeof ALL_DATABASES)[number];

/** The databases for tests of everything above the `Store`: SQLite with `npm test`, PostgreSQL with the rest, or both. */
export const DATABASES: readonly DatabaseName[] = ALL_CASES
  ? ALL_DATABASES
  : [REST ? "PostgreSQL" : "SQLite"];

/**
 * Whether cases that do not depend on the database run on this one: on SQLite, and with `npm run test:all` on all of
 * them.
 */
export function runsEveryCase(name: DatabaseName): boolean {
  return name === "SQLite" || ALL_CASES;
}

/** Settings of a server with a new database of a kind, which has the tables of the server and no objects. */
export async function databaseEnv(name: DatabaseName): Promise<Record<string, string>> {
  if (name === "SQLite") return {};
  return postgresEnv(await newStartedDatabase(inject("postgresUrl")));
}

/** The same without tables: for commands that need an empty database, and settings that matter when classes are created. */
export async function emptyDatabaseEnv(name: DatabaseName): Promise<Record<string, string>> {
  return name === "SQLite" ? {} : postgresEnv(await newDatabase(inject("postgresUrl")));
}

const postgresEnv = (url: string) => ({ PURSE_DATABASE_URL: url, PURSE_DATABASE_CONNECTIONS: "5" });
