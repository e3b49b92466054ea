import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import { forwardConnections } from "../../test/forwardConnections.ts";
import { createChainFolder, DATABASES } from "../../test/indexDatabase.ts";
import { type ChangeLogs, IndexedChain } from "../../test/indexedChain.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { testChain } from "../../test/testChain.ts";
import { startService } from "../../test/testService.ts";

/** Faults of nodes have the same effect on both databases: `npm run prove:nodes` tries all of them on each. */
const IS_LONG = process.env.PURSE_CHAIN_FAULTS === "all";

const forgeries: [string, ChangeLogs][] = [
  [
    "adds a log",
    (logs) => [...logs, { ...Object(logs[0]), logIndex: "0xff", address: `0x${"ab".repeat(20)}` }],
  ],
  ["changes an address", (logs) => logs.map((log) => ({ ...Object(log), address: `0x${"ab".repeat(20)}` }))],
];

describe.each(DATABASES)("on %s", (name) => {
  const local = new IndexedChain(name);
  const hasNodeFaults = IS_LONG || name === "SQLite";

  /** Starts a chain with another id and more blocks. */
  async function otherChain(chainId: number): Promise<DevChain> {
    const path = await createChainFolder();
    local.ends.push(() => rm(path, { recursive: true, force: true }));
    const other = await startDevChain({ port: 0, dataDir: path, chainId, autoSave: false });
    local.ends.push(() => discardChain(other));
    await testChain(other).mine(3);
    return other;
  }

  describe("a reorganization", () => {
    it.each(hasNodeFaults ? [1, 12, 150] : [150])("of %i blocks leaves no old rows", (depth) =>
      local.expectReorganization(depth),
    );

    it("onto a shorter chain leaves no old rows", async () => {
      const location = await local.indexedPlace();
      const service = await local.follow(location);
      const snapshot = await local.chain.rpc("evm_snapshot");
      const common = await local.chain.head();
      for (let i = 0; i < 4; i++) await local.chain.transfer(0, local.chain.account(8), BigInt(100 + i));
      await local.atHead(service);

      await local.chain.rpc("evm_revert", [snapshot]);
      await local.chain.transfer(0, local.chain.account(9), 77n);
      await service.waitFor(({ indexed }) => indexed === common + 1);
      await local.expectAsOnNode(location);
    });
  });

  describe("a node", () => {
    it.each(hasNodeFaults ? forgeries : forgeries.slice(0, 1))(
      "that %s is rejected, and none of its data is stored",
      (_what, change) => local.expectForgeryRejected(change),
    );
  });

  if (!hasNodeFaults) return;

  describe("a chain", () => {
    it("is read in smaller batches if the node rejects large ones", async () => {
      await local.chain.mine(300);
      const sizes: number[] = [];
      const node = await proxyNode(
        local.chain.url,
        () => undefined,
        (calls, response) => {
          sizes.push(calls.length);
          if (calls.length <= 30) return false;
          response.writeHead(413).end();
          return true;
        },
      );
      local.ends.push(() => node.stop());
      const location = await local.newPlace();
      await local.atHead(await local.follow(location, [node.url]));
      expect(await local.indexedTransfers(location)).toEqual(await local.chain.transfers());
      expect(Math.max(...sizes)).toBeGreaterThan(30);
    });
  });

  describe("a reorganization", () => {
    it("between reading a block and its logs loses nothing", async () => {
      // Once, the node returns no logs for a range and then another last block: data of two chains.
      let armed = true;
      let changed = false;
      const fickle = await local.proxy(({ method, params: [number = null] }) => {
        if (method === "eth_getLogs" && armed) {
          armed = false;
          changed = true;
          return { result: [] };
        }
        if (method !== "eth_getBlockByNumber" || !changed) return undefined;
        changed = false;
        const hash = `0x${"ab".repeat(32)}`;
        return { result: { number, hash, parentHash: hash, timestamp: "0x1" } };
      });
      const location = await local.newPlace();
      await local.atHead(await local.follow(location, [fickle.url]));
      expect(await local.indexedTransfers(location)).toEqual(await local.chain.transfers());
    });
  });

  describe("a restart", () => {
    it("resumes at the checkpoint without gaps or duplicates", async () => {
      const location = await local.indexedPlace();
      await local.chain.mine(500);
      await local.chain.transfer(0, local.chain.account(7), 1n);
      // Aborts after the first range, during reading.
      const broken = await local.proxy(({ method, params: [number] }) =>
        method === "eth_getBlockByNumber" && Number(number) > 300 ? { result: null } : undefined,
      );
      const first = await local.follow(location, [broken.url]);
      await first.waitFor(({ indexed }) => indexed !== null && indexed > 100);
      await first.stop();
      const indexed = (await local.indexedBlocks(location)).length;
      expect(indexed).toBeLessThan(400);
      await local.chain.transfer(0, local.chain.account(7), 2n);

      const requestedBlocks: number[] = [];
      const node = await local.proxy(({ method, params: [number] }) => {
        if (method === "eth_getBlockByNumber" && String(number).startsWith("0x"))
          requestedBlocks.push(Number(number));
        return undefined;
      });
      const second = await local.follow(location, [node.url]);
      await local.atHead(second);
      expect(Math.min(...requestedBlocks)).toBe(indexed - 1);
      expect(await local.indexedBlocks(location)).toHaveLength((await local.chain.head()) + 1);
      await local.expectAsOnNode(location);
    });
  });

  describe("a node", () => {
    it("of another chain is rejected also as a replacement for a failed one", async () => {
      const other = await otherChain(4242);
      const location = await local.indexedPlace();
      let dead = false;
      const node = await proxyNode(
        local.chain.url,
        () => undefined,
        (_calls, response) => {
          if (dead) response.destroy();
          return dead;
        },
      );
      local.ends.push(() => node.stop());
      const service = await local.follow(location, [node.url, other.url]);
      await local.atHead(service);
      const before = await local.indexedBlocks(location);
      dead = true;
      await service.waitFor(({ state }) => state === "unreachable" || state === "refused");
      expect(await local.indexedBlocks(location)).toEqual(before);
      await expect(
        service.run("getNativeBalance", { address: local.chain.account(0) }),
      ).rejects.toMatchObject({
        status: 503,
      });
      dead = false;
      await service.waitFor(({ state }) => state === "following");
      expect(await local.indexedBlocks(location)).toEqual(before);
    });

    it("that goes down is reported, and used again when it is back", async () => {
      const { chain } = local;
      const location = await local.indexedPlace();
      const connections = await forwardConnections(Number(new URL(chain.url).port));
      local.ends.push(() => connections.close());
      const service = await local.follow(location, [`http://127.0.0.1:${connections.port}`]);
      await service.waitFor(({ state }) => state === "following");
      connections.break();
      const { error, indexed } = await service.waitFor(({ state }) => state === "unreachable");
      expect(error).toMatch(/ECONNRESET|closed|hang up|socket/);
      expect(indexed).toBeGreaterThan(0);

      await chain.transfer(0, chain.account(7), 99n);
      connections.restore();
      await local.atHead(service);
      expect(await local.indexedTransfers(location)).toEqual(await chain.transfers());
      expect(service.log.lines.join("\n")).toContain("is available again");
    });

    it("that lags behind does not shorten the index", async () => {
      let lag = 0;
      const node = await local.proxy(({ method }) =>
        method === "eth_blockNumber" && lag > 0 ? { result: `0x${lag.toString(16)}` } : undefined,
      );
      const location = await local.indexedPlace();
      const service = await local.follow(location, [node.url]);
      await local.atHead(service);
      const before = await local.indexedBlocks(location);
      lag = before.length - 5;
      await service.waitFor(({ head }) => head === lag);
      lag = 0;
      const methods = node.methods.length;
      await expect.poll(() => node.methods.length).toBeGreaterThanOrEqual(methods + 4);
      expect(await local.indexedBlocks(location)).toEqual(before);
      expect(service.log.lines.join("\n")).not.toContain("reorganized");
    });

    it("that does not return its blocks is reported, and polled only when that is due", async () => {
      let hide = true;
      const node = await local.proxy(({ method }) =>
        hide && method === "eth_getBlockByNumber" ? { result: null } : undefined,
      );
      const hours = { pollMs: 3_600_000 };
      const { service, status, stop } = await startService(
        { id: 1337, rpcUrls: [node.url] },
        await local.newPlace(),
        hours,
      );
      local.ends.push(stop);
      // At the start, and whenever something is watched.
      let due = 1;
      const nextState = () => {
        due += 1;
        service.watch(1337, []);
        return status().state;
      };
      await expect.poll(nextState).toBe("unreachable");
      const polls = node.methods.filter((method) => method === "eth_blockNumber");
      expect(polls.length).toBeLessThanOrEqual(due);
      hide = false;
      await expect.poll(nextState).toBe("following");
    });

    it.each([
      ["a block that was not requested", "eth_getBlockByNumber", { number: "0x999999" }],
      ["a head that is not a number", "eth_blockNumber", "soon"],
      ["receipts that are not objects", "eth_getBlockReceipts", [1]],
    ])("that returns %s is rejected, and none of its data is stored", async (_what, method, result) => {
      const node = await local.proxy((call) => (call.method === method ? { result } : undefined));
      const location = await local.newPlace();
      const service = await local.follow(location, [node.url]);
      await service.waitFor(({ state }) => state === "refused");
      expect(await local.indexedBlocks(location)).toEqual([]);
    });
  });
});
