import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import type { DatabaseLocation } from "../../test/indexDatabase.ts";
import { NIGHTLY } from "../../test/indexDatabase.ts";
import { IndexedChain } from "../../test/indexedChain.ts";
import { proxyNode, type RewriteResult } from "../../test/proxyNode.ts";
import { startService, type TestService } from "../../test/testService.ts";
import type { ChainConfig } from "../model/chainConfig.ts";
import type { NodeHealth } from "../model/chainStatus.ts";

/**
 * Which node of a chain is believed. The chain is none that its developer may reset, and its blocks are old, because its
 * history has fixed times.
 */

const local = new IndexedChain("SQLite");

async function follow(
  settings: Partial<ChainConfig> & Pick<ChainConfig, "rpcUrls">,
  location: DatabaseLocation,
) {
  const service = await startService({ id: 1337, resets: false, stalledSeconds: 0, ...settings }, location);
  local.ends.push(() => service.stop());
  return service;
}

const statesOf = (nodes: readonly NodeHealth[]) => nodes.map(({ state }) => state);
const nodesOf = ({ status }: TestService) => statesOf(status().nodes);

/** The hash of a block of another chain in the place of one of this chain. */
const changed = (hash: JsonValue | undefined) =>
  String(hash).replace(/^0x./, (start) => `${start === "0xf" ? "0xe" : "0xf"}`);

const asOtherChain: RewriteResult = ({ method }, result) => {
  if (method === "eth_getBlockByNumber" && isJsonObject(result))
    return { ...result, hash: changed(result.hash), parentHash: changed(result.parentHash) };
  if (method === "eth_getBlockReceipts" && Array.isArray(result))
    return result.map((each) =>
      isJsonObject(each) ? { ...each, blockHash: changed(each.blockHash) } : each,
    );
  return result;
};

type ChangeItem = (item: JsonObject) => JsonObject;

const changeItems = (items: JsonValue | undefined, change: ChangeItem): JsonValue =>
  Array.isArray(items) ? items.map((each) => (isJsonObject(each) ? change(each) : each)) : (items ?? null);

/** From block 11 on: the blocks before are as they should be. */
const isLater = (block: JsonValue | undefined) => Number(block) > 10;

function changeReceipts(change: ChangeItem): RewriteResult {
  return ({ method, params: [block] }, result) =>
    method === "eth_getBlockReceipts" && isLater(block) ? changeItems(result, change) : result;
}

function changeTransactions(change: ChangeItem): RewriteResult {
  return ({ method, params: [block] }, result) =>
    method === "eth_getBlockByNumber" && isLater(block) && isJsonObject(result)
      ? { ...result, transactions: changeItems(result.transactions, change) }
      : result;
}

/** A node with the same chain id and other blocks from the first one on. */
async function otherChain(): Promise<string> {
  return (await local.proxy(() => undefined, asOtherChain)).url;
}

/** A node that can be limited: it then responds with 429 to all requests. */
async function limitedNode() {
  const state = { isLimited: false };
  const node = await proxyNode(
    local.chain.url,
    () => undefined,
    (_calls, response) => {
      if (state.isLimited) response.writeHead(429).end();
      return state.isLimited;
    },
  );
  local.ends.push(() => node.stop());
  return { state, url: node.url };
}

describe("a node of another chain with the same id", () => {
  it("does not replace the index while the other node is limited, and is named as rejected", async () => {
    const place = await local.indexedPlace();
    const limited = await limitedNode();
    const service = await follow({ rpcUrls: [limited.url, await otherChain()] }, place);
    await local.atHead(service);
    const before = await local.indexedBlocks(place);
    limited.state.isLimited = true;
    await local.chain.mine(3);
    const { state, nodes, error } = await service.waitFor((status) => status.state === "unreachable");
    expect(state).toBe("unreachable");
    expect(error).toMatch(/HTTP 429; the node has another block \d+ than the index, and that block is final/);
    expect(statesOf(nodes)).toEqual(["failing", "refused"]);
    expect(await local.indexedBlocks(place)).toEqual(before);
    limited.state.isLimited = false;
    await local.atHead(service);
    await local.expectAsOnNode(place);
  });

  it("does not replace the index as the only node, also after a restart", async () => {
    const place = await local.indexedPlace();
    const first = await follow({ rpcUrls: [local.chain.url] }, place);
    await local.atHead(first);
    await first.stop();
    const before = await local.indexedBlocks(place);
    const service = await follow({ rpcUrls: [await otherChain()] }, place);
    const { error } = await service.waitFor(({ state }) => state === "refused");
    expect(error).toContain("it belongs to another chain, or its chain was started anew (the setting RESETS");
    expect(await local.indexedBlocks(place)).toEqual(before);
    await expect(
      service.run("getNativeBalance", { chain: "1337", address: local.chain.account(0) }),
    ).rejects.toMatchObject({ status: 503 });
  });

  if (NIGHTLY)
    it("does not replace the index of a chain that may be reset, unless the other nodes confirm it", async () => {
      const place = await local.indexedPlace();
      const limited = await limitedNode();
      const rpcUrls = [limited.url, await otherChain()];
      const service = await follow({ rpcUrls, resets: true }, place);
      await local.atHead(service);
      const before = await local.indexedBlocks(place);
      limited.state.isLimited = true;
      await local.chain.mine(3);
      const { error } = await service.waitFor(({ state }) => state === "refused");
      expect(error).toContain("not all nodes of the chain confirm that");
      expect(await local.indexedBlocks(place)).toEqual(before);
    });
});

describe("a node that changes what the bloom filter does not show", () => {
  const RECEIPTS = /^the receipts of block \d+ do not match the root in its header/;

  it("is rejected for other amounts, and none of its data is stored", () =>
    local.expectForgeryRejected(
      (logs) =>
        logs.map((log) => {
          const { data } = Object(log);
          return String(data).length === 66 ? { ...Object(log), data: `0x${"7".padStart(64, "0")}` } : log;
        }),
      RECEIPTS,
    ));

  const rewrites: [what: string, rewrite: RewriteResult, reason: RegExp][] = [
    [
      "a log that is there twice",
      ({ method }, result) => {
        if (method !== "eth_getBlockReceipts" || !Array.isArray(result)) return result;
        const { logs, ...last } = Object(result.at(-1));
        if (!Array.isArray(logs) || logs.length === 0) return result;
        const again = { ...logs.at(-1), logIndex: "0xff" };
        return [...result.slice(0, -1), { ...last, logs: [...logs, again] }];
      },
      RECEIPTS,
    ],
    [
      "receipts without a status",
      changeReceipts(({ status: _, ...receipt }) => receipt),
      /^the receipt of transaction 0x[0-9a-f]{64} has neither a status nor a state root$/,
    ],
    ["failed transactions that succeeded", changeReceipts((each) => ({ ...each, status: "0x0" })), RECEIPTS],
    [
      "another value of a transaction",
      changeTransactions((each) => ({ ...each, value: "0x1" })),
      /^the transactions of block \d+ do not match the root in its header/,
    ],
    [
      "another header",
      ({ method }, result) =>
        method === "eth_getBlockByNumber" && isJsonObject(result) && Number(result.number) > 10
          ? { ...result, miner: `0x${"ab".repeat(20)}` }
          : result,
      /^the header of block \d+ does not match its hash/,
    ],
  ];
  // `blockVerifier.test.ts` has the others for the rules alone.
  it.each(NIGHTLY ? rewrites : rewrites.slice(-1))("is rejected for %s", async (_what, rewrite, reason) => {
    const node = await local.proxy(() => undefined, rewrite);
    const service = await follow({ rpcUrls: [node.url] }, await local.newPlace());
    const { error } = await service.waitFor(({ state }) => state === "refused");
    expect(error).toMatch(reason);
  });

  it("is rejected from the first block after a restart, also if none of its blocks is as it should be", async () => {
    const place = await local.indexedPlace();
    await local.chain.transfer(0, local.chain.account(7), 5n);
    const node = await local.proxy(
      () => undefined,
      changeReceipts((each) => ({ ...each, status: "0x0" })),
    );
    const service = await follow({ rpcUrls: [node.url] }, place);
    const { error } = await service.waitFor(({ state }) => state === "refused");
    expect(error).toMatch(RECEIPTS);
  });

  if (NIGHTLY)
    it("is believed with the setting for chains whose blocks cannot be verified", async () => {
      const node = await local.proxy(
        () => undefined,
        changeReceipts((each) => ({ ...each, status: "0x0" })),
      );
      const service = await follow({ rpcUrls: [node.url], verifyRoots: false }, await local.newPlace());
      await local.atHead(service);
    });
});

describe("a reorganization", () => {
  it("of final blocks is refused, and one above them is not", async () => {
    const place = await local.indexedPlace();
    const first = await follow({ rpcUrls: [local.chain.url] }, place);
    await local.chain.mine(100);
    await local.atHead(first);
    await first.stop();
    const service = await follow({ rpcUrls: [local.chain.url] }, place);
    await local.atHead(service);
    await local.chain.reorganize(20);
    await local.atHead(service);
    await local.expectAsOnNode(place);
    const before = await local.indexedBlocks(place);
    await local.chain.reorganize(90);
    const { error } = await service.waitFor(({ state }) => state === "refused");
    expect(error).toMatch(/another block \d+ than the index, and that block is final/);
    expect(await local.indexedBlocks(place)).toEqual(before);
  });
});

describe("a node that stands still", () => {
  /** A node whose latest block stays the same while `state.head` is set. */
  async function stuckNode() {
    const state: { head: number | undefined } = { head: undefined };
    const node = await local.proxy(({ method, params: [tag] }) => {
      if (state.head === undefined) return undefined;
      if (method === "eth_blockNumber") return { result: `0x${state.head.toString(16)}` };
      return method === "eth_getBlockByNumber" && Number(tag) > state.head ? { result: null } : undefined;
    });
    return { state, url: node.url };
  }

  it("is replaced by one that goes on, although it responds", async () => {
    const place = await local.indexedPlace();
    const stuck = await stuckNode();
    const service = await follow({ rpcUrls: [stuck.url, local.chain.url] }, place);
    await local.atHead(service);
    stuck.state.head = await local.chain.head();
    await local.chain.mine(5);
    await local.atHead(service);
    expect(nodesOf(service)).toEqual(["behind", "well"]);
    await local.expectAsOnNode(place);
  });

  it("is reported if there is no other one, and until there are new blocks", async () => {
    const place = await local.indexedPlace();
    const service = await follow({ rpcUrls: [local.chain.url], stalledSeconds: 3_600 }, place);
    const { error, lag } = await service.waitFor(({ state }) => state === "stalled");
    expect(error).toMatch(/^the latest block is \d+ seconds old$/);
    expect(lag).toBe(0);
    expect(service.log.lines.join("\n")).toContain("the chain or its nodes stand still");
    // What is indexed is still the latest that is known.
    await service.run("getNativeBalance", { chain: "1337", address: local.chain.account(0) });
    await local.chain.rpc("evm_setNextBlockTimestamp", [Math.floor(Date.now() / 1000)]);
    await local.chain.mine(1);
    await expect.poll(() => service.log.lines.join("\n")).toContain("the chain has new blocks again");
  });
});
