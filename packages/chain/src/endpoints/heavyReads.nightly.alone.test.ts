import { isJsonObject, type JsonObject } from "@purse/protocol";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillIndex, transferLog } from "../../test/fillIndex.ts";
import { createDatabase, DATABASES, type DatabaseLocation, NIGHTLY } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import type { ChainService } from "../chainService.ts";
import { createChainService, indexLocationOf } from "../createChainService.ts";
import { ChainStore } from "../store/chainStore.ts";
import { HolderCounter } from "../store/holderCounter.ts";
import type { IndexReadError } from "../store/indexErrors.ts";
import { createBoundedPostgresReader } from "../store/postgresReader.ts";
import { runInGroup } from "../store/requestGroup.ts";
import { SqliteReaderPool } from "../store/sqliteReaderPool.ts";

/**
 * Reads of a large index concurrent with small reads of others. Asserts order and CPU time instead of wall-clock
 * time.
 */

const LARGE = 7_001;
const SMALL = 7_002;
const TRANSFERS = 60_000;
const PER_BLOCK = 200;
const PATIENT = { timeoutMs: 60_000, maxRows: 200_000 };
const WALLET = `0x${"a1".repeat(20)}`;
const OTHER = `0x${"b2".repeat(20)}`;
const TOKEN = `0x${"ee".repeat(20)}`;

/** Creates an index with many transfers of one wallet. */
function fill(location: DatabaseLocation, chainId: number, transfers: number): Promise<void> {
  return fillIndex(location, chainId, {
    blocks: Math.ceil(transfers / PER_BLOCK),
    addContents({ logs }, block) {
      for (let i = 0; i < PER_BLOCK; i++)
        logs.push(transferLog(block, i, { token: TOKEN, from: WALLET, to: OTHER }));
    },
  });
}

describe.each(DATABASES)("on %s", (name) => {
  let location: DatabaseLocation;
  let remove: () => Promise<void>;
  let service: ChainService;

  beforeAll(async () => {
    ({ location: location, remove } = await createDatabase(name));
    await fill(location, LARGE, TRANSFERS);
    await fill(location, SMALL, PER_BLOCK);
    const chains = [LARGE, SMALL].map((id) => ({
      id,
      name: `chain ${id}`,
      aliases: [],
      rpcUrls: ["http://127.0.0.1:9"],
    }));
    // A busy machine must not cause timeouts here.
    const readLimits = { lookup: PATIENT, list: PATIENT };
    service = createChainService({ chains, database: location, log: createRecordingLogger(), readLimits });
    await service.start();
  });

  afterAll(async () => {
    await service?.stop();
    await remove?.();
  });

  async function transfers(client: string, chain: number, params: JsonObject): Promise<JsonObject> {
    const route = service.routes.find(({ functionName }) => functionName === "getTokenTransfers");
    const answer = await runInGroup(client, async () => route?.run({ chain: String(chain), ...params }));
    if (!isJsonObject(answer)) throw new Error("the answer is not an object");
    return answer;
  }

  const heavy = () => transfers("greedy", LARGE, { address: WALLET, limit: 100, offset: 50_000 });
  const light = () => transfers("modest", SMALL, { address: OTHER, limit: 10 });

  it("a client with many heavy queries delays a light one of another client by only a few of them", async () => {
    await Promise.all([heavy(), light()]);
    const order: string[] = [];
    const started = Array.from({ length: 8 }, () => heavy().then(() => order.push("heavy")));
    const small = light().then(({ total }) => {
      expect(total).toBe(PER_BLOCK);
      order.push("light");
    });
    await Promise.all([...started, small]);
    expect(order.indexOf("light")).toBeLessThan(6);
  });

  it("the request loop spends almost no CPU time on reads", async () => {
    await heavy();
    const before = process.threadCpuUsage();
    await Promise.all([heavy(), heavy(), heavy(), heavy()]);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(400);
  });

  if (NIGHTLY)
    it("the request loop spends almost no CPU time on counting the holders of the past", async () => {
      const at = indexLocationOf(location, LARGE);
      const reads = new SqliteReaderPool(createRecordingLogger(), { lookup: PATIENT, list: PATIENT });
      const reader =
        at.kind === "sqlite"
          ? reads.reader(at.path)
          : createBoundedPostgresReader(at, 2, { lookup: PATIENT, list: PATIENT });
      const store = new ChainStore(reader);
      const counter = new HolderCounter(createRecordingLogger());
      const count = () => counter.count(store, TOKEN, [TRANSFERS, TRANSFERS / PER_BLOCK / 2, -1]);
      expect(await count()).toEqual([1, 1, 0]);
      const before = process.threadCpuUsage();
      await Promise.all([count(), count(), count(), count()]);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(400);
      await counter.stop();
      await reader.close();
      await reads.stop();
    });

  it("a read that takes too long is aborted with advice and Retry-After", async () => {
    const limits = { lookup: { timeoutMs: 30, maxRows: 10 }, list: { timeoutMs: 30, maxRows: 10 } };
    const at = indexLocationOf(location, LARGE);
    const reads = new SqliteReaderPool(createRecordingLogger(), limits);
    const reader = at.kind === "sqlite" ? reads.reader(at.path) : createBoundedPostgresReader(at, 2, limits);
    const endless = sql`SELECT count(*) AS n FROM logs a, logs b WHERE a.data <> b.topic0 AND ${reader.dialect.deadlineCheck}`;
    const failure: IndexReadError = await reader.all(endless, "list").then(
      () => Promise.reject(new Error("it was answered")),
      (error) => error,
    );
    expect(failure).toMatchObject({ name: "IndexReadError", reason: "timeout" });
    // The thread or connection that ran it is still usable.
    expect(await reader.all(sql`SELECT count(*) AS n FROM facts`)).toEqual([{ n: expect.anything() }]);
    expect(reads.health().every(({ restarts }) => restarts === 0)).toBe(true);
    await reader.close();
    await reads.stop();
  });

  it("an endpoint whose read takes too long returns 408 with advice and Retry-After", async () => {
    const limits = {
      lookup: { timeoutMs: 2_000, maxRows: 20_000 },
      list: { timeoutMs: 1, maxRows: 200_000 },
    };
    const chains = [{ id: LARGE, name: "large", aliases: [], rpcUrls: ["http://127.0.0.1:9"] }];
    const bounded = createChainService({
      chains,
      database: location,
      log: createRecordingLogger(),
      readLimits: limits,
    });
    await bounded.start();
    try {
      const route = bounded.routes.find(({ functionName }) => functionName === "getTokenTransfers");
      await expect(
        route?.run({ chain: String(LARGE), address: WALLET, offset: 50_000 }),
      ).rejects.toMatchObject({
        status: 408,
        retryAfter: 30,
        message: expect.stringContaining("use a smaller block range"),
      });
    } finally {
      await bounded.stop();
    }
  });
});

it("reads beyond the queue limit are rejected with 503 and Retry-After, those of other clients are served", async () => {
  const { location, remove } = await createDatabase("SQLite");
  await fill(location, SMALL, PER_BLOCK);
  const chains = [{ id: SMALL, name: "small", aliases: [], rpcUrls: ["http://127.0.0.1:9"] }];
  const service = createChainService({ chains, database: location, log: createRecordingLogger() });
  await service.start();
  try {
    const route = service.routes.find(({ functionName }) => functionName === "getTokenTransfers");
    const query = (client: string) =>
      runInGroup(client, async () => route?.run({ chain: String(SMALL), address: WALLET, limit: 5 }));
    const flood = Array.from({ length: 600 }, () => query("greedy"));
    const modest = Array.from({ length: 5 }, () => query("modest"));
    const refused = (await Promise.allSettled(flood)).filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { status: 503, retryAfter: 2 } });
    const served = await Promise.allSettled(modest);
    expect(served.map(({ status }) => status)).toEqual(modest.map(() => "fulfilled"));
  } finally {
    await service.stop();
    await remove();
  }
});
