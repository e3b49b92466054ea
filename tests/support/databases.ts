import { inject } from "vitest";
import { newDatabase } from "./postgresServer.ts";

/** The supported databases. */
export const DATABASES = ["SQLite", "PostgreSQL"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/**
 * Whether cases that do not depend on the database run on this one: on SQLite, and with `PURSE_EVERY_DATABASE=1` on all of
 * them.
 */
export function runsEveryCase(name: DatabaseName): boolean {
  return name === "SQLite" || process.env.PURSE_EVERY_DATABASE === "1";
}

/** Settings of a server with a new, empty database of a kind. */
export async function databaseEnv(name: DatabaseName): Promise<Record<string, string>> {
  if (name === "SQLite") return {};
  return { PURSE_DATABASE_URL: await newDatabase(inject("postgresUrl")), PURSE_DATABASE_CONNECTIONS: "5" };
}
