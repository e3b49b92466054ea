/* Generates the simulated chain within ClickHouse, and what belongs to it in the SQLite file beside it. */
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { toBytes, toHex } from "../../../packages/chain/src/model/hexBytes.ts";
import { blockOf, positionOf } from "../../../packages/chain/src/model/rows.ts";
import {
  type ClickHouse,
  openClickHouse,
} from "../../../packages/chain/src/store/clickhouse/clickhouseConnection.ts";
import {
  EVENTS_FACT,
  newEventState,
  parseEventState,
} from "../../../packages/chain/src/store/clickhouse/eventState.ts";
import {
  EVENT_LAYOUTS,
  eventTableName,
  eventTableNames,
  eventTableStatements,
} from "../../../packages/chain/src/store/clickhouse/eventTables.ts";
import type { ChainIndex } from "../../../packages/chain/src/store/openIndex.ts";
import { encodeOrdered } from "../../../packages/chain/src/store/orderedInteger.ts";
import { EVENT_TABLES } from "../../../packages/chain/src/store/schema.ts";
import { freeBytes, requireSpace } from "./diskSpace.ts";
import type { FillProgress } from "./fillProgress.ts";
import { blockRow } from "./scaleBlocks.ts";
import { addressOf, FIXED, ITEM_ID, RARE_BLOCKS, shape, TRANSFERS } from "./scaleShape.ts";
import { balanceSelect, CLICKHOUSE_ROWS, eventSelects, tokenSelect } from "./scaleSql.ts";

/** Blocks per statement. */
const STEP = 10_000;
/** About how many transfers make up the balances of one read; each read goes through all transfers. */
const TRANSFERS_PER_SHARE = 10_000_000;
const MIN_SHARES = 4;
/** Including what merges need at once. */
const BYTES_PER_TRANSFER = 300;

export interface ClickHouseFilling {
  url: string;
  /** The file of the SQL database. */
  path: string;
  blocks: number;
  progress: FillProgress;
}

/** Fills an index, or goes on after a run that has been interrupted. */
export async function generateInClickHouse(
  { writer, store }: Pick<ChainIndex, "writer" | "store">,
  { url, path, blocks, progress }: ClickHouseFilling,
): Promise<void> {
  if (await store.checkpoint()) return;
  const before = (await store.properties()).get(EVENTS_FACT);
  const state = before === undefined ? newEventState() : parseEventState(before);
  if (before === undefined) await writer.saveProperty(EVENTS_FACT, JSON.stringify(state));
  const clickHouse = await openClickHouse(url, 2);
  for (const statement of eventTableStatements(state.id)) await clickHouse.execute(statement);
  const done = blockOf(state.end);
  // What an interrupted statement has left.
  if (before !== undefined)
    for (const table of EVENT_TABLES)
      for (const name of eventTableNames(state.id, table).values())
        await clickHouse.execute(
          `ALTER TABLE ${name} DELETE WHERE position >= ${state.end} SETTINGS mutations_sync = 1`,
        );
  let seconds = 0;
  for (let from = done; from < blocks; from += STEP) {
    requireSpace((blocks - from) * TRANSFERS * BYTES_PER_TRANSFER, "the rest of the index", dirname(path));
    const to = Math.min(blocks, from + STEP);
    const startedAt = performance.now();
    for (const { table, values, from: source } of eventSelects(CLICKHOUSE_ROWS, from, to)) {
      const columns = Object.keys(EVENT_LAYOUTS[table].columns).join(", ");
      await clickHouse.execute(`INSERT INTO ${eventTableName(state.id, table)} (${columns}, fork)
        SELECT ${values}, ${state.fork} FROM ${source}`);
    }
    await writer.saveProperty(EVENTS_FACT, JSON.stringify({ ...state, end: positionOf(to, 0) }));
    const took = (performance.now() - startedAt) / 1_000;
    progress.add("generated", took);
    seconds += took;
    report({ done: to, all: blocks, rate: ((to - done) * TRANSFERS) / seconds, folder: dirname(path) });
  }
  const startedAt = performance.now();
  await fillSqlite(clickHouse, path, blocks);
  progress.add("generated", (performance.now() - startedAt) / 1_000);
  await clickHouse.close();
}

function report({ done, all, rate, folder }: { done: number; all: number; rate: number; folder: string }) {
  const [written, wanted] = [done, all].map((blocks) => (blocks * TRANSFERS).toLocaleString("en"));
  const minutes = ((all - done) * TRANSFERS) / rate / 60;
  console.log(
    `clickhouse: ${written} of ${wanted} transfers, ${rate.toFixed(0)}/s, ${minutes.toFixed(0)} min left, ${(freeBytes(folder) / 1e9).toFixed(1)} GB free`,
  );
}

/**
 * The tables of the SQL database: blocks, tokens, balances and owners. The blocks are written last, so that all is written
 * again after an interruption.
 */
async function fillSqlite(clickHouse: ClickHouse, path: string, blocks: number): Promise<void> {
  const db = new Database(path);
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -1000000");
  for (const table of ["tokens", "erc20_balances", "erc20_totals", "nft_balances", "nft_metadata"])
    db.exec(`DELETE FROM ${table}`);
  const insert = (table: string, columns: number) =>
    db.prepare(`INSERT INTO ${table} VALUES (${Array.from({ length: columns }, () => "?").join(", ")})`);
  const [block, balance, total] = [
    insert("blocks", 4),
    insert("erc20_balances", 4),
    insert("erc20_totals", 3),
  ];
  const nft = insert("nft_balances", 6);
  const metadata = db.prepare(
    "INSERT INTO nft_metadata (token, token_id, standard, position) VALUES (?, ?, ?, ?)",
  );
  const token = db.prepare("INSERT INTO tokens (address, standard, position, known) VALUES (?, ?, ?, 0)");
  const wordOf = (n: number) => Buffer.from(n.toString(16).padStart(64, "0"), "hex");
  const addToken = (address: string, standard: number, position: number) =>
    token.run(toBytes(address), standard, position);
  const itemOwners = new Map<string, number>();
  const collections = new Set<string>();
  db.transaction(() => {
    for (let n = 0; n < blocks; n++) {
      const collection = addressOf("collection", shape.collection(n));
      nft.run(toBytes(collection), wordOf(n), toBytes(addressOf("wallet", shape.collector(n))), 721, "1", 1);
      metadata.run(toBytes(collection), wordOf(n), 721, positionOf(n, 200));
      if (!collections.has(collection)) addToken(collection, 721, positionOf(n, 200));
      collections.add(collection);
      if (n % RARE_BLOCKS !== 0) continue;
      if (n === 0) {
        metadata.run(toBytes(FIXED.items), wordOf(ITEM_ID), 1155, positionOf(n, 225));
        addToken(FIXED.items, 1155, positionOf(n, 225));
      }
      const owner = addressOf("wallet", shape.itemReceiver(n));
      itemOwners.set(owner, (itemOwners.get(owner) ?? 0) + 3);
    }
    for (const [owner, amount] of itemOwners)
      nft.run(toBytes(FIXED.items), wordOf(ITEM_ID), toBytes(owner), 1155, String(amount), 1);
  })();
  for (const row of await clickHouse.query(tokenSelect(CLICKHOUSE_ROWS, blocks))) {
    const [number, first] = [Number(row.token), Number(row.first)];
    addToken(addressOf("token", number), 20, positionOf(Math.floor(first / TRANSFERS), first % TRANSFERS));
  }
  const shares = Math.max(MIN_SHARES, Math.ceil((blocks * TRANSFERS) / TRANSFERS_PER_SHARE));
  for (let share = 0; share < shares; share++) {
    const rows = await clickHouse.query(
      `SELECT ${CLICKHOUSE_ROWS.address("token", "token")} AS contract, ${CLICKHOUSE_ROWS.address("wallet", "owner")} AS holder,
        toString(balance) AS details FROM (${balanceSelect(CLICKHOUSE_ROWS, blocks, share, shares)}) ORDER BY contract, holder`,
    );
    const holders = new Map<string, number>();
    db.transaction(() => {
      for (const { contract, holder, details } of rows) {
        const amount = BigInt(String(details));
        balance.run(contract, holder, encodeOrdered(amount), amount > 0n ? 1 : 0);
        if (!(contract instanceof Uint8Array)) continue;
        const key = Buffer.from(contract).toString("hex");
        holders.set(key, (holders.get(key) ?? 0) + (amount > 0n ? 1 : 0));
      }
      for (const [contract, count] of holders)
        if (count > 0) total.run(Buffer.from(contract, "hex"), count, encodeOrdered(0n));
    })();
    console.log(`sqlite: balances ${share + 1} of ${shares}`);
  }
  db.transaction(() => {
    for (let n = 0; n < blocks; n++) {
      const { number, hash, parentHash, timestamp } = blockRow(n);
      block.run(number, toBytes(hash), toBytes(parentHash), timestamp);
    }
  })();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

/** The tokens of a SQLite file with their standards. */
export function readTokens(path: string): Map<string, number> {
  const db = new Database(path, { readonly: true });
  const rows = db
    .prepare<[], { address: Buffer; standard: number }>("SELECT address, standard FROM tokens")
    .all();
  db.close();
  return new Map(rows.map(({ address, standard }) => [toHex(address), standard]));
}
