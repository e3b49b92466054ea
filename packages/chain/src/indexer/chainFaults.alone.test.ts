import { describe, expect, it } from "vitest";
import { FollowedChain } from "../../test/followedChain.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startService } from "../../test/testService.ts";

/** One fault of each kind; `chainFaults.nightly.alone.test.ts` has the others. */

describe.each(DATABASES)("on %s", (name) => {
  const followed = new FollowedChain(name);

  describe("a chain", () => {
    it("is indexed from its first block like on the node, and so are new blocks", async () => {
      const location = await followed.newPlace();
      const service = await followed.follow(location);
      await followed.atHead(service);
      expect(await followed.indexedTransfers(location)).toEqual(await followed.chain.transfers());

      await followed.chain.transfer(0, followed.chain.account(7), 12_345n);
      await followed.atHead(service);
      expect(await followed.indexedTransfers(location)).toEqual(await followed.chain.transfers());
      expect((await followed.indexedTransfers(location)).at(-1)).toMatch(/ 12345$/);
      expect(service.status()).toMatchObject({ chain: 1337, name: "localdevchain", lag: 0 });
    });

    it("is indexed from the configured start block", async () => {
      const location = await followed.newPlace();
      const service = await startService(
        { id: 1337, rpcUrls: [followed.chain.url], startBlock: 10 },
        location,
      );
      followed.ends.push(() => service.stop());
      await followed.atHead(service);
      expect((await followed.indexedBlocks(location))[0]).toMatch(/^10 /);
      const later = (await followed.chain.transfers()).filter((line) => Number.parseInt(line, 10) >= 10);
      expect(await followed.indexedTransfers(location)).toEqual(later);
    });

    it("is read from nodes without eth_getBlockReceipts", async () => {
      const node = await followed.proxy(({ method }) =>
        method === "eth_getBlockReceipts"
          ? { error: { code: -32_601, message: "the method eth_getBlockReceipts does not exist" } }
          : undefined,
      );
      const location = await followed.newPlace();
      await followed.atHead(await followed.follow(location, [node.url]));
      await followed.expectAsOnNode(location);
    });

    it("is read over a WebSocket", async () => {
      const location = await followed.newPlace();
      const service = await followed.follow(location, [followed.chain.url.replace("http", "ws")]);
      await followed.atHead(service);
      await followed.chain.transfer(0, followed.chain.account(7), 5n);
      await followed.atHead(service);
      await followed.expectAsOnNode(location);
    });

    it("is polled immediately when something of it is watched", async () => {
      const hours = { pollMs: 3_600_000 };
      const { service, status, ...own } = await startService(
        { id: 1337, rpcUrls: [followed.chain.url] },
        await followed.indexedPlace(),
        hours,
      );
      followed.ends.push(own.stop);
      await expect.poll(() => status().state).toBe("following");
      await followed.chain.mine(1);
      const head = await followed.chain.head();
      const indexed = () => {
        service.watch(1337, []);
        return status().indexed;
      };
      await expect.poll(indexed).toBe(head);
    });

    it("has its progress, and its safe and finalized blocks, in the status", async () => {
      const service = await followed.follow(await followed.indexedPlace());
      await followed.atHead(service);
      const head = await followed.chain.head();
      expect(service.status()).toMatchObject({
        scope: "chain",
        start: 0,
        head,
        indexed: head,
        lag: 0,
        percent: 100,
        etaSeconds: 0,
        nodes: [{ host: new URL(followed.chain.url).host, state: "well" }],
      });
      const final = await followed.chain.rpc("eth_getBlockByNumber", ["finalized", false]);
      expect(service.status().finalized).toBe(Number(Object(final).number));
    });
  });

  describe("a reorganization", () => {
    it("of 3 blocks leaves no old rows", () => followed.expectReorganization(3));
  });

  describe("a restart", () => {
    it("detects a reorganization in the meantime", async () => {
      const location = await followed.indexedPlace();
      const first = await followed.follow(location);
      for (let i = 0; i < 3; i++)
        await followed.chain.transfer(0, followed.chain.account(8), BigInt(100 + i));
      await followed.atHead(first);
      await first.stop();
      await followed.chain.reorganize(3);
      await followed.atHead(await followed.follow(location));
      await followed.expectAsOnNode(location);
    });

    it("stops immediately, also while a node does not respond", async () => {
      const node = await proxyNode(
        followed.chain.url,
        () => undefined,
        () => true,
      );
      followed.ends.push(() => node.stop());
      const service = await startService({ id: 1337, rpcUrls: [node.url] }, await followed.indexedPlace());
      await expect.poll(() => node.methods.length).toBeGreaterThan(0);
      await service.stop();
      expect(service.log.lines.filter((line) => line.includes("cannot be indexed"))).toEqual([]);
    });
  });

  describe("a node", () => {
    // What was written of a rejected range is undone by the database.
    it("that omits a log is rejected, and none of its data is stored", () =>
      followed.expectForgeryRejected((logs) => logs.slice(1)));

    it("of another chain is rejected, and none of its data is indexed", async () => {
      const location = await followed.newPlace();
      const service = await followed.follow(location, [followed.chain.url], 137);
      const { error, head } = await service.waitFor(({ state }) => state === "refused");
      expect(error).toBe("the node belongs to chain 1337, not 137");
      expect(head).toBeNull();
      expect(await followed.indexedBlocks(location)).toEqual([]);
      await expect
        .poll(() => service.log.lines.join("\n"))
        .toContain("the node belongs to chain 1337, not 137");
      await expect(
        service.run("getNativeBalance", { chain: "137", address: followed.chain.account(0) }),
      ).rejects.toMatchObject({ status: 503 });
    });

    it("that fails is replaced by the next one", async () => {
      const location = await followed.indexedPlace();
      const service = await followed.follow(location, ["http://127.0.0.1:1", followed.chain.url]);
      await followed.atHead(service);
      expect(await followed.indexedTransfers(location)).toEqual(await followed.chain.transfers());
    });
  });
});
