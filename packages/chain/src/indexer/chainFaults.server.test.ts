import { describe, expect, it } from "vitest";
import { DATABASES } from "../../test/indexDatabase.ts";
import { IndexedChain } from "../../test/indexedChain.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startService } from "../../test/testService.ts";

/** One fault of each kind; `chainFaults.nightly.alone.test.ts` has the others. */

describe.each(DATABASES)("on %s", (name) => {
  const local = new IndexedChain(name);

  describe("a chain", () => {
    it("is indexed from its first block like on the node, and so are new blocks", async () => {
      const location = await local.newPlace();
      const service = await local.follow(location);
      await local.atHead(service);
      expect(await local.indexedTransfers(location)).toEqual(await local.chain.transfers());

      await local.chain.transfer(0, local.chain.account(7), 12_345n);
      await local.atHead(service);
      expect(await local.indexedTransfers(location)).toEqual(await local.chain.transfers());
      expect((await local.indexedTransfers(location)).at(-1)).toMatch(/ 12345$/);
      expect(service.status()).toMatchObject({ chain: 1337, name: "localdevchain", lag: 0 });
    });

    it("is indexed from the configured start block", async () => {
      const location = await local.newPlace();
      const service = await startService({ id: 1337, rpcUrls: [local.chain.url], startBlock: 10 }, location);
      local.ends.push(() => service.stop());
      await local.atHead(service);
      expect((await local.indexedBlocks(location))[0]).toMatch(/^10 /);
      const later = (await local.chain.transfers()).filter((line) => Number.parseInt(line, 10) >= 10);
      expect(await local.indexedTransfers(location)).toEqual(later);
    });

    it("is read from nodes without eth_getBlockReceipts", async () => {
      const node = await local.proxy(({ method }) =>
        method === "eth_getBlockReceipts"
          ? { error: { code: -32_601, message: "the method eth_getBlockReceipts does not exist" } }
          : undefined,
      );
      const location = await local.newPlace();
      await local.atHead(await local.follow(location, [node.url]));
      await local.expectAsOnNode(location);
    });

    it("is read over a WebSocket", async () => {
      const location = await local.newPlace();
      const service = await local.follow(location, [local.chain.url.replace("http", "ws")]);
      await local.atHead(service);
      await local.chain.transfer(0, local.chain.account(7), 5n);
      await local.atHead(service);
      await local.expectAsOnNode(location);
    });

    it("is polled immediately when something of it is watched", async () => {
      const hours = { pollMs: 3_600_000 };
      const { service, status, ...own } = await startService(
        { id: 1337, rpcUrls: [local.chain.url] },
        await local.indexedPlace(),
        hours,
      );
      local.ends.push(own.stop);
      await expect.poll(() => status().state).toBe("following");
      await local.chain.mine(1);
      const head = await local.chain.head();
      const indexed = () => {
        service.watch(1337, []);
        return status().indexed;
      };
      await expect.poll(indexed).toBe(head);
    });

    it("has its progress, and its safe and finalized blocks, in the status", async () => {
      const service = await local.follow(await local.indexedPlace());
      await local.atHead(service);
      const head = await local.chain.head();
      expect(service.status()).toMatchObject({
        scope: "chain",
        start: 0,
        head,
        indexed: head,
        lag: 0,
        percent: 100,
        etaSeconds: 0,
        nodes: [{ host: new URL(local.chain.url).host, state: "well" }],
      });
      const final = await local.chain.rpc("eth_getBlockByNumber", ["finalized", false]);
      expect(service.status().finalized).toBe(Number(Object(final).number));
    });
  });

  describe("a reorganization", () => {
    it("of 3 blocks leaves no old rows", () => local.expectReorganization(3));
  });

  describe("a restart", () => {
    it("detects a reorganization in the meantime", async () => {
      const location = await local.indexedPlace();
      const first = await local.follow(location);
      for (let i = 0; i < 3; i++) await local.chain.transfer(0, local.chain.account(8), BigInt(100 + i));
      await local.atHead(first);
      await first.stop();
      await local.chain.reorganize(3);
      await local.atHead(await local.follow(location));
      await local.expectAsOnNode(location);
    });

    it("stops immediately, also while a node does not respond", async () => {
      const node = await proxyNode(
        local.chain.url,
        () => undefined,
        () => true,
      );
      local.ends.push(() => node.stop());
      const service = await startService({ id: 1337, rpcUrls: [node.url] }, await local.indexedPlace());
      await expect.poll(() => node.methods.length).toBeGreaterThan(0);
      await service.stop();
      expect(service.log.lines.filter((line) => line.includes("cannot be indexed"))).toEqual([]);
    });
  });

  describe("a node", () => {
    // What was written of a rejected range is undone by the database.
    it("that omits a log is rejected, and none of its data is stored", () =>
      local.expectForgeryRejected((logs) => logs.slice(1)));

    it("of another chain is rejected, and none of its data is indexed", async () => {
      const location = await local.newPlace();
      const service = await local.follow(location, [local.chain.url], 137);
      const { error, head } = await service.waitFor(({ state }) => state === "refused");
      expect(error).toBe("the node belongs to chain 1337, not 137");
      expect(head).toBeNull();
      expect(await local.indexedBlocks(location)).toEqual([]);
      await expect
        .poll(() => service.log.lines.join("\n"))
        .toContain("the node belongs to chain 1337, not 137");
      await expect(
        service.run("getNativeBalance", { chain: "137", address: local.chain.account(0) }),
      ).rejects.toMatchObject({ status: 503 });
    });

    it("that fails is replaced by the next one", async () => {
      const location = await local.indexedPlace();
      const service = await local.follow(location, ["http://127.0.0.1:1", local.chain.url]);
      await local.atHead(service);
      expect(await local.indexedTransfers(location)).toEqual(await local.chain.transfers());
    });
  });
});
