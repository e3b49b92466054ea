import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DatabaseConfig } from "../src/config/database.ts";
import { openStore } from "../src/database/openStore.ts";
import type { Store } from "../src/database/store.ts";
import { createDatabase, dropDatabase } from "./postgresDatabase.ts";

/** The supported databases: for tests of the `Store`, of SQL and of transactions. */
export const ALL_DATABASES = ["SQLite", "PostgreSQL"] as const;
export type DatabaseName = (typeof ALL_DATABASES)[number];

/** Whether cases that take long run, as `.nightly.` files do: in files of which `npm test` runs the quick ones. */
export const NIGHTLY = process.env.PURSE_TESTS !== undefined;

/** The databases for tests of everything above the `Store`: SQLite with `npm test`, PostgreSQL with the rest, or both. */
export const DATABASES: readonly DatabaseName[] =
  process.env.PURSE_TESTS === "all"
    ? ALL_DATABASES
    : [process.env.PURSE_TESTS === "rest" ? "PostgreSQL" : "SQLite"];
type Cleanups = (() => Promise<unknown>)[];

/** Stores of tests: creating the tables in PostgreSQL takes three times as long as copying a database that has them. */
interface StoreCopies {
  /** Opens a store with what all stores have; the cleanups close and remove it. */
  open(database: DatabaseName, cleanups: Cleanups): Promise<Store>;
  /** Removes what was copied. */
  remove(): Promise<void>;
}

/** `prepare` creates what all stores have. */
export function createStoreCopies(prepare: (store: Store) => Promise<unknown>): StoreCopies {
  const originals = new Map<DatabaseName, Promise<DatabaseConfig>>();
  const removals: Cleanups = [];

  async function createOriginal(database: DatabaseName): Promise<DatabaseConfig> {
    const config = await createConfig(database, removals);
    const store = await openStore(config);
    await prepare(store);
    await store.close();
    return config;
  }

  return {
    async open(database, cleanups) {
      const original = originals.get(database) ?? createOriginal(database);
      originals.set(database, original);
      const store = await openStore(await createConfig(database, cleanups, await original));
      cleanups.push(() => store.close());
      return store;
    },
    async remove() {
      for (const removal of removals.splice(0).reverse()) await removal();
      originals.clear();
    },
  };
}

/** Creates an empty database, or a copy of one that nobody uses. */
async function createConfig(
  database: DatabaseName,
  cleanups: Cleanups,
  original?: DatabaseConfig,
): Promise<DatabaseConfig> {
  if (database === "SQLite") {
    const folder = await mkdtemp(join(tmpdir(), "purse-store-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    if (original?.kind === "sqlite") await cp(dirname(original.path), folder, { recursive: true });
    return { kind: "sqlite", path: join(folder, "purse.sqlite") };
  }
  const url = await createDatabase(original?.kind === "postgres" ? original.url : undefined);
  cleanups.push(() => dropDatabase(url));
  return { kind: "postgres", url, connections: 3 };
}
