import { inject } from "vitest";
import { newDatabase } from "./postgresServer.ts";

/** The supported databases. */
export const DATABASES = ["SQLite", "PostgreSQL"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** Settings of a server with a new, empty database of a kind. */
export async function databaseEnv(name: DatabaseName): Promise<Record<string, string>> {
  if (name === "SQLite") return {};
  return { PURSE_DATABASE_URL: await newDatabase(inject("postgresUrl")), PURSE_DATABASE_CONNECTIONS: "5" };
}
