import { CHAIN_PRESETS, type ChainConfig, findChainPreset, type IndexDatabase } from "@purse/chain";
import type { DatabaseConfig } from "./database.ts";

/** The optional settings of a chain, by their keys in the config file, with the ends of their variables' names. */
export const CHAIN_VARIABLES = {
  id: "ID",
  startBlock: "START_BLOCK",
  scope: "SCOPE",
  traces: "TRACES",
  databaseUrl: "DATABASE_URL",
  databaseDirectUrl: "DATABASE_DIRECT_URL",
  partitionBlocks: "PARTITION_BLOCKS",
  keepBlocks: "KEEP_BLOCKS",
  keepDays: "KEEP_DAYS",
  resets: "RESETS",
  verifyRoots: "VERIFY_ROOTS",
  stalledSeconds: "STALLED_SECONDS",
} as const;

/** Settings of a chain, as strings. */
export interface ChainInput extends Partial<Record<keyof typeof CHAIN_VARIABLES, string | undefined>> {
  /** As in the variable's name: `ETH`, `BSC_TESTNET`. */
  name: string;
  rpcUrl: string;
}

/**
 * Parses the settings of a chain. `connections` are those of each database. Throws Error that says which setting is
 * invalid and what is allowed.
 */
export function parseChain(input: ChainInput, connections: number): ChainConfig {
  const { name, rpcUrl, id, startBlock, scope, traces } = input;
  const setting = `PURSE_CHAIN_${name.toUpperCase().replaceAll(" ", "_")}`;
  const lower = name.toLowerCase().replaceAll("_", " ");
  const known = findChainPreset(lower);
  const chainId = id === undefined ? known?.id : integerOf(`${setting}_ID`, id);
  if (!chainId) {
    throw new Error(
      `${setting}_RPC_URL: "${lower}" is not a known chain (${CHAIN_PRESETS.map((chain) => chain.name).join(", ")}): set ${setting}_ID to its chain id`,
    );
  }
  const chain: ChainConfig = {
    id: chainId,
    name: known?.name ?? lower,
    aliases: [...(known?.aliases ?? [])],
    rpcUrls: rpcUrls(`${setting}_RPC_URL`, rpcUrl),
  };
  if (startBlock !== undefined) chain.startBlock = integerOf(`${setting}_START_BLOCK`, startBlock);
  if (scope !== undefined) {
    if (scope !== "chain" && scope !== "wallets")
      throw new Error(`${setting}_SCOPE must be chain or wallets`);
    chain.scope = scope;
  }
  if (traces !== undefined && isOn(`${setting}_TRACES`, traces)) {
    if (scope === "wallets") throw new Error(`${setting}_TRACES requires the scope chain`);
    chain.traces = true;
  }
  const { resets, verifyRoots, stalledSeconds } = input;
  if (verifyRoots !== undefined) chain.verifyRoots = isOn(`${setting}_VERIFY_ROOTS`, verifyRoots);
  if (resets !== undefined) chain.resets = isOn(`${setting}_RESETS`, resets);
  if (stalledSeconds !== undefined)
    chain.stalledSeconds = integerOf(`${setting}_STALLED_SECONDS`, stalledSeconds);
  const database = parseIndexDatabase(setting, input, connections);
  if (database) chain.database = database;
  for (const { key, variable, range } of EVENT_SETTINGS) {
    const value = input[key];
    if (value === undefined) continue;
    const name = `${setting}_${variable}`;
    if (scope === "wallets") throw new Error(`${name} requires the scope chain`);
    chain[key] = integerWithin(name, value, range);
  }
  return chain;
}

/** How the events of a chain are stored, with the smallest and the largest number of blocks or days. */
const EVENT_SETTINGS = [
  // Smaller partitions would be too many for the planner of PostgreSQL; larger ones would never be full.
  { key: "partitionBlocks", variable: "PARTITION_BLOCKS", range: [1_000, 100_000_000] },
  // More than a reorganization removes.
  { key: "keepBlocks", variable: "KEEP_BLOCKS", range: [10_000, Number.MAX_SAFE_INTEGER] },
  { key: "keepDays", variable: "KEEP_DAYS", range: [1, 36_500] },
] as const;

function parseIndexDatabase(
  setting: string,
  { databaseUrl: url, databaseDirectUrl: directUrl }: ChainInput,
  connections: number,
): IndexDatabase | undefined {
  if (url === undefined) {
    if (directUrl === undefined) return undefined;
    throw new Error(`${setting}_DATABASE_DIRECT_URL needs ${setting}_DATABASE_URL`);
  }
  assertPostgresUrl(`${setting}_DATABASE_URL`, url);
  if (directUrl !== undefined) assertPostgresUrl(`${setting}_DATABASE_DIRECT_URL`, directUrl);
  return { url, connections, ...(directUrl !== undefined && { directUrl }) };
}

/** The URL contains a password, so it is not part of the error. */
function assertPostgresUrl(setting: string, url: string): void {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return;
  throw new Error(
    `${setting} must be postgres://user:password@host:5432/database, with the password's special characters escaped`,
  );
}

/**
 * Throws Error if the events of a chain cannot be stored as it says: partitions are for PostgreSQL, and old events are
 * removed from partitions or from SQLite.
 */
export function assertEventsStorable(
  chains: readonly ChainConfig[],
  { kind }: DatabaseConfig,
  clickHouseUrl: string | undefined,
): void {
  for (const { name, database, partitionBlocks, keepBlocks, keepDays } of chains) {
    const isPostgres = database !== undefined || kind === "postgres";
    const hasPartitions = partitionBlocks !== undefined;
    if (hasPartitions && (!isPostgres || clickHouseUrl !== undefined))
      throw new Error(
        `The chain "${name}" has partitions (PARTITION_BLOCKS): they are for events in PostgreSQL, ${
          isPostgres ? "but PURSE_CLICKHOUSE_URL is set" : "which PURSE_DATABASE_URL does not name"
        }`,
      );
    if (keepBlocks === undefined && keepDays === undefined) continue;
    const subject = `The chain "${name}" removes old events (KEEP_BLOCKS, KEEP_DAYS)`;
    if (clickHouseUrl !== undefined)
      throw new Error(
        `${subject}: they are removed from SQLite and PostgreSQL, but PURSE_CLICKHOUSE_URL is set`,
      );
    if (isPostgres && !hasPartitions)
      throw new Error(`${subject}: its index in PostgreSQL requires partitions (PARTITION_BLOCKS)`);
  }
}

function rpcUrls(setting: string, value: string): string[] {
  const urls = value.split(",").map((url) => url.trim());
  for (const url of urls) {
    // The URL may contain an API key, so it is not part of the error.
    if (!URL.canParse(url) || !/^(http|ws)s?:$/.test(new URL(url).protocol)) {
      throw new Error(
        `${setting} must be one or more comma-separated http://, https://, ws:// or wss:// URLs`,
      );
    }
  }
  return urls;
}

function isOn(setting: string, value: string): boolean {
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new Error(`${setting} must be 1 or 0`);
}

function integerWithin(setting: string, value: string, [min, max]: readonly [number, number]): number {
  const number = integerOf(setting, value);
  if (number >= min && number <= max) return number;
  const atMost = max === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${max}`;
  throw new Error(`${setting} is ${value}: it must be at least ${min}${atMost}`);
}

function integerOf(setting: string, value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`${setting} is "${value}": it must be a whole number, 0 or more`);
}
