import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import type { SessionOptions } from "../src/database/postgres/session.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server that the tests have started. */
    postgresUrl: string;
  }
}

/** Creates a database on the server of the tests, empty or a copy of one that nobody uses, and returns its URL. */
export async function createDatabase(original?: string): Promise<string> {
  const url = new URL(inject("postgresUrl"));
  const name = `test_${randomBytes(8).toString("hex")}`;
  const template = original === undefined ? "template1" : databaseOf(original);
  await onServer((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)}`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database, and ends its sessions. */
export async function dropDatabase(url: string): Promise<void> {
  await onServer((sql) => sql`DROP DATABASE IF EXISTS ${sql(databaseOf(url))} WITH (FORCE)`);
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function onServer(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(inject("postgresUrl"), { max: 1, onnotice: () => undefined });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** Options of a session with a database, with default settings. */
export function sessionOf(url: string): SessionOptions {
  return { url, applicationName: "test", settings: {}, deadlineMs: 10_000, requiresPrimary: true };
}
