import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indexLocationOf } from "../createChainService.ts";
import { type BlockRow, type BlockRows, positionOf } from "../model/rows.ts";
import { addressTopic, TRANSFER_TOPIC } from "../model/topics.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import { type ChainIndex, openIndex } from "../store/openIndex.ts";
import { SCHEMA_VERSION } from "../store/schema.ts";
import { createDatabase, DATABASES, type DatabaseLocation } from "../testing/indexDatabase.ts";
import { createRecordingLogger, startService, type TestService } from "../testing/testService.ts";
import { encodeCursor } from "./parameterValues.ts";

const CHAIN = 7_003;
const TRANSFERS = 3_000;
const PER_BLOCK = 10;
const WALLET = `0x${"a1".repeat(20)}`;
const OTHER = `0x${"b2".repeat(20)}`;
const TOKEN = `0x${"ee".repeat(20)}`;
const ABSENT = `0x${"12".repeat(32)}`;
const APPROVAL = `0x${"8c".repeat(32)}`;

const hashOf = (number: number, fork = "a") => `0x${number.toString(16).padStart(64, fork)}`;

/** Blocks with transfers of the wallet, alternately outgoing and incoming, and one other log each. */
function createBlocks(from: number, to: number, parent: BlockRow | undefined, fork = "a"): BlockRows {
  const rows: BlockRows = {
    blocks: [],
    transactions: [],
    logs: [],
    nftTransfers: [],
    nftRanges: [],
    nftUpdates: [],
    trades: [],
  };
  for (let number = from; number < to; number++) {
    const parentHash = rows.blocks.at(-1)?.hash ?? parent?.hash ?? hashOf(0, "0");
    rows.blocks.push({ number, hash: hashOf(number, fork), parentHash, timestamp: 1_700_000_000 + number });
    for (let i = 0; i <= PER_BLOCK; i++) {
      const parties = [WALLET, OTHER].map(addressTopic);
      const isTransfer = i < PER_BLOCK;
      rows.logs.push({
        position: positionOf(number, i),
        transactionIndex: i,
        transactionHash: hashOf(number * 100 + i, "b"),
        address: TOKEN,
        topics: [isTransfer ? TRANSFER_TOPIC : APPROVAL, ...(i % 2 === 0 ? parties : parties.reverse())],
        data: `0x${"1".padStart(64, "0")}`,
        isErc20: isTransfer,
      });
    }
  }
  return rows;
}

describe.each(DATABASES)("on %s", (name) => {
  let location: DatabaseLocation;
  let remove: () => Promise<void>;
  let index: ChainIndex;
  let writer: IndexWriter;
  let last: BlockRow | undefined;
  let service: TestService;

  beforeAll(async () => {
    ({ location, remove } = await createDatabase(name));
    index = await openIndex(indexLocationOf(location, CHAIN), createRecordingLogger());
    ({ writer } = index);
    const definition = {
      ...{ layout: SCHEMA_VERSION, scope: "chain", startBlock: 0, wrapped: null },
      ...index.eventDefinition,
    };
    await writer.saveProperty("making", JSON.stringify(definition));
    const rows = createBlocks(0, TRANSFERS / PER_BLOCK, undefined);
    await writer.append(undefined, rows, [{ address: TOKEN, standard: 20, position: 0 }]);
    last = rows.blocks.at(-1);
    service = await startService({ id: CHAIN, rpcUrls: ["http://127.0.0.1:9"] }, location);
  });
  afterAll(async () => {
    await service?.stop();
    await index?.close();
    await remove?.();
  });

  async function list(parameters: JsonObject, functionName = "getTokenTransfers"): Promise<JsonObject> {
    const response = await service.run(functionName, {
      chain: String(CHAIN),
      address: WALLET,
      ...parameters,
    });
    if (isJsonObject(response)) return response;
    throw new Error("the response is not an object");
  }

  it("pages by cursor and by offset have the same rows, page numbers and total", async () => {
    let cursor: JsonObject[string] = "";
    for (let page = 0; page < TRANSFERS / 500; page++) {
      const byCursor = await list({ limit: 500, cursor });
      const byOffset = await list({ limit: 500, offset: page * 500 });
      expect(byCursor).toMatchObject({ total: TRANSFERS, page, page_size: 500 });
      expect(byOffset).toEqual(byCursor);
      ({ cursor = "" } = byCursor);
    }
    expect(cursor).toBe("");
  });

  it("disable_total omits the total on all pages", async () => {
    const first = await list({ limit: 10, disable_total: true });
    expect(first).not.toHaveProperty("total");
    const second = await list({ limit: 10, disable_total: "true", cursor: first.cursor ?? "" });
    expect(second).not.toHaveProperty("total");
    expect(second.result).toEqual((await list({ limit: 10, offset: 10 })).result);
    await expect(list({ disable_total: "maybe" })).rejects.toMatchObject({
      status: 400,
      message: "disable_total must be true or false",
    });
  });

  it("rejects cursors that the server did not return for the same operation", async () => {
    const { cursor } = await list({ limit: 10 });
    const forged = encodeCursor([positionOf(2, 0), 0, 7], 1);
    const changed = `${String(cursor).slice(0, 16)}${forged}`;
    const invalid = { status: 400, message: "cursor is invalid" };
    for (const each of [forged, changed, "x", "-".repeat(40)]) {
      await expect(list({ cursor: each })).rejects.toMatchObject(invalid);
      await expect(list({ "cursor[]": each })).rejects.toMatchObject(invalid);
    }
    await expect(list({ cursor: cursor ?? "" }, "getNFTTransfers")).rejects.toMatchObject(invalid);
  });

  it("rejects a range whose end precedes its start", async () => {
    await expect(list({ from_block: 5, to_block: 4 })).rejects.toMatchObject({
      status: 400,
      message: "from_block must not be greater than to_block",
    });
    await expect(list({ from_date: "2026-01-02", to_date: "2026-01-01" })).rejects.toMatchObject({
      status: 400,
      message: "from_date must not be later than to_date",
    });
  });

  it.each([
    [{ topic0: TRANSFER_TOPIC }, TRANSFERS],
    [{ topic0: APPROVAL }, TRANSFERS / PER_BLOCK],
    [{ topic1: addressTopic(WALLET) }, TRANSFERS / 2 + TRANSFERS / PER_BLOCK],
    [{ topic0: TRANSFER_TOPIC, topic1: addressTopic(WALLET) }, TRANSFERS / 2],
    [{ topic0: TRANSFER_TOPIC, topic2: addressTopic(WALLET) }, TRANSFERS / 2],
    [{ topic0: TRANSFER_TOPIC, topic1: addressTopic(OTHER), topic2: addressTopic(WALLET) }, TRANSFERS / 2],
    [{ topic0: APPROVAL, topic2: addressTopic(OTHER) }, TRANSFERS / PER_BLOCK],
  ])("counts the logs of a contract with %o", async (topics, total) => {
    const found = await list({ address: TOKEN, limit: 1, ...topics }, "getLogsByAddress");
    expect(found.total).toBe(total);
  });

  it.each([
    [[ABSENT]],
    [[undefined, ABSENT]],
    [[TRANSFER_TOPIC, ABSENT]],
    [[APPROVAL, undefined, ABSENT]],
    [[undefined, undefined, undefined, ABSENT]],
  ])("finds no logs with an absent topic: %o", async (topics) => {
    const found = await index.store.logs(TOKEN, topics, { offset: 0, limit: 10, withTotal: true });
    expect(found).toEqual({ rows: [], total: 0 });
  });

  it("the cached total and pages at large offsets follow new blocks and reorganizations", async () => {
    const { store } = index;
    const positions = async (window: { offset: number; limit: number; ascending?: boolean }) => {
      const { rows } = await store.erc20Transfers({ wallet: WALLET }, window);
      return rows.map(({ position }) => position);
    };
    /** Pages in an order in which some begin before and some after remembered rows. */
    const expectPages = async () => {
      for (const ascending of [false, true]) {
        const all = await positions({ offset: 0, limit: 10_000, ascending });
        for (const offset of [2_000, 1_500, 2_010, 1_000, 2_990, 1_505, 3_010, 5_000])
          expect(await positions({ offset, limit: 7, ascending })).toEqual(all.slice(offset, offset + 7));
      }
    };
    const count = async () => {
      const window = { offset: 0, limit: 0, withTotal: true };
      return (await store.erc20Transfers({ wallet: WALLET }, window)).total;
    };
    const height = TRANSFERS / PER_BLOCK;
    await service.stop();
    await expect.poll(() => index.isLeader(), { timeout: 30_000 }).toBe(true);
    expect(await count()).toBe(TRANSFERS);
    await expectPages();
    await writer.append(last, createBlocks(height, height + 3, last), []);
    expect(await count()).toBe(TRANSFERS + 3 * PER_BLOCK);
    await expectPages();
    await writer.unwind(height - 20);
    await expectPages();
    const newest = await store.checkpoint();
    await writer.append(newest, createBlocks(height - 19, height - 16, newest, "d"), []);
    await expectPages();
    await writer.unwind(height - 20);
    await writer.append(newest, createBlocks(height - 19, height, newest), []);
    await expectPages();
    await writer.append(last, createBlocks(height, height + 1, last, "c"), []);
    expect(await count()).toBe(TRANSFERS + PER_BLOCK);
    await writer.unwind(height - 1);
    expect(await count()).toBe(TRANSFERS);
  });
});
