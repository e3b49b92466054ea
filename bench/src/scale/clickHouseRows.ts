/* Generates the simulated chain within ClickHouse, and what belongs to it in the SQLite file beside it. */
import Database from "better-sqlite3";
import { toBytes } from "../../../packages/chain/src/model/hexBytes.ts";
import { positionOf } from "../../../packages/chain/src/model/rows.ts";
import {
  type ClickHouse,
  openClickHouse,
} from "../../../packages/chain/src/store/clickhouse/clickhouseConnection.ts";
import { EVENTS_FACT, parseEventState } from "../../../packages/chain/src/store/clickhouse/eventState.ts";
import { EVENT_LAYOUTS, eventTableName } from "../../../packages/chain/src/store/clickhouse/eventTables.ts";
import type { ChainIndex } from "../../../packages/chain/src/store/openIndex.ts";
import { encodeOrdered } from "../../../packages/chain/src/store/orderedInteger.ts";
import { requireSpace } from "./diskSpace.ts";
import { blockRow } from "./scaleBlocks.ts";
import { addressOf, FIXED, ITEM_ID, RARE_BLOCKS, shape, TRANSFERS } from "./scaleShape.ts";
import { balanceSelect, CLICKHOUSE_ROWS, eventSelects, tokenSelect } from "./scaleSql.ts";

/** Blocks per statement. */
const STEP = 10_000;
/** Parts in which balances are read. */
const SHARES = 4;
/** Including what merges need at once. */
const BYTES_PER_TRANSFER = 450;

/** Fills an empty index; `onToken` receives its tokens. */
export async function generateInClickHouse(
  { writer, store }: Pick<ChainIndex, "writer" | "store">,
  {
    url,
    path,
    blocks,
    onToken,
  }: { url: string; path: string; blocks: number; onToken: (token: string, standard: number) => void },
): Promise<void> {
  // Creates the tables of the events.
  await writer.clear();
  const state = parseEventState((await store.properties()).get(EVENTS_FACT) ?? "");
  const clickHouse = await openClickHouse(url, 2);
  for (let from = 0; from < blocks; from += STEP) {
    requireSpace((blocks - from) * TRANSFERS * BYTES_PER_TRANSFER, "the rest of the index");
    const to = Math.min(blocks, from + STEP);
    const startedAt = performance.now();
    for (const { table, values, from: source } of eventSelects(CLICKHOUSE_ROWS, from, to)) {
      const columns = Object.keys(EVENT_LAYOUTS[table].columns).join(", ");
      await clickHouse.execute(`INSERT INTO ${eventTableName(state.id, table)} (${columns}, fork)
        SELECT ${values}, ${state.fork} FROM ${source}`);
    }
    const rate = ((to - from) * TRANSFERS) / ((performance.now() - startedAt) / 1_000);
    console.log(`clickhouse: ${(to * TRANSFERS).toLocaleString("en")} transfers, ${rate.toFixed(0)}/s`);
  }
  await fillSqlite(clickHouse, path, blocks, onToken);
  await clickHouse.close();
  await writer.saveProperty(EVENTS_FACT, JSON.stringify({ ...state, end: positionOf(blocks, 0) }));
}

/** The tables of the SQL database: blocks, tokens, balances and owners. */
async function fillSqlite(
  clickHouse: ClickHouse,
  path: string,
  blocks: number,
  onToken: (token: string, standard: number) => void,
): Promise<void> {
  const db = new Database(path);
  db.pragma("synchronous = OFF");
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
  const addToken = (address: string, standard: number, position: number) => {
    token.run(toBytes(address), standard, position);
    onToken(address, standard);
  };
  const itemOwners = new Map<string, number>();
  const collections = new Set<string>();
  db.transaction(() => {
    for (let n = 0; n < blocks; n++) {
      const { number, hash, parentHash, timestamp } = blockRow(n);
      block.run(number, toBytes(hash), toBytes(parentHash), timestamp);
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
  for (let share = 0; share < SHARES; share++) {
    const rows = await clickHouse.query(
      `SELECT ${CLICKHOUSE_ROWS.address("token", "token")} AS contract, ${CLICKHOUSE_ROWS.address("wallet", "owner")} AS holder,
        toString(balance) AS details FROM (${balanceSelect(CLICKHOUSE_ROWS, blocks, share, SHARES)}) ORDER BY contract, holder`,
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
  }
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

/** Sizes of the tables of events in ClickHouse, with their orders. */
export async function clickHouseSizes(url: string): Promise<Map<string, number>> {
  const clickHouse = await openClickHouse(url, 1);
  const rows = await clickHouse.query(
    `SELECT table AS details, sum(bytes_on_disk) AS bytes FROM system.parts
      WHERE active AND table LIKE 'purse_%' GROUP BY table`,
  );
  await clickHouse.close();
  // The names begin with `purse_` and the id of the index.
  return new Map(
    rows.map(({ details, bytes }) => [String(details).split("_").slice(2).join("_"), Number(bytes)]),
  );
}
