import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBlocks, transferLog, word } from "../../test/fillIndex.ts";
import { createDatabase, DATABASES, type DatabaseLocation } from "../../test/indexDatabase.ts";
import { createRecordingLogger, startService, type TestService } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { USER_OPERATION_TOPIC } from "../decode/userOperations/userOperationLog.ts";
import { type BlockRow, type BlockRows, positionOf } from "../model/rows.ts";
import { addressTopic, TRANSFER_TOPIC } from "../model/topics.ts";
import type { IndexWriter } from "../store/indexWriter.ts";
import type { ListOptions } from "../store/listQuery.ts";
import { type ChainIndex, openIndex } from "../store/openIndex.ts";
import { SCHEMA_VERSION } from "../store/schema.ts";
import { encodeCursor } from "./pageParameters.ts";

const CHAIN = 7_003;
const TRANSFERS = 3_000;
const PER_BLOCK = 10;
const WALLET = `0x${"a1".repeat(20)}`;
const OTHER = `0x${"b2".repeat(20)}`;
const TOKEN = `0x${"ee".repeat(20)}`;
const ENTRY_POINT = `0x${"e5".repeat(20)}`;
const ABSENT = `0x${"12".repeat(32)}`;
const APPROVAL = `0x${"8c".repeat(32)}`;

/** Transfers of the wallet, alternately outgoing and incoming, another log, and as many user operations. */
function addLogs({ logs }: BlockRows, block: number): void {
  for (let i = 0; i <= PER_BLOCK; i++) {
    const [from, to] = i % 2 === 0 ? [WALLET, OTHER] : [OTHER, WALLET];
    const log = transferLog(block, i, { token: TOKEN, from, to });
    const topics = [APPROVAL, ...log.topics.slice(1)];
    logs.push(i < PER_BLOCK ? log : { ...log, topics, isErc20: false });
  }
  for (let i = 0; i < PER_BLOCK; i++) {
    const { transactionHash } = transferLog(block, i, { token: TOKEN, from: WALLET, to: OTHER });
    logs.push({
      position: positionOf(block, PER_BLOCK + 1 + i),
      transactionIndex: i,
      transactionHash,
      address: ENTRY_POINT,
      topics: [USER_OPERATION_TOPIC, word(block * 100 + i, "c"), addressTopic(WALLET), word(0)],
      data: `0x${word(1).slice(2).repeat(4)}`,
      isErc20: false,
    });
  }
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
    const rows = createBlocks(0, TRANSFERS / PER_BLOCK, undefined, addLogs);
    await writer.append(undefined, rows, [{ address: TOKEN, standard: 20, position: 0 }]);
    last = rows.blocks.at(-1);
    service = await startService({ id: CHAIN, rpcUrls: ["http://127.0.0.1:9"] }, location);
    // Responses say up to which block the index is, once that is known.
    await service.waitFor(({ indexed }) => indexed !== null);
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

  it("rejects cursors of another address or order, but accepts other spellings, sizes and bounds of the same list", async () => {
    const { cursor = "" } = await list({ limit: 10 });
    const invalid = { status: 400, message: "cursor is invalid" };
    await expect(list({ cursor, address: `0x${"b2".repeat(20)}` })).rejects.toMatchObject(invalid);
    await expect(list({ cursor, order: "asc" })).rejects.toMatchObject(invalid);
    const next = await list({ limit: 10, cursor });
    const spelled = {
      chain: `0x${CHAIN.toString(16)}`,
      address: `0x${WALLET.slice(2).toUpperCase()}`,
      order: "DESC",
      from_block: "0x0",
    };
    expect((await list({ cursor, limit: 10, ...spelled })).result).toEqual(next.result);
  });

  it("returns transfers in either order, told apart by their log index", async () => {
    const rowsOf = async (parameters: JsonObject) => {
      const { result } = await list({ limit: 50, ...parameters });
      return Array.isArray(result) ? result : [];
    };
    const [range, positions] = [{ from_block: "0x1", to_block: "0x2" }, new Set<string>()];
    const descending = await rowsOf(range);
    expect(await rowsOf({ ...range, order: "asc" })).toEqual(
      (await rowsOf({ ...range, limit: 500 })).toReversed().slice(0, 50),
    );
    for (const row of descending) positions.add(`${Object(row).block_number} ${Object(row).log_index}`);
    expect(positions.size).toBe(descending.length);
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
    const lists = [
      // The index contains the length of this list, and not that of the other.
      (window: ListOptions) => store.erc20Transfers({ wallet: WALLET }, window),
      (window: ListOptions) => store.userOperations.list([ENTRY_POINT], { sender: WALLET }, window),
    ];
    /** Pages in an order in which some begin before and some after remembered rows. */
    const expectPages = async () => {
      for (const list of lists)
        for (const ascending of [false, true]) {
          const positions = async (offset: number, limit: number, withTotal = false) =>
            (await list({ offset, limit, ascending, withTotal })).rows.map(({ position }) => position);
          const all = await positions(0, 10_000);
          for (const offset of [2_000, 1_500, 2_010, 1_000, 2_990, 1_505, 3_010, 5_000])
            expect(await positions(offset, 7, offset < 2_000)).toEqual(all.slice(offset, offset + 7));
          const { total } = await list({ offset: 1_200, limit: 1, ascending, withTotal: true });
          expect(total).toBe(all.length);
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
    await writer.append(last, createBlocks(height, height + 3, last, addLogs), []);
    expect(await count()).toBe(TRANSFERS + 3 * PER_BLOCK);
    await expectPages();
    await writer.unwind(height - 20);
    await expectPages();
    const newest = await store.checkpoint();
    await writer.append(newest, createBlocks(height - 19, height - 16, newest, addLogs, "d"), []);
    await expectPages();
    await writer.unwind(height - 20);
    await writer.append(newest, createBlocks(height - 19, height, newest, addLogs), []);
    await expectPages();
    await writer.append(last, createBlocks(height, height + 1, last, addLogs, "c"), []);
    expect(await count()).toBe(TRANSFERS + PER_BLOCK);
    await writer.unwind(height - 1);
    expect(await count()).toBe(TRANSFERS);
  });
});
