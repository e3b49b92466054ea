import { BroadcastChannel } from "node:worker_threads";
import type { DevChain } from "@purse/devchain";
import { isJsonObject } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import {
  createDatabase,
  DATABASES,
  type DatabaseLocation,
  dumpIndex,
  NIGHTLY,
} from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import type { ChainServiceConfig } from "../chainService.ts";

/** Crashes of the indexer worker from within, during its work. */

const indexerModule = new URL("../../test/crashingWorker.ts", import.meta.url);
const AT_ONCE = { delaysMs: [0], maxFailures: 100, windowMs: 600_000 };

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
let crashes: BroadcastChannel;
const chainEnds: (() => Promise<unknown>)[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  crashes = new BroadcastChannel(`purse-test-crash-${process.pid}`);
  ({ devChain, chain } = await startTestChain(chainEnds));
  createIndexed = await indexBeforehand(chain, chainEnds, DATABASES);
});

afterAll(async () => {
  crashes?.close();
  for (const end of chainEnds.reverse()) await end();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newPlace(database: (typeof DATABASES)[number]): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase(database);
  ends.push(remove);
  return location;
}

type ServiceOptions = Pick<ChainServiceConfig, "fetchContent" | "restart"> & {
  scope?: "wallets";
  rpcUrls?: string[];
};

async function start(
  location: DatabaseLocation,
  { scope, rpcUrls = [chain.url], ...options }: ServiceOptions = {},
): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls, ...(scope && { scope }) }, location, {
    indexerModule,
    restart: AT_ONCE,
    retryMs: 50,
    ...options,
  });
  ends.push(() => service.stop());
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head, 60_000);
}

const restarts = (service: TestService) => service.service.indexer()?.restarts ?? 0;

const until = (condition: () => boolean | Promise<boolean>) =>
  expect.poll(condition, { timeout: 60_000, interval: 10 }).toBe(true);

/** Crashes the worker and waits until it has been replaced. */
async function crash(service: TestService, how: "exit" | "exhaust" = "exit"): Promise<void> {
  const before = restarts(service);
  crashes.postMessage(how);
  await until(() => restarts(service) > before && service.service.indexer()?.state === "ready");
}

describe.each(DATABASES)("the indexer worker, on %s", (database) => {
  it("is restarted when it exits during its work, without losses or duplicates", async () => {
    const location = await createIndexed(database, ends);
    const service = await start(location);
    for (let i = 0; i < 2; i++) {
      await chain.transfer(0, chain.account(3), BigInt(i + 1));
      await crash(service);
    }
    await chain.transferItems(chain.account(4), [1n, 2n], [1n, 1n]);
    await atHead(service);
    const anew = await createIndexed(database, ends);
    await atHead(await start(anew));
    expect(await dumpIndex(location, chain.chainId)).toEqual(await dumpIndex(anew, chain.chainId));
    expect(service.service.indexer()).toMatchObject({ state: "ready", restarts: 2 });
  });

  // The database decides only what is left of the work.
  if (database.startsWith("PostgreSQL")) return;

  if (NIGHTLY)
    it("is restarted when its memory is exhausted, while the process continues", async () => {
      const service = await start(await createIndexed(database, ends));
      await atHead(service);
      await crash(service, "exhaust");
      await chain.transfer(0, chain.account(3), 77n);
      await atHead(service);
      expect(service.service.indexer()?.lastError).toMatch(/memory/i);
    });

  it("executes commands sent just before it exited, and repeats pending fetches", async () => {
    const location = await createIndexed(database, ends);
    const methods: string[] = [];
    const gallery = await chain.createGallery();
    await chain.mintArtwork(gallery, chain.account(2), 900n, "https://example.org/900");
    const service = await start(location, {
      fetchContent: async (uri, { signal }) => {
        methods.push(uri);
        if (methods.length > 1) return Buffer.from('{"name":"nine hundred"}');
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("gone"))));
      },
    });
    await until(() => methods.includes("https://example.org/900"));
    await crash(service);
    await until(
      async () =>
        (await service.service.readNftMetadata({ address: gallery, token_id: "900" })) ===
        '{"name":"nine hundred"}',
    );
  });

  if (NIGHTLY)
    it("indexes the history of an address that was queried during its restart", async () => {
      const service = await start(await newPlace(database), {
        scope: "wallets",
        restart: { delaysMs: [500], maxFailures: 100, windowMs: 600_000 },
      });
      await atHead(service);
      crashes.postMessage("exit");
      await until(() => service.service.indexer()?.state === "restarting");
      expect(service.status()).toMatchObject({
        state: "unreachable",
        error: expect.stringContaining("restarting"),
      });
      const page = await service.run("getTokenTransfers", { address: chain.account(2) });
      expect(isJsonObject(page) ? page.total : 0).toBeGreaterThan(0);
    });

  it("that exits repeatedly is not restarted: its chains are stopped, and queries are rejected", async () => {
    const service = await start(await createIndexed(database, ends), {
      restart: { delaysMs: [0], maxFailures: 2, windowMs: 600_000 },
    });
    await atHead(service);
    await crash(service);
    crashes.postMessage("exit");
    await until(() => service.service.indexer()?.state === "failed");
    expect(service.status()).toMatchObject({
      state: "stopped",
      error: expect.stringContaining("has failed"),
    });
    await expect(service.run("getNFTOwners", { address: `0x${"99".repeat(20)}` })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("no longer indexed"),
    });
    const holding = { token: devChain.contracts.token.address, standard: "ERC20" as const };
    expect(await service.service.getBalance(chain.chainId, holding, [chain.account(0)])).toBeUndefined();
  });

  if (NIGHTLY)
    it("can be stopped during a restart, and while a node does not respond", async () => {
      const silent = await proxyNode(
        chain.url,
        () => undefined,
        () => true,
      );
      ends.push(() => silent.stop());
      for (const rpcUrls of [[chain.url], [silent.url]]) {
        const service = await start(await createIndexed(database, ends), {
          rpcUrls,
          restart: { delaysMs: [60_000], maxFailures: 100, windowMs: 600_000 },
        });
        crashes.postMessage("exit");
        await until(() => service.service.indexer()?.state === "restarting");
        await service.stop();
        expect(service.service.indexer()).toBeUndefined();
      }
    });
});
