import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { TRANSFER_TOPIC } from "../model/topics.ts";
import { ChainStore } from "./chainStore.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import type { ListOptions } from "./listQuery.ts";
import { openIndex } from "./openIndex.ts";
import { openReader } from "./openReader.ts";

const TOKEN = `0x${"ee".repeat(20)}`;
const COLLECTION = `0x${"ec".repeat(20)}`;
const WALLET = `0x${"a1".repeat(20)}`;
const TOPIC = `0x${"12".repeat(32)}`;
const WINDOW: ListOptions = { offset: 100, limit: 10, withTotal: true };

let reader: IndexReader;
let store: ChainStore;
let remove: () => Promise<void>;
let plans: string[] = [];

beforeAll(async () => {
  const database = await createDatabase("SQLite");
  ({ remove } = database);
  const location = indexLocationOf(database.location, 1);
  const index = await openIndex(location, createRecordingLogger());
  const [hash, parentHash] = [`0x${"1".repeat(64)}`, `0x${"0".repeat(64)}`];
  const blocks = [{ number: 0, hash, parentHash, timestamp: 0 }];
  const none = { transactions: [], logs: [], nftTransfers: [], nftRanges: [], nftUpdates: [], trades: [] };
  await index.writer.append(undefined, { blocks, ...none }, [
    { address: TOKEN, standard: 20, position: 0 },
    { address: COLLECTION, standard: 721, position: 0 },
  ]);
  await index.close();
  reader = await openReader(location);
  store = new ChainStore({
    dialect: reader.dialect,
    async all<Row>(query: IndexQuery<Row>) {
      const { text, parameters } = compileQuery(reader.dialect.compiler, query);
      const values = parameters.map((value) => sql`${value}`);
      const parts = text.split("?").map((part) => sql.raw(part));
      const explained = parts.reduce((whole, part, i) => sql`${whole}${values[i - 1]}${part}`);
      const rows = await reader.all(sql<{ detail: string }>`EXPLAIN QUERY PLAN ${explained}`);
      plans.push(rows.map(({ detail }) => detail).join("\n"));
      return reader.all(query);
    },
    change: (query) => reader.change(query),
    close: () => reader.close(),
  });
});
afterAll(async () => {
  await reader?.close();
  await remove?.();
});

/** The plans of the statements that read logs for the pages and totals of a list. */
async function plansOf(list: Promise<unknown>): Promise<string[]> {
  plans = [];
  await list;
  return plans.filter((plan) => /\blogs\b/.test(plan) && plan.includes("topic") && plan.includes("USING"));
}

it("the logs of one pool of a contract with many are found by the pool's id", async () => {
  const source = { address: TOKEN, topics: [TOPIC, TRANSFER_TOPIC], topic1: TOPIC };
  const found = [
    ...(await plansOf(store.poolLogs.latestBefore([source], 9))),
    ...(await plansOf(store.poolLogs.inRange(source, 0, 9, 5))),
  ];
  expect(found).toHaveLength(2);
  for (const plan of found) {
    expect(plan).toContain("logs_by_topic1 (address=? AND topic1=?");
    expect(plan).not.toContain("SCAN logs");
  }
});

it.each([
  [{ sender: WALLET }, "COVERING INDEX operations_by_sender (topic2=?"],
  [{ paymaster: WALLET }, "COVERING INDEX operations_by_paymaster (topic3=?"],
  [{ sender: WALLET, paymaster: WALLET }, "operations_by_sender (topic2=?"],
])("the user operations of %o are found by the index %s", async (selection, index) => {
  const found = await plansOf(store.userOperations.list([TOKEN, WALLET], selection, WINDOW));
  expect(found).toHaveLength(2);
  for (const plan of found) expect(plan).toContain(index);
});

it.each([1, 5, 200])("the logs about %i user operations are found by their hashes", async (count) => {
  const hashes = Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`);
  const { userOperations } = store;
  for (const read of [userOperations.logsOf, userOperations.effectsOf]) {
    const [plan] = await plansOf(read.call(userOperations, [TOKEN, WALLET], hashes));
    expect(plan).toContain("logs_by_topic1 (address=? AND topic1=?");
  }
});

it("sales and logs in transactions are found by their blocks, however many transactions there are", async () => {
  const positions = Array.from({ length: 100 }, (_, i) => (i % 3) * 2 ** 20 + i);
  for (const read of [
    () => store.walletHistory.tradesIn(positions, [TOKEN, WALLET]),
    () => store.walletHistory.transactionsWithLog(positions, [TOPIC, TRANSFER_TOPIC]),
  ]) {
    plans = [];
    await read();
    expect(plans).toHaveLength(1);
    expect(plans[0]?.match(/SEARCH (trades|logs) USING INTEGER PRIMARY KEY/g)).toHaveLength(1);
    expect(plans[0]).not.toMatch(/SCAN (trades|logs)/);
  }
});

it.each([undefined, 5 * 2 ** 20 + 3])(
  "a page of a wallet's history after %s is one statement per table, whose positions come from covering indexes",
  async (after) => {
    plans = [];
    await store.walletHistory.read(WALLET, { after, ascending: false, limit: 100, withInternal: false });
    expect(plans).toHaveLength(4);
    for (const index of [
      "COVERING INDEX transactions_by_from (from_address=?",
      "COVERING INDEX transactions_to (to_address=?",
      "COVERING INDEX erc20_from (topic1=?",
      "COVERING INDEX erc20_to (topic2=?",
      "COVERING INDEX nft_by_from (from_address=?",
      "COVERING INDEX nft_to (to_address=?",
      "INDEX approvals_by_owner (topic1=?",
    ])
      expect(plans.join("\n")).toContain(index);
    expect(plans.join("\n")).not.toMatch(/SCAN (transactions|logs|nft_transfers|listed)/);
  },
);

it("the metadata of NFTs is found by their ids in one statement", async () => {
  const keys = Array.from({ length: 200 }, (_, i) => ({
    token: TOKEN,
    tokenId: `0x${i.toString(16).padStart(64, "0")}`,
  }));
  plans = [];
  await store.metadata.get(keys);
  expect(plans).toHaveLength(1);
  expect(plans[0]).toMatch(/SEARCH nft_metadata USING INDEX \S+ \(token=\? AND token_id=\?\)/);
});

it.each([
  [{ owner: WALLET }, "nft_by_owner (owner=? AND (token,token_id)>(?,?)"],
  [{ owner: WALLET, tokens: [TOKEN] }, "nft_by_owner (owner=? AND (token,token_id)>(?,?) AND token<?"],
  [{ token: TOKEN }, "PRIMARY KEY (token=? AND (token_id,owner)>(?,?)"],
  [{ token: TOKEN, tokenId: TOPIC }, "PRIMARY KEY (token=? AND token_id=? AND owner>?"],
])("a page of the NFTs of %o begins at the row of its cursor: %s", async (selection, search) => {
  plans = [];
  const after = { token: TOKEN, tokenId: TOPIC, owner: WALLET };
  const counted = { total: 1, isPartial: false };
  await store.nftBalances.listBalances(selection, { after, counted, offset: 0, limit: 10 });
  expect(plans.join()).toContain(search);
});

it("the transfers of a wallet are counted and skipped by indexes that contain all columns", async () => {
  const found = await plansOf(store.erc20Transfers({ wallet: WALLET }, WINDOW));
  expect(found).toHaveLength(2);
  for (const plan of found) {
    expect(plan).toContain("COVERING INDEX erc20_from (topic1=?");
    expect(plan).toContain("COVERING INDEX erc20_to (topic2=?");
  }
  expect(found.find((plan) => plan.includes("MERGE"))).not.toContain("logs USING INDEX");
});

it.each([
  [[TOPIC], "logs_by_topic (address=? AND topic0=?"],
  [[TRANSFER_TOPIC, TOPIC], "logs_by_topic1 (address=? AND topic1=?"],
  [[TRANSFER_TOPIC, TOPIC], "erc20_from (topic1=?"],
  [[undefined, undefined, TOPIC], "logs_by_topic2 (address=? AND topic2=?"],
  [[undefined, undefined, TOPIC], "erc20_to (topic2=?"],
  [[TRANSFER_TOPIC, TOPIC, TOPIC], "erc20_to (topic2=?"],
  [[TOPIC, TOPIC, TOPIC, TOPIC], "logs_by_topic3 (address=? AND topic3=?"],
])("the logs of a contract with the topics %o are found by the index %s", async (topics, index) => {
  const found = await plansOf(store.logs(TOKEN, topics, WINDOW));
  expect(found.filter((plan) => plan.includes(index)).length).toBeGreaterThanOrEqual(2);
  for (const plan of found) expect(plan).not.toMatch(/SCAN (logs|listed)/);
});

it("an unknown token of a collection with transfers is missing without a search of its logs", async () => {
  plans = [];
  const found = await store.nftBalances.listBalances(
    { token: COLLECTION, tokenId: TOPIC },
    { offset: 0, limit: 1 },
  );
  expect(found).toEqual({ rows: [], total: 0, isPartial: false });
  expect(plans.join()).toContain("SEARCH tokens");
  expect(plans.join()).not.toMatch(/\blogs\b/);
});
