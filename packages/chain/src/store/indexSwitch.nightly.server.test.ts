import { afterEach, beforeEach, expect, it } from "vitest";
import { COLLECTION, TOKEN } from "../../test/blockContents.ts";
import { word } from "../../test/fillIndex.ts";
import { createDatabase, type DatabaseLocation, dumpIndex } from "../../test/indexDatabase.ts";
import { append, at, blocks, openLeader, PARTITION_BLOCKS } from "../../test/partitionedIndex.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { toBytes } from "../model/hexBytes.ts";
import { nftKeyString } from "../model/tokens.ts";
import { EVENTS_FACT } from "./clickhouse/eventState.ts";
import { UNUSED_TABLES_FACT } from "./clickhouse/unusedTables.ts";
import { eventDefinitionIn } from "./eventStorage.ts";
import { IndexSwitchedError } from "./indexErrors.ts";
import { LeaseLostError } from "./indexLease.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { query } from "./indexQuery.ts";
import { IndexSwitch, nextLocation } from "./indexSwitch.ts";
import { type ChainIndex, openIndex } from "./openIndex.ts";
import { openReader } from "./openReader.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { SqlPool } from "./postgresSql.ts";
import { SwitchingEvents } from "./switchingEvents.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

const POLL = { timeout: 30_000, interval: 20 };
const OPTIONS = { definition: JSON.stringify({ scope: "chain" }), hasWallets: false, refusesOlder: true };
const ends: (() => Promise<unknown>)[] = [];
let database: DatabaseLocation;
let place: PostgresLocation & { kind: "postgres" };
let indexSwitch: IndexSwitch;
let pool: SqlPool;
/** The index that is read, and the one that is built with partitions. */
let current: ChainIndex;
let next: ChainIndex;

beforeEach(async () => {
  const created = await createDatabase("PostgreSQL");
  ends.push(created.remove);
  database = created.location;
  const location = indexLocationOf(database, 1);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  place = location;
  pool = openPostgres(place, "writes", 2);
  indexSwitch = new IndexSwitch(place, 2);
  ends.push(
    () => pool.end(),
    () => indexSwitch.close(),
  );
  current = await open(place);
  next = await open(nextLocation(place, PARTITION_BLOCKS));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(location: PostgresLocation & { kind: "postgres" }): Promise<ChainIndex> {
  const index = await openIndex(location, createRecordingLogger());
  ends.push(() => index.close());
  await expect.poll(() => index.isLeader(), POLL).toBe(true);
  return index;
}

const switchOver = () => indexSwitch.switchOver(next.assertLeader, OPTIONS);

it("an index that has taken the place of another is complete, and the leader of the other cannot write it", async () => {
  await append(current, 0, 24);
  await append(next, 0, 14);
  expect(await switchOver()).toBe("behind");
  await append(next, 15, 24);
  const term = current.term() ?? 0;
  await expect.poll(switchOver, POLL).toBe("switched");
  // It still has the time of its term.
  await expect(current.writer.saveProperty("key", "value")).rejects.toThrow(LeaseLostError);
  await expect(append(current, 25, 26)).rejects.toThrow();
  await expect.poll(() => current.isLeader(), POLL).toBe(false);
  const olderVersion = pool`INSERT INTO lease AS known VALUES (1, 'older', 1, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder`;
  await expect(olderVersion).rejects.toThrow("index_of_a_newer_version");
  const later = await open(place);
  expect(later.partitions?.blocks).toBe(PARTITION_BLOCKS);
  expect(later.term()).toBeGreaterThan(term);
  await append(later, 25, 41);
  await later.writer.unwind(26);
  await later.writer.append(at(26), blocks(27, 45, at(26), "c"), []);
  const other = await createDatabase("PostgreSQL");
  ends.push(other.remove);
  const single = await openLeader(other.location, ends);
  await append(single, 0, 41);
  await single.writer.unwind(26);
  await single.writer.append(at(26), blocks(27, 45, at(26), "c"), []);
  expect(await dumpIndex(database, 1)).toEqual(await dumpIndex(other.location, 1));
});

it("an index that has taken the place of another can be replaced, too", async () => {
  await append(current, 0, 9);
  await append(next, 0, 9);
  await expect.poll(switchOver, POLL).toBe("switched");
  const third = await open(nextLocation(place, 2 * PARTITION_BLOCKS));
  await append(third, 0, 9);
  expect(await indexSwitch.switchOver(third.assertLeader, OPTIONS)).toBe("switched");
  expect((await indexSwitch.schemas()).current).toBe(third.schemaId);
});

it("the switch waits for a change of the former index, and its tables stay while they are read", async () => {
  await append(current, 0, 9);
  await append(next, 0, 9);
  await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await current.assertLeader(tx);
    expect(await switchOver()).toBe("busy");
  });
  const former = (await indexSwitch.schemas()).current;
  await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx`SELECT count(*) FROM logs`;
    // It is busy, too, while the database analyzes a table by itself: the indexer tries again.
    await expect.poll(switchOver, POLL).toBe("switched");
    const { replaced } = await indexSwitch.schemas();
    expect(replaced).toEqual([`chain_1_old_${former}`]);
    await indexSwitch.removeReplaced(replaced);
    expect((await indexSwitch.schemas()).replaced).toEqual(replaced);
    expect((await current.store.checkpoint())?.number).toBe(9);
  });
  await indexSwitch.removeReplaced((await indexSwitch.schemas()).replaced);
  expect(await indexSwitch.schemas()).toEqual({ current: next.schemaId, next: undefined, replaced: [] });
});

it("what was read of tokens up to a common block is copied while the former index gets other blocks", async () => {
  await append(current, 0, 9);
  await append(next, 0, 8);
  const tokens = [{ address: TOKEN, standard: 20 as const, name: "Token", symbol: "TOK", decimals: 18 }];
  const nameInNext = async () => (await next.store.tokens.metadata([TOKEN])).get(TOKEN)?.name ?? null;
  // It was read at a block that the other index does not have.
  await current.writer.saveTokenMetadata({ tokens, block: 9, readAt: 1 });
  await indexSwitch.carryEarlier(next.assertLeader);
  expect(await nameInNext()).toBeNull();
  await current.writer.saveTokenMetadata({ tokens, block: 8, readAt: 2 });
  await pool.begin(async (tx) => {
    await tx.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx`LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE`;
    await indexSwitch.carryEarlier(next.assertLeader);
  });
  expect(await nameInNext()).toBe("Token");
  const renamed = tokens.map((token) => ({ ...token, name: "Renamed" }));
  await current.writer.saveTokenMetadata({ tokens: renamed, block: 8, readAt: 3 });
  await append(next, 9, 9);
  expect(await indexSwitch.carryOver(next.assertLeader)).toBe(true);
  expect(await nameInNext()).toBe("Renamed");
});

it("what is read or requested of NFTs after most was copied is copied, too", async () => {
  await append(current, 0, 9);
  await append(next, 0, 8);
  const keyOf = (n: number) => ({ token: COLLECTION, tokenId: word(n) });
  const contents = { metadata: '{"name":"One"}', terms: "one" };
  const uris = [0, 1, 2].map((n) => ({ key: keyOf(n), uri: `ipfs://${n}` }));
  const { metadata } = current.store;
  expect(await metadata.saveUris(uris, at(8) ?? expect.fail(), 1)).toBe(3);
  for (const n of [1, 2]) await metadata.saveContent(keyOf(n), `ipfs://${n}`, contents, 2);
  await indexSwitch.carryEarlier(next.assertLeader);
  const inNext = async () => {
    const records = await next.store.metadata.get([0, 1, 2].map(keyOf));
    return [0, 1, 2].map((n) => records.get(nftKeyString(keyOf(n)))?.metadata);
  };
  expect(await inNext()).toEqual([null, contents.metadata, contents.metadata]);
  await metadata.saveContent(keyOf(0), "ipfs://0", contents, 3);
  await metadata.requestRefresh(keyOf(1), "metadata");
  await metadata.requestRefresh(keyOf(2), "uri");
  await append(next, 9, 9);
  expect(await indexSwitch.carryOver(next.assertLeader)).toBe(true);
  expect(await inNext()).toEqual([contents.metadata, contents.metadata, contents.metadata]);
  const requested = await next.store.metadata.listRequested(9, 5);
  expect(requested.map(({ tokenId }) => tokenId).toSorted()).toEqual([word(1), word(2)]);
});

it("a refresh that is requested after everything was copied, or while the index takes its place, is not lost", async () => {
  await append(current, 0, 9);
  await append(next, 0, 9);
  const keyOf = (n: number) => ({ token: COLLECTION, tokenId: word(n) });
  const uris = [0, 1, 2].map((n) => ({ key: keyOf(n), uri: `ipfs://${n}` }));
  expect(await current.store.metadata.saveUris(uris, at(9) ?? expect.fail(), 1)).toBe(3);
  expect(await indexSwitch.carryOver(next.assertLeader)).toBe(true);
  const { schemaId } = current;
  await current.store.metadata.requestRefresh(keyOf(0), "metadata");
  await indexSwitch.repeatRefresh(keyOf(0), schemaId);
  await current.store.metadata.requestRefresh(keyOf(1), "metadata");
  await expect.poll(switchOver, POLL).toBe("switched");
  await indexSwitch.repeatRefresh(keyOf(1), schemaId);
  const { store } = await open(place);
  while (await store.nftUpdates.apply(9));
  const records = await store.metadata.get([0, 1, 2].map(keyOf));
  const isUriKnown = [0, 1, 2].map((n) => records.get(nftKeyString(keyOf(n)))?.isUriKnown);
  expect(isUriKnown).toEqual([false, false, true]);
});

it("a requested refresh of a collection that has not begun is copied", async () => {
  await append(current, 0, 9);
  await append(next, 0, 9);
  await current.store.nftUpdates.requestCollectionRefresh(COLLECTION);
  expect(await indexSwitch.carryOver(next.assertLeader)).toBe(true);
  const [update] = await pool`SELECT 1 FROM chain_1_next.nft_updates WHERE token = ${toBytes(COLLECTION)}`;
  expect(update).toBeDefined();
});

it("a process without the URL of ClickHouse refuses reads as soon as the events are there", async () => {
  await append(current, 0, 9);
  await append(next, 0, 9);
  await current.writer.saveProperty(DEFINITION_FACT, JSON.stringify({ scope: "chain" }));
  const reader = await openReader(place);
  ends.push(() => reader.close());
  const events = new SwitchingEvents(reader, undefined, place);
  const logs = query.selectFrom("logs").select("position");
  expect((await events.all(logs)).length).toBeGreaterThan(0);
  await pool`DELETE FROM chain_1_next.logs`;
  const definition = JSON.stringify({ scope: "chain", ...eventDefinitionIn("clickhouse") });
  expect(await indexSwitch.switchOver(next.assertLeader, { ...OPTIONS, definition })).toBe("switched");
  await expect(events.all(logs)).rejects.toThrow(IndexSwitchedError);
  await expect(events.all(logs)).rejects.toThrow("whose URL is not set");
});

it("what was read of tokens is copied when both indexes have the same latest block", async () => {
  await append(current, 0, 9);
  await append(next, 0, 8);
  const token = { address: TOKEN, standard: 20, name: "Token", symbol: "TOK", decimals: 18 };
  await current.writer.saveTokenMetadata({ tokens: [token], block: 9, readAt: 1 });
  const nameInNext = async () => (await next.store.tokens.metadata([TOKEN])).get(TOKEN)?.name ?? null;
  expect(await indexSwitch.carryOver(next.assertLeader)).toBe(false);
  expect(await nameInNext()).toBeNull();
  await append(next, 9, 9);
  expect(await indexSwitch.carryOver(next.assertLeader)).toBe(true);
  expect(await nameInNext()).toBe("Token");
});

it("an unfinished index is removed unless a process builds it", async () => {
  await append(next, 0, 9);
  await next.close();
  await pool.unsafe("UPDATE chain_1_next.lease SET expires_at = 'infinity'");
  expect(await indexSwitch.removeNext()).toBe(false);
  await pool.unsafe("UPDATE chain_1_next.lease SET expires_at = '-infinity'");
  expect(await indexSwitch.removeNext()).toBe(true);
  await indexSwitch.removeReplaced((await indexSwitch.schemas()).replaced);
  expect(await indexSwitch.schemas()).toEqual({ current: current.schemaId, next: undefined, replaced: [] });
});

it("ranges that earlier versions indexed in advance are removed", async () => {
  const ranges = ["chain_1_range_1048577", "chain_1_next_range_3"];
  for (const schema of ranges) await pool.unsafe(`CREATE SCHEMA ${schema} CREATE TABLE logs_p2 (n int)`);
  const { replaced } = await indexSwitch.schemas();
  expect(replaced.toSorted()).toEqual(ranges.toSorted());
  await indexSwitch.removeReplaced(replaced);
  expect((await indexSwitch.schemas()).replaced).toEqual([]);
});

it("the tables in ClickHouse of indexes that are given up are listed in the one that is read", async () => {
  const state = (id: string) => JSON.stringify({ id, fork: 1, end: 0, removed: [] });
  const listed = async () => {
    const [row] = await pool<{ value: string }>`SELECT value FROM facts WHERE key = ${UNUSED_TABLES_FACT}`;
    const unused: { id: string; at: number }[] = JSON.parse(row?.value ?? "[]");
    expect(unused.every(({ at }) => at > 0)).toBe(true);
    return unused.map(({ id }) => id);
  };
  await next.writer.saveProperty(EVENTS_FACT, state("0b"));
  await next.close();
  expect(await indexSwitch.removeNext()).toBe(true);
  expect(await listed()).toEqual(["0b"]);
  await current.writer.saveProperty(EVENTS_FACT, state("0a"));
  await append(current, 0, 9);
  const another = await open(nextLocation(place, undefined));
  await another.writer.saveProperty(EVENTS_FACT, state("0c"));
  await append(another, 0, 9);
  expect(await indexSwitch.switchOver(another.assertLeader, OPTIONS)).toBe("switched");
  expect((await listed()).toSorted()).toEqual(["0a", "0b"]);
});
