import { copyFile, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { inject } from "vitest";
import type { ChainServiceConfig } from "../src/chainService.ts";
import { indexLocationOf } from "../src/createChainService.ts";
import { toHex } from "../src/model/hexBytes.ts";
import { openEvents } from "../src/store/clickhouse/openEvents.ts";
import { openReader } from "../src/store/openReader.ts";
import { EVENT_TABLES } from "../src/store/schema.ts";
import { createPostgres } from "./postgresDatabases.ts";

export const createTempFolder = () => mkdtemp(join(tmpdir(), "purse-chain-"));

/** Creates a directory for a local chain with a prebuilt history that all tests share. */
export async function createChainFolder(): Promise<string> {
  const folder = await createTempFolder();
  const savedState = process.env.PURSE_TEST_BEGUN_CHAIN;
  if (savedState !== undefined) await copyFile(savedState, join(folder, "state.json.gz"));
  return folder;
}

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the test run. */
    postgresUrl: string;
  }
}

/** The server for the events of indexes; see `npm run test:clickhouse`. */
const clickHouseUrl = process.env.PURSE_TEST_CLICKHOUSE_URL;

export type DatabaseName =
  | "SQLite"
  | "PostgreSQL"
  | "PostgreSQL with partitions"
  | "SQLite and ClickHouse"
  | "PostgreSQL and ClickHouse";

/** Databases that indexes support: for tests of their stores, of SQL and of transactions. */
export const ALL_DATABASES: readonly [DatabaseName, DatabaseName] =
  clickHouseUrl === undefined
    ? ["SQLite", "PostgreSQL"]
    : ["SQLite and ClickHouse", "PostgreSQL and ClickHouse"];

/** The same with partitions, for tests of what depends on them. */
export const DATABASES_AND_PARTITIONS: readonly DatabaseName[] =
  clickHouseUrl === undefined ? [...ALL_DATABASES, "PostgreSQL with partitions"] : ALL_DATABASES;

/** Databases for tests of everything above the stores: SQLite with `npm test`, PostgreSQL with the rest, or both. */
export const DATABASES: readonly DatabaseName[] =
  process.env.PURSE_TESTS === "all" || clickHouseUrl !== undefined
    ? ALL_DATABASES
    : [ALL_DATABASES[process.env.PURSE_TESTS === "rest" ? 1 : 0]];

/** Whether cases that take long run, as `.nightly.` files do: in files of which `npm test` runs the quick ones. */
export const NIGHTLY = process.env.PURSE_TESTS !== undefined;

/**
 * Whether cases that do not depend on the database run on this one: on the first, and with `npm run test:all` on all of
 * them.
 */
export function runsEveryCase(name: DatabaseName): boolean {
  return name === ALL_DATABASES[0] || process.env.PURSE_TESTS === "all";
}

export type DatabaseLocation = ChainServiceConfig["database"];

/** Few, so that the blocks of tests are in several partitions. */
const PARTITION_BLOCKS = 100;

export interface TestDatabase {
  location: DatabaseLocation;
  remove(): Promise<void>;
}

/** Creates an empty database for indexes. */
export async function createDatabase(name: DatabaseName): Promise<TestDatabase> {
  // Each index has tables of its own.
  const events = clickHouseUrl === undefined ? {} : { clickHouseUrl };
  if (name.startsWith("SQLite")) return createFolder({ kind: "sqlite", folder: "", ...events });
  const partitions = name === "PostgreSQL with partitions" ? { partitionBlocks: PARTITION_BLOCKS } : {};
  return createOnServer({ kind: "postgres", url: "", connections: 2, ...events, ...partitions });
}

/** Copies a database that nobody uses; one with events in ClickHouse cannot be copied. */
export async function copyDatabase({ location }: TestDatabase): Promise<TestDatabase> {
  if (location.clickHouseUrl !== undefined) throw new Error("the events are in another database");
  if (location.kind === "postgres") return createOnServer(location, new URL(location.url).pathname.slice(1));
  const copy = await createFolder(location);
  if (copy.location.kind === "sqlite") await cp(location.folder, copy.location.folder, { recursive: true });
  return copy;
}

async function createFolder(location: Extract<DatabaseLocation, { kind: "sqlite" }>): Promise<TestDatabase> {
  const folder = await createTempFolder();
  return {
    location: { ...location, folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Creates a database on the server of the tests, empty or as a copy of another one. */
async function createOnServer(
  location: Extract<DatabaseLocation, { kind: "postgres" }>,
  template?: string,
): Promise<TestDatabase> {
  const { url, remove } = await createPostgres(inject("postgresUrl"), template);
  return { location: { ...location, url }, remove };
}

type DumpTable =
  | "blocks"
  | "transactions"
  | "transaction_fees"
  | "logs"
  | "nft_transfers"
  | "nft_ranges"
  | "trades"
  | "internal_transfers"
  | "nft_balances"
  | "erc20_balances"
  | "erc20_totals"
  | "list_counts"
  | "tokens"
  | "nft_metadata";
/** Bytes are in hex. */
type DumpRow = Record<string, string | number | null>;

/** Reads rows in a fixed order. */
type ReadRows<Table extends string> = (
  columns: string,
  table: Table,
  order: string,
  isGrouped?: boolean,
) => Promise<DumpRow[]>;

/** Dumps the contents of a chain's index in a fixed order. */
export function dumpIndex(
  location: DatabaseLocation,
  chainId: number,
): Promise<Record<DumpTable, DumpRow[]>> {
  return withRows<DumpTable, Record<DumpTable, DumpRow[]>>(location, chainId, async (rowsOf) => ({
    blocks: await rowsOf("*", "blocks", "number"),
    transactions: await rowsOf("*", "transactions", "position"),
    transaction_fees: await rowsOf("*", "transaction_fees", "position"),
    logs: await rowsOf("*", "logs", "position"),
    nft_transfers: await rowsOf("*", "nft_transfers", "position, part"),
    nft_ranges: await rowsOf("*", "nft_ranges", "position"),
    trades: await rowsOf("*", "trades", "position"),
    internal_transfers: await rowsOf("*", "internal_transfers", "position, part"),
    nft_balances: await rowsOf("*", "nft_balances", "token, token_id, owner"),
    erc20_balances: await rowsOf("*", "erc20_balances", "token, owner"),
    erc20_totals: await rowsOf("*", "erc20_totals", "token"),
    list_counts: (
      await rowsOf("list, key, detail, CAST(sum(n) AS int8) AS n", "list_counts", "list, key, detail", true)
    ).filter(({ n }) => n !== 0),
    // Token metadata is read asynchronously.
    tokens: await rowsOf("address, standard, position", "tokens", "address"),
    // So is NFT metadata.
    nft_metadata: await rowsOf("token, token_id, standard, position", "nft_metadata", "token, token_id"),
  }));
}

/** Dumps the blocks and logs of a chain's index. */
export function dumpBlocks(
  location: DatabaseLocation,
  chainId: number,
): Promise<Record<"blocks" | "logs", DumpRow[]>> {
  return withRows<"blocks" | "logs", Record<"blocks" | "logs", DumpRow[]>>(
    location,
    chainId,
    async (rowsOf) => ({
      blocks: await rowsOf("*", "blocks", "number"),
      logs: await rowsOf("*", "logs", "position"),
    }),
  );
}

async function withRows<Table extends string, T>(
  location: DatabaseLocation,
  chainId: number,
  dump: (rowsOf: ReadRows<Table>) => Promise<T>,
): Promise<T> {
  const place = indexLocationOf(location, chainId);
  const reader = await openReader(place, 1);
  const events = await openEvents(place.clickHouseUrl, reader, { connections: 1 });
  try {
    return await dump(async (columns, table, order, isGrouped = false) => {
      const isEvents = EVENT_TABLES.some((each) => each === table);
      const rows = await (isEvents && events ? events.reader : reader).all(
        sql.raw<Record<string, string | number | Uint8Array | null>>(
          `SELECT ${columns} FROM ${table} ${isGrouped ? `GROUP BY ${order}` : ""} ORDER BY ${order}`,
        ),
      );
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [
            key,
            value instanceof Uint8Array ? toHex(value) : value,
          ]),
        ),
      );
    });
  } finally {
    await events?.reader.close();
    await reader.close();
  }
}
