import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BlockReader, type ChainEventReader, EventsRemovedError } from "@purse/chain";
import { afterEach, expect, it } from "vitest";
import { createLogger } from "../../core/logger.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import { systemClasses } from "../../data/schema/systemClasses.ts";
import { openStore } from "../../database/openStore.ts";
import { parseStream } from "./stream.ts";
import { StreamAddresses } from "./streamAddresses.ts";
import { STREAM_CLASSES } from "./streamClasses.ts";
import { StreamDeliveries } from "./streamDeliveries.ts";
import { StreamReplays } from "./streamReplays.ts";
import { StreamRows } from "./streamRows.ts";
import { StreamService } from "./streamService.ts";

const CHAIN = 1337;
const STREAM = "the-stream";
const HEAD = 20;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A stream of a chain whose events before `keptFrom` are removed when they are read. */
async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), "purse-replays-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  cleanups.push(() => store.close());
  const schemas = await openSchemas(store, systemClasses(STREAM_CLASSES));
  const schemaOf = (className: string) => schemas.require(className);
  const rows = new StreamRows(store, schemaOf, Date.now);
  const row = await rows.create("_ChainStream", STREAM, {
    webhookUrl: "https://example.org/hook",
    includeContractLogs: true,
    chainIds: ["0x539"],
    status: "active",
    startBlocks: { [CHAIN]: 0 },
  });
  const chain = { keptFrom: 0 };
  const requireKept = (block: number) => {
    if (block < chain.keptFrom) throw new EventsRemovedError(`those before block ${chain.keptFrom} are gone`);
  };
  const blockReader: BlockReader = {
    async blocks(from) {
      requireKept(from);
      return [];
    },
    internalTransfers: async () => [],
    signatures: async () => new Map(),
    nativeBalances: async () => new Map(),
    tokens: async () => new Map(),
  };
  const eventReader: ChainEventReader = {
    head: async () => ({ number: HEAD, hash: "0x20" }),
    getBlockHashes: async () => new Map(),
    touchedAddresses: async () => undefined,
    events: async () => undefined,
  };
  const lines: string[] = [];
  const service = new StreamService({
    rows,
    addresses: new StreamAddresses(store, schemaOf, Date.now),
    deliveries: new StreamDeliveries(store, schemaOf, Date.now),
    chain: {
      resolveChainId: () => CHAIN,
      status: () => [],
      eventReader: () => eventReader,
      blockReader: () => blockReader,
    },
    secret: undefined,
    allowPrivateHooks: false,
    onChanged: async () => undefined,
  });
  const replays = new StreamReplays({
    rows,
    store,
    schemaOf,
    indexer: {
      async replay(_stream, _chainId, from, _to, moveWrites) {
        requireKept(from);
        await store.write(moveWrites(from + 1));
        return from + 1;
      },
    },
    clock: Date.now,
    logger: createLogger({ level: "warn", format: "text", write: (line) => lines.push(line) }),
  });
  const begin = (fromBlock: number, toBlock: number) =>
    service.replay(STREAM, { chainId: "0x539", fromBlock, toBlock });
  return { chain, service, replays, begin, lines, stream: parseStream(row) };
}

it("A replay of blocks whose events have been removed is refused with the first kept block", async () => {
  const { chain, replays, begin } = await setUp();
  chain.keptFrom = 7;
  await expect(begin(6, 9)).rejects.toMatchObject({
    status: 400,
    message: "Invalid stream: those before block 7 are gone",
  });
  await begin(7, 9);
  await replays.load();
  expect(replays.running).toMatchObject([{ fromBlock: 7 }]);
});

it("A replay whose events are removed before it reads them ends as failed, with the reason", async () => {
  const { chain, service, replays, begin, stream, lines } = await setUp();
  const [overtaken, other] = [await begin(1, 9), await begin(8, 9)];
  await replays.load();
  const step = (id: string) => {
    const replay = replays.running.find(({ objectId }) => objectId === id);
    return replay && replays.step(replay, stream);
  };
  expect(await step(overtaken.id)).toBe(true);
  chain.keptFrom = 5;
  expect(await step(overtaken.id)).toBe(false);
  expect([await step(other.id), await step(other.id)]).toEqual([true, false]);
  expect(replays.running).toEqual([]);
  const reason = "those before block 5 are gone";
  expect(await service.getReplay(STREAM, overtaken.id)).toMatchObject({
    status: "failed",
    nextBlock: 2,
    statusMessage: reason,
  });
  expect(await service.getReplay(STREAM, other.id)).toMatchObject({ status: "done", nextBlock: 10 });
  expect(lines.filter((line) => line.includes(reason))).toHaveLength(1);
  await replays.load();
  expect(replays.running).toEqual([]);
});
