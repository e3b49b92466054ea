import type { BlockReference, ChainEvent, ChainEventReader, ChainStatus } from "@purse/chain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { historiesOn } from "../../../test/randomHistories.ts";
import { seededRandom } from "../../../test/seededRandom.ts";
import { createStoreCopies, DATABASES } from "../../../test/storeCopies.ts";
import { EventBus } from "../../core/eventBus.ts";
import { createLogger } from "../../core/logger.ts";
import { FileUrls } from "../../data/fileUrls.ts";
import { AggregationWorker } from "../../data/objects/aggregationWorker.ts";
import { createObjects } from "../../data/objects/index.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { Store } from "../../database/store.ts";
import { DueIndexers } from "./dueIndexers.ts";
import { EventWriter } from "./eventWriter.ts";
import { parseWatch, type Watch } from "./watch.ts";
import { WatchIndexer } from "./watchIndexer.ts";
import { MESSAGE_CLASS, watchMessages } from "./watchMessages.ts";
import { watchRules } from "./watchRules.ts";

const HISTORIES = 6;
/** For indexers that must not fail. */
const NO_OUTAGES = {
  failed: (_key: string, message: string, fields?: object) => expect.fail(message + JSON.stringify(fields)),
  succeeded: () => undefined,
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ADDRESS = `0x${"ab".repeat(20)}`;
const SELECTOR = { chainIdOf: () => 1337, isFullyIndexed: () => true };
const EVENT = {
  type: "event",
  name: "Moved",
  inputs: [{ name: "n", type: "uint256", indexed: false }],
};
const IN_BLOCK = 2 ** 20;

/** An in-memory chain whose blocks can be replaced; it behaves like an index. */
class FakeChain implements ChainEventReader {
  /** The addresses of the events: one for each block, in turns. */
  readonly addresses = [ADDRESS];
  readonly blocks: (BlockReference & { events: number[]; address: string })[] = [];
  keepBlocks: number | undefined;
  /** The name of the events' only argument. */
  argument = "n";
  #made = 0;

  mine(count: number, eventsIn: () => number): void {
    for (let i = 0; i < count; i++) {
      this.#made += 1;
      const events = Array.from({ length: eventsIn() }, () => Math.floor(this.#made * 1000));
      const hash = `0x${this.#made.toString(16).padStart(64, "0")}`;
      const address = this.addresses[this.#made % this.addresses.length] ?? ADDRESS;
      this.blocks.push({ number: this.blocks.length, hash, events, address });
    }
  }

  unwind(depth: number): void {
    this.blocks.splice(Math.max(1, this.blocks.length - depth));
  }

  all(): string[] {
    return this.blocks.flatMap(({ number, hash, events }) =>
      events.map((n, i) => `${number} ${i} ${hash} ${n}`),
    );
  }

  async head(): Promise<BlockReference | undefined> {
    return this.blocks.at(-1);
  }

  async getBlockHashes(numbers: number[]): Promise<Map<number, string>> {
    const found = numbers.flatMap((number) => this.blocks[number] ?? []);
    return new Map(found.map(({ number, hash }) => [number, hash]));
  }

  touchedAddresses: ChainEventReader["touchedAddresses"] = async (after, upTo) => {
    const isKnown = ({ number, hash }: BlockReference) => this.blocks[number]?.hash === hash;
    if (!isKnown(after) || !isKnown(upTo)) return undefined;
    const touched = this.blocks.slice(after.number + 1, upTo.number + 1);
    return new Set(touched.flatMap(({ events, address }) => (events.length > 0 ? [address] : [])));
  };

  events: ChainEventReader["events"] = async (selection, after, upTo, limit) => {
    const isKnown = ({ number, hash }: BlockReference) => this.blocks[number]?.hash === hash;
    if (!isKnown(upTo) || (after && !isKnown(after.block))) return undefined;
    const firstKept = this.blocks.length - (this.keepBlocks ?? Number.POSITIVE_INFINITY);
    if ((after?.block.number ?? -1) + 1 < firstKept) throw new Error("the events are no longer kept");
    const own = this.blocks.filter(({ address }) => address === selection.address);
    const rows = own.flatMap(({ number, hash, events }) =>
      (number > upTo.number ? [] : events).map((n, i): ChainEvent => {
        return {
          cursor: { position: number * IN_BLOCK + i, part: 0, block: { number, hash } },
          timestamp: number * 1000,
          transactionHash: hash,
          fields: { log_index: i, address: selection.address, args: { [this.argument]: String(n) } },
        };
      }),
    );
    const events = rows.filter(({ cursor }) => cursor.position > (after?.position ?? -1)).slice(0, limit);
    const isMore = events.length === limit;
    const position = (upTo.number + 1) * IN_BLOCK - 1;
    const cleanup = {
      position,
      part: Number.MAX_SAFE_INTEGER,
      block: { number: upTo.number, hash: upTo.hash },
    };
    return { events, cursor: (isMore && events.at(-1)?.cursor) || cleanup, hasMore: isMore };
  };
}

interface TestContext {
  chain: FakeChain;
  store: Store;
  schemas: Schemas;
  /** Creates an indexer, like that of another process. */
  createIndexer(address?: string): WatchIndexer;
  /** What a test changes of the chain's status, and whether cloud code decides about events. */
  settings: { finalized: number | null; hasTrigger: boolean };
  indexAll(indexer: WatchIndexer): Promise<void>;
  objects(): Promise<JsonObject[]>;
  changes: string[];
}

/** A new map of the rules of watches. */
const createRules = () =>
  new Map(watchRules(SELECTOR, async () => undefined, Date.now).map((rule) => [rule.className, rule]));

const stores = createStoreCopies((store) => openSchemas(store, createRules()));
afterAll(() => stores.remove());

async function setUp(database: (typeof DATABASES)[number], more: JsonObject = {}): Promise<TestContext> {
  const store = await stores.open(database, cleanups);
  const logger = createLogger({ level: "error", format: "text", write: () => undefined });
  const rules = createRules();
  const schemas = await openSchemas(store, rules);
  const changes: string[] = [];
  const events = new EventBus(console.error);
  const objects = createObjects({
    store,
    aggregationWorker: new AggregationWorker({ logger, maxResultBytes: 1_000_000 }),
    schemas,
    events,
    fileUrls: new FileUrls({ appId: "app", mountPath: "/server", publicUrl: "", filesUrl: undefined }),
    rules,
    triggers: {
      beforeSave: () => undefined,
      afterSave: () => undefined,
      beforeDelete: () => undefined,
      afterDelete: () => undefined,
      beforeFind: () => undefined,
      afterFind: () => undefined,
    },
    allowClientClassCreation: false,
    allowClientAddField: false,
    allowCustomObjectId: false,
    defaultAcl: undefined,
    clock: Date.now,
    onError: console.error,
  });
  events.on("objects.changed", ({ before, after, objectId }) => {
    changes.push(`${before === null ? "create" : after === null ? "delete" : "update"} ${objectId}`);
  });
  const chain = new FakeChain();
  const watchOf = (address: string): Watch =>
    parseWatch(
      {
        chainId: "1337",
        address,
        abi: [EVENT],
        tableName: "Moves",
        sync_historical: true,
        confirmations: 6,
        ...more,
      },
      SELECTOR,
    );
  const following: ChainStatus["state"] = "following";
  const settings: TestContext["settings"] = { finalized: null, hasTrigger: false };
  const status = (): ChainStatus => ({
    chain: 1337,
    name: "local",
    scope: "chain",
    state: following,
    start: 0,
    head: null,
    safe: null,
    finalized: settings.finalized,
    indexed: null,
    lag: 0,
    percent: 100,
    blocksPerSecond: 0,
    etaSeconds: 0,
    nodes: [],
  });
  const writer = new EventWriter({ store, schemas, objects, logger });
  return {
    chain,
    store,
    schemas,
    changes,
    settings,
    createIndexer(address = ADDRESS) {
      const watch = watchOf(address);
      const [selection] = watch.selections;
      if (!selection) throw new Error("nothing is watched");
      return new WatchIndexer(watch, selection, {
        store,
        writer,
        feed: chain,
        status,
        consumeTrigger: () => (settings.hasTrigger ? async () => true : undefined),
        enqueueWebhooks: (...message) =>
          watchMessages(schemas.require(MESSAGE_CLASS), Date.now(), ...message),
        logger,
      });
    },
    async indexAll(indexer) {
      for (let left = 1_000; await indexer.step(); left--) if (left === 0) throw new Error("it never ends");
    },
    async objects() {
      if (!schemas.get("Moves")) return [];
      const found = await writer.find("Moves", 1337, {}, 100_000);
      const placeOf = (object: JsonObject) => Number(object.block_number) * 1_000 + Number(object.log_index);
      return found.sort((a, b) => placeOf(a) - placeOf(b));
    },
  };
}

function formatEvent({ block_number, log_index, block_hash, n }: JsonObject): string {
  return `${block_number} ${log_index} ${block_hash} ${n}`;
}

describe.each(DATABASES)("the objects of a watched event, on %s", (database) => {
  it("match the chain, and are confirmed after the configured number of blocks", async () => {
    const { chain, createIndexer, indexAll, objects } = await setUp(database);
    chain.mine(20, () => 2);
    const indexer = createIndexer();
    await indexAll(indexer);
    const found = await objects();
    expect(found.map(formatEvent)).toEqual(chain.all());
    expect(found.map(({ confirmed }) => confirmed)).toEqual(found.map((_, i) => Math.floor(i / 2) <= 14));
    expect(found[0]).toMatchObject({
      chain_id: 1337,
      address: ADDRESS,
      log_index: 0,
      n_decimal: Number(found[0]?.n),
      ACL: { "*": { read: true } },
    });
    chain.mine(6, () => 0);
    await indexAll(indexer);
    expect((await objects()).every(({ confirmed }) => confirmed === true)).toBe(true);
  });

  it("that an earlier version has stored with an argument id get uid, as the ones of Moralis and new ones have", async () => {
    const watched = { abi: [{ ...EVENT, inputs: [{ name: "id", type: "uint256" }] }] };
    const { chain, store, schemas, createIndexer, indexAll, objects } = await setUp(database, watched);
    chain.argument = "id";
    chain.mine(1, () => 1);
    await schemas.change("Moves", (schema) => ({
      ...schema,
      fields: {
        ...schema.fields,
        id: { type: "String" },
        id_decimal: { type: "Number" },
        uid: { type: "String" },
      },
      indexes: { by_id: { id: 1 } },
    }));
    const at = "2021-05-07T11:08:35.000Z";
    const shared = { createdAt: at, updatedAt: at, chain_id: 1337, block_number: 0 };
    const stored: JsonObject[] = Array.from({ length: 501 }, (_, i) => ({
      ...shared,
      objectId: `old${i}`,
      id: String(i),
      id_decimal: i,
    }));
    const rows = [...stored, { ...shared, objectId: "imported", uid: "7", uid_decimal: 7 }];
    const schema = await schemas.ensureForWrite(
      "Moves",
      { uid_decimal: { op: "Set", value: 7 } },
      () => undefined,
    );
    await store.write(
      rows.map((object) => ({
        kind: "restore",
        schema,
        id: String(object.objectId),
        object: { ...object, block_hash: chain.blocks[0]?.hash ?? "" },
        secret: {},
      })),
    );
    await indexAll(createIndexer());

    const found = await objects();
    expect(found).toHaveLength(503);
    expect(found.filter((each) => "id" in each || "id_decimal" in each)).toEqual([]);
    expect(found.find(({ objectId }) => objectId === "old500")).toMatchObject({
      uid: "500",
      uid_decimal: 500,
      updatedAt: at,
    });
    expect(found.map(({ uid }) => uid).filter((uid) => uid === "7")).toHaveLength(2);
    expect(found.some(({ uid }) => uid === "1000")).toBe(true);
    const { fields, indexes } = schemas.require("Moves");
    expect(Object.keys(fields)).not.toContain("id");
    expect(indexes).toMatchObject({ by_id: { uid: 1 } });
  });

  it("begin after the creation of the watch unless history is requested", async () => {
    const { chain, createIndexer, indexAll, objects } = await setUp(database, { sync_historical: false });
    chain.mine(5, () => 1);
    const indexer = createIndexer();
    await indexAll(indexer);
    expect(await objects()).toEqual([]);
    chain.mine(2, () => 1);
    await indexAll(indexer);
    expect((await objects()).map(formatEvent)).toEqual(chain.all().slice(5));
  });

  it("continue after the block of the watch if that block is replaced", async () => {
    const { chain, createIndexer, indexAll, objects } = await setUp(database, { sync_historical: false });
    chain.mine(9, () => 1);
    const indexer = createIndexer();
    await indexAll(indexer);
    chain.unwind(1);
    chain.mine(2, () => 1);
    await indexAll(indexer);
    expect((await objects()).map(formatEvent)).toEqual(chain.all().slice(8));
  });

  it("are limited by a filter", async () => {
    const { chain, createIndexer, indexAll, objects } = await setUp(database, {
      filter: { gte: ["n", "3000"] },
    });
    chain.mine(5, () => 1);
    await indexAll(createIndexer());
    expect((await objects()).map(({ n }) => n)).toEqual(["3000", "4000", "5000"]);
  });

  it("are created only once by concurrent processes", async () => {
    const { chain, createIndexer, objects, changes, indexAll } = await setUp(database);
    chain.mine(300, () => 2);
    await indexAll(createIndexer());
    chain.unwind(50);
    chain.mine(60, () => 3);
    const all = [createIndexer(), createIndexer(), createIndexer()];
    await Promise.all(all.map(indexAll));
    await indexAll(createIndexer());
    expect((await objects()).map(formatEvent)).toEqual(chain.all());
    const created = changes.filter((line) => line.startsWith("create"));
    expect(new Set(created).size).toBe(created.length);
  });

  it.each(historiesOn(database, HISTORIES))(
    "match the chain after reorganizations and restarts (history %i)",
    async (seed) => {
      const random = seededRandom(seed);
      const { chain, createIndexer, indexAll, objects, store } = await setUp(database, {
        webhook: "http://127.0.0.1:9/hook",
      });
      const upTo = (max: number) => Math.floor(random() * (max + 1));
      const eventsIn = () => (random() < 0.5 ? upTo(4) : 0);
      chain.mine(10 + upTo(30), eventsIn);
      let indexer = createIndexer();
      for (let step = 0; step < 25; step++) {
        const kind = random();
        if (kind < 0.35) chain.mine(1 + upTo(8), eventsIn);
        else if (kind < 0.65) {
          chain.unwind(1 + upTo(random() < 0.2 ? 64 : 8));
          chain.mine(upTo(10), eventsIn);
        } else if (kind < 0.75) indexer = createIndexer();
        else await indexer.step();
        if (random() < 0.3) await Promise.all([indexer.step(), createIndexer().step()]);
      }
      await indexAll(indexer);
      await indexAll(createIndexer());
      const found = await objects();
      expect(found.map(formatEvent)).toEqual(chain.all());
      const confirmedUpTo = chain.blocks.length - 6;
      for (const each of found) {
        if (Number(each.block_number) <= confirmedUpTo) expect(each.confirmed).toBe(true);
      }
      // Replaying the messages in order results in the same objects.
      const replayed = new Map<string, string>();
      const texts = await store.find({
        schema: (await store.loadClasses("_ChainMessage"))[0] ?? Object(undefined),
        where: { kind: "and", conditions: [] },
        order: [{ path: ["sequence"], descending: false }],
        limit: 100_000,
        skip: 0,
        subjects: null,
      });
      texts.forEach((text, i) => {
        const { sequence, body }: { sequence: number; body: JsonObject } = JSON.parse(text);
        expect(sequence).toBe(i);
        const { event: step, object } = body;
        if (!isJsonObject(object)) throw new Error("a message without its object");
        if (step === "removed") replayed.delete(String(object.objectId));
        else replayed.set(String(object.objectId), formatEvent(object));
      });
      expect([...replayed.values()].sort()).toEqual(chain.all().sort());
    },
  );
});

describe.each(DATABASES)("the watches of many addresses, on %s", (database) => {
  const ADDRESSES = ["aa", "bb", "cc", "dd"].map((byte) => `0x${byte.repeat(20)}`);

  /** Lets those indexers take steps that have something to do. Returns the addresses of those that did. */
  async function indexDue(due: DueIndexers, indexers: Map<string, WatchIndexer>): Promise<string[]> {
    const found = await due.find(indexers);
    for (const [, indexer] of found)
      for (let left = 1_000; await indexer.step(); left--) if (left === 0) throw new Error("it never ends");
    return found.map(([address]) => address);
  }

  async function setUpMany(more: JsonObject = {}) {
    const context = await setUp(database, more);
    context.chain.addresses.splice(0, 1, ...ADDRESSES);
    const newIndexers = () => new Map(ADDRESSES.map((address) => [address, context.createIndexer(address)]));
    const newDue = () => new DueIndexers(() => context.chain, NO_OUTAGES);
    return { ...context, newIndexers, newDue };
  }

  it("are indexed only for blocks that concern them, and again when their blocks are final", async () => {
    const { chain, newIndexers, newDue, objects } = await setUpMany();
    const indexers = newIndexers();
    const due = newDue();
    chain.mine(8, () => 1);
    expect(await indexDue(due, indexers)).toEqual(ADDRESSES);
    chain.mine(8, () => 0);
    expect(await indexDue(due, indexers)).toEqual(ADDRESSES);
    chain.mine(1, () => 1);
    const concerned = chain.blocks.at(-1)?.address;
    expect(await indexDue(due, indexers)).toEqual([concerned]);
    chain.mine(4, () => 0);
    expect(await indexDue(due, indexers)).toEqual([]);
    chain.mine(1, () => 0);
    expect(await indexDue(due, indexers)).toEqual([concerned]);
    chain.mine(1, () => 0);
    expect(await indexDue(due, indexers)).toEqual([]);
    expect((await objects()).map(formatEvent)).toEqual(chain.all());
    expect((await objects()).every(({ confirmed }) => confirmed === true)).toBe(true);
  });

  it("are confirmed on time after a reorganization that made the chain shorter", async () => {
    const { chain, newIndexers, newDue, objects } = await setUpMany();
    const indexers = newIndexers();
    const due = newDue();
    chain.mine(20, () => 1);
    await indexDue(due, indexers);
    chain.unwind(12);
    chain.mine(2, () => 1);
    await indexDue(due, indexers);
    chain.mine(5, () => 0);
    await indexDue(due, indexers);
    expect((await objects()).map(({ confirmed }) => confirmed)).toEqual(Array(10).fill(true));
  });

  it("are stored once their blocks are final if cloud code decides about them, also without later events", async () => {
    const { chain, settings, newIndexers, newDue, objects } = await setUpMany({ confirmations: 0 });
    settings.hasTrigger = true;
    const indexers = newIndexers();
    const due = newDue();
    chain.mine(8, () => 1);
    settings.finalized = 7;
    await indexDue(due, indexers);
    expect(await objects()).toHaveLength(8);
    // The final block stays the same while the next ones arrive.
    chain.mine(2, () => 1);
    await indexDue(due, indexers);
    chain.mine(3, () => 0);
    await indexDue(due, indexers);
    expect(await objects()).toHaveLength(8);
    settings.finalized = 12;
    await indexDue(due, indexers);
    expect((await objects()).map(formatEvent)).toEqual(chain.all());
  });

  it("continue after any number of blocks without events, although the events of old blocks are removed", async () => {
    const { chain, newIndexers, newDue, objects } = await setUpMany();
    chain.keepBlocks = 20;
    const indexers = newIndexers();
    const due = newDue();
    chain.mine(4, () => 1);
    expect(await indexDue(due, indexers)).toEqual(ADDRESSES);
    for (let i = 0; i < 60; i++) {
      chain.mine(1, () => 0);
      await indexDue(due, indexers);
    }
    chain.mine(4, () => 1);
    await indexDue(due, indexers);
    expect((await objects()).map(formatEvent)).toEqual(chain.all());
  });

  it("wait while the database of their index is unavailable, and miss nothing", async () => {
    const { chain, newIndexers, objects } = await setUpMany();
    const indexers = newIndexers();
    let isAvailable = true;
    const due = new DueIndexers(() => (isAvailable ? chain : undefined), NO_OUTAGES);
    chain.mine(4, () => 1);
    expect(await indexDue(due, indexers)).toEqual(ADDRESSES);
    isAvailable = false;
    chain.mine(4, () => 1);
    expect(await indexDue(due, indexers)).toEqual([]);
    isAvailable = true;
    await indexDue(due, indexers);
    expect((await objects()).map(formatEvent)).toEqual(chain.all());
  });

  it.each(historiesOn(database, HISTORIES))(
    "match the chain after reorganizations and restarts (history %i)",
    async (seed) => {
      const random = seededRandom(seed);
      const { chain, newIndexers, newDue, objects } = await setUpMany();
      const upTo = (max: number) => Math.floor(random() * (max + 1));
      const eventsIn = () => (random() < 0.3 ? upTo(3) : 0);
      let indexers = newIndexers();
      let due = newDue();
      chain.mine(1 + upTo(20), eventsIn);
      for (let step = 0; step < 25; step++) {
        const kind = random();
        if (kind < 0.4) chain.mine(1 + upTo(5), eventsIn);
        else if (kind < 0.6) {
          chain.unwind(1 + upTo(random() < 0.2 ? 64 : 5));
          chain.mine(upTo(8), eventsIn);
        } else if (kind < 0.7) {
          indexers = newIndexers();
          due = newDue();
        } else await indexDue(due, indexers);
      }
      await indexDue(due, indexers);
      const found = await objects();
      expect(found.map(formatEvent)).toEqual(chain.all());
      const finalBlock = chain.blocks.length - 6;
      const unconfirmed = found.filter(({ confirmed }) => confirmed !== true);
      expect(unconfirmed.filter(({ block_number }) => Number(block_number) <= finalBlock)).toEqual([]);
    },
  );
});
