import { randomUUID } from "node:crypto";
import type {
  BlockContents,
  BlockReader,
  BlockReference,
  ChainEventReader,
  ChainStatus,
  LogRow,
} from "@purse/chain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { historiesOn } from "../../../test/randomHistories.ts";
import { seededRandom } from "../../../test/seededRandom.ts";
import { createStoreCopies, DATABASES } from "../../../test/storeCopies.ts";
import { createLogger } from "../../core/logger.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import { systemClasses } from "../../data/schema/systemClasses.ts";
import type { Store } from "../../database/store.ts";
import { parseStream, type Stream } from "./stream.ts";
import { StreamAddresses } from "./streamAddresses.ts";
import { STREAM_CLASSES } from "./streamClasses.ts";
import { DELIVERY_CLASS, StreamDeliveries } from "./streamDeliveries.ts";
import { StreamIndexer } from "./streamIndexer.ts";
import { StreamRows } from "./streamRows.ts";

const HISTORIES = 4;
const CHAIN = 1337;
const CONFIRMATIONS = 6;
const ADDRESS = `0x${"ab".repeat(20)}`;
const IN_BLOCK = 2 ** 20;

const stores = createStoreCopies((store) => openSchemas(store, systemClasses(STREAM_CLASSES)));
afterAll(() => stores.remove());
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An in-memory chain whose blocks can be replaced; it behaves like an index. */
class FakeChain {
  readonly blocks: BlockContents[] = [];
  #mined = 0;
  #longest = 0;

  mine(count: number, eventsIn: () => number): void {
    for (let i = 0; i < count; i += 1) {
      this.#mined += 1;
      const hash = `0x${this.#mined.toString(16).padStart(64, "0")}`;
      const number = this.blocks.length;
      const logs = Array.from(
        { length: eventsIn() },
        (_, index): LogRow => ({
          position: number * IN_BLOCK + index,
          transactionIndex: 0,
          transactionHash: hash,
          address: ADDRESS,
          topics: [],
          data: "0x",
          isErc20: false,
        }),
      );
      const parentHash = this.blocks.at(-1)?.hash ?? `0x${"0".repeat(64)}`;
      this.blocks.push({
        number,
        hash,
        parentHash,
        timestamp: number,
        transactions: [],
        logs,
        nftTransfers: [],
      });
    }
  }

  /** Removes the latest blocks, but none that has had enough confirmations. */
  reorganize(depth: number): void {
    this.#longest = Math.max(this.#longest, this.blocks.length);
    this.blocks.splice(Math.max(1, this.blocks.length - depth, this.#longest - CONFIRMATIONS + 1));
  }

  readonly events: Pick<ChainEventReader, "head" | "getBlockHashes"> = {
    head: async () => this.blocks.at(-1),
    getBlockHashes: async (numbers) =>
      new Map(
        numbers.flatMap((number) => this.blocks[number] ?? []).map(({ number, hash }) => [number, hash]),
      ),
  };

  readonly reader: BlockReader = {
    blocks: async (from, to) => this.blocks.slice(from, Math.min(to + 1, from + 4)),
    internalTransfers: async () => [],
    signatures: async () => new Map(),
    nativeBalances: async () => new Map(),
    tokens: async () => new Map(),
  };
}

async function setUp(database: (typeof DATABASES)[number]) {
  const store = await stores.open(database, cleanups);
  const schemas = await openSchemas(store);
  const schemaOf = (className: string) => schemas.require(className);
  const rows = new StreamRows(store, schemaOf, Date.now);
  const addresses = new StreamAddresses(store, schemaOf, Date.now);
  const logger = createLogger({ level: "error", format: "text", write: () => undefined });
  const chain = new FakeChain();
  const status: ChainStatus = {
    chain: CHAIN,
    name: "local",
    scope: "chain",
    state: "following",
    start: 0,
    head: null,
    safe: null,
    finalized: null,
    indexed: null,
    lag: 0,
    percent: 100,
    blocksPerSecond: 0,
    etaSeconds: 0,
    nodes: [],
  };
  return {
    store,
    rows,
    addresses,
    chain,
    schemaOf,
    async createStream(): Promise<Stream> {
      const row = await rows.create("_ChainStream", randomUUID(), {
        webhookUrl: "https://example.org/hook",
        chainIds: ["0x539"],
        includeContractLogs: true,
        includeRemoved: true,
        confirmations: CONFIRMATIONS,
        status: "active",
        startBlocks: { [CHAIN]: 0 },
      });
      return parseStream(row);
    },
    /** Creates an indexer, like that of another process. `write` replaces the writes of the store. */
    createIndexer(
      streams: readonly Stream[],
      write: Store["write"] = (group) => store.write(group),
    ): StreamIndexer {
      const events: ChainEventReader = {
        ...chain.events,
        touchedAddresses: async () => undefined,
        events: async () => undefined,
      };
      const indexer = new StreamIndexer({
        store: { ...store, write },
        schemaOf,
        addresses,
        deliveries: new StreamDeliveries(store, schemaOf, Date.now),
        chain: { eventReader: () => events, blockReader: () => chain.reader, statusOf: () => status },
        clock: Date.now,
        logger,
      });
      indexer.setStreams(streams);
      return indexer;
    },
    deliveries: (): Promise<JsonObject[]> => rows.find(DELIVERY_CLASS, {}, 100_000, "sequence"),
  };
}

/** Steps until nothing is left; simulated crashes are passed on. */
async function stepAll(indexer: StreamIndexer): Promise<void> {
  for (let left = 1_000; await indexer.step(CHAIN); left -= 1)
    if (left === 0) throw new Error("it never ends");
}

/** What a receiver knows after messages; throws Error for messages that it could not make sense of. */
function receive(deliveries: readonly JsonObject[]): Map<string, BlockReference & { isConfirmed: boolean }> {
  const known = new Map<string, BlockReference & { isConfirmed: boolean }>();
  for (const { body } of deliveries) {
    if (!isJsonObject(body) || !isJsonObject(body.block)) throw new Error("a message has no block");
    const [hash, number] = [String(body.block.hash), Number(body.block.number)];
    const before = known.get(hash);
    if (body.removed === true) {
      if (!before || before.isConfirmed) throw new Error(`block ${number} was removed without reason`);
      known.delete(hash);
    } else if (body.confirmed === true) {
      if (!before || before.isConfirmed) throw new Error(`block ${number} was confirmed without reason`);
      before.isConfirmed = true;
    } else {
      if (before) throw new Error(`block ${number} was sent twice`);
      if ([...known.values()].some((each) => each.number >= number))
        throw new Error(`block ${number} came late`);
      known.set(hash, { hash, number, isConfirmed: false });
    }
  }
  return known;
}

describe.each(DATABASES)("StreamIndexer on %s", (database) => {
  it.each(historiesOn(database, HISTORIES))(
    "sends each block once and in order through reorganizations, crashes and restarts (history %i)",
    async (seed) => {
      const next = seededRandom(seed);
      const random = (below: number) => Math.floor(next() * below);
      const context = await setUp(database);
      const { chain, store, addresses } = context;
      const streams = [await context.createStream(), await context.createStream()];
      for (const { id } of streams) await addresses.add(id, [ADDRESS]);
      chain.mine(1, () => 0);
      const crashing: Store["write"] = async (group) => {
        const crash = random(4);
        if (crash === 0) throw new Error("crashed before the commit");
        const results = await store.write(group);
        if (crash === 1) throw new Error("crashed after the commit");
        return results;
      };
      let indexer = context.createIndexer(streams, crashing);
      for (let round = 0; round < 25; round += 1) {
        if (random(3) === 0) chain.reorganize(1 + random(CONFIRMATIONS - 1));
        chain.mine(1 + random(6), () => Math.max(0, random(5) - 2));
        await stepAll(indexer).catch(() => undefined);
        if (random(4) === 0) indexer = context.createIndexer(streams, crashing);
      }
      chain.mine(CONFIRMATIONS, () => 0);
      await stepAll(context.createIndexer(streams));
      const deliveries = await context.deliveries();
      expect(deliveries.map(({ sequence }) => sequence)).toEqual(deliveries.map((_, i) => i));
      const expected = chain.blocks.filter(({ logs }) => logs.length > 0).map(({ hash }) => hash);
      for (const { id } of streams) {
        const known = receive(deliveries.filter(({ source }) => source === id));
        expect([...known.values()].map(({ hash, isConfirmed }) => [hash, isConfirmed])).toEqual(
          expected.map((hash) => [hash, true]),
        );
      }
    },
    120_000,
  );

  it("removes blocks that are replaced while a crashed process had not reached them again", async () => {
    const { chain, store, addresses, createStream, createIndexer, deliveries } = await setUp(database);
    const stream = await createStream();
    await addresses.add(stream.id, [ADDRESS]);
    chain.mine(12, () => 1);
    await stepAll(createIndexer([stream]));
    chain.reorganize(1);
    chain.mine(1, () => 1);
    let writes = 0;
    const crashing: Store["write"] = async (group) => {
      writes += 1;
      if (writes > 1) throw new Error("crashed after the rollback");
      return store.write(group);
    };
    await expect(stepAll(createIndexer([stream], crashing))).rejects.toThrow("crashed after the rollback");
    chain.reorganize(2);
    chain.mine(2, () => 1);
    await stepAll(createIndexer([stream]));
    expect([...receive(await deliveries()).keys()]).toEqual(chain.blocks.map(({ hash }) => hash));
  });

  it("tells that confirmed blocks were removed, once, and sends them again if they return", async () => {
    const { chain, addresses, createStream, createIndexer, deliveries } = await setUp(database);
    const stream = await createStream();
    await addresses.add(stream.id, [ADDRESS]);
    chain.mine(12, () => 1);
    const indexer = createIndexer([stream]);
    await stepAll(indexer);
    const first = [...chain.blocks];
    const replace = async (blocks: readonly BlockContents[]) => {
      chain.blocks.splice(4, chain.blocks.length, ...blocks);
      if (blocks.length === 0) chain.mine(9, () => 1);
      await stepAll(indexer);
    };
    const messages = async () =>
      (await deliveries()).map(({ blockHash, body }) => {
        const { confirmed, removed } = Object(body);
        return `${Number(blockHash)} ${removed ? "removed" : confirmed ? "confirmed" : "sent"}`;
      });
    const before = (await messages()).length;
    expect(await messages()).toContain("7 confirmed");
    await replace([]);
    const removed = (await messages()).slice(before).filter((each) => each.endsWith("removed"));
    expect(removed).toEqual(first.slice(4).map(({ hash }) => `${Number(hash)} removed`));
    await replace(first.slice(4));
    await replace([]);
    const all = await messages();
    expect(all.filter((each) => each === "7 sent")).toHaveLength(2);
    expect(all.filter((each) => each === "7 removed")).toHaveLength(2);
    expect(all.filter((each) => each.startsWith("3 "))).toEqual(["3 sent", "3 confirmed"]);
  });

  it("finds the streams of a block's addresses in an index", async () => {
    const { addresses, store, schemaOf } = await setUp(database);
    const all = Array.from({ length: 4_000 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`);
    await addresses.add("one", all);
    await addresses.add("two", all.slice(0, 10));
    const requested = [...all.slice(5, 105), ADDRESS];
    const found = await addresses.streamsOf(requested);
    expect(found.size).toBe(100);
    expect(found.get(all[5] ?? "")).toEqual(new Set(["one", "two"]));
    expect(found.get(all[100] ?? "")).toEqual(new Set(["one"]));
    const plan = await store.explain({
      schema: schemaOf("_ChainStreamAddress"),
      where: {
        kind: "in",
        path: ["address"],
        operands: requested.map((value) => ({ type: "string", value })),
      },
      order: [],
      limit: undefined,
      skip: 0,
      subjects: null,
    });
    expect(JSON.stringify(plan)).toMatch(/USING INDEX|Index Scan/);
    await addresses.clear("one");
    expect(await addresses.count("one")).toBe(0);
    expect(await addresses.count("two")).toBe(10);
  });
});
