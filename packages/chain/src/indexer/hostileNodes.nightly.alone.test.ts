import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { JsonValue } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createChainFolder, DATABASES, type DatabaseLocation, dumpIndex } from "../../test/indexDatabase.ts";
import { type Intercept, proxyNode, type RewriteResult } from "../../test/proxyNode.ts";
import { type TestChain, testChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Nodes that turn hostile while a chain is indexed, and recover: none of their data is stored in between. */

/** Each kind is tried on one of the databases; `npm run prove:nodes` tries all of them on both. */
const IS_LONG = process.env.PURSE_CHAIN_FAULTS === "all";

let devChain: DevChain;
let chain: TestChain;
let other: DevChain;
let createIndexed: CreateIndexed;
const folders: string[] = [];
const indexEnds: (() => Promise<unknown>)[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folders.push(await createChainFolder(), await createChainFolder());
  const [own = "", foreign = ""] = folders;
  devChain = await startDevChain({ port: 0, dataDir: own, autoSave: false });
  chain = testChain(devChain);
  createIndexed = await indexBeforehand(chain, indexEnds, DATABASES);
  other = await startDevChain({ port: 0, dataDir: foreign, chainId: 4243, autoSave: false });
  // Its blocks differ from those of the first chain.
  await testChain(other).reorganize(20);
  await testChain(other).mine(20);
});

afterAll(async () => {
  for (const end of indexEnds) await end();
  await discardChain(devChain);
  await discardChain(other);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Misbehavior {
  intercept?: Intercept;
  rewriteResult?: RewriteResult;
  /** Forwards to another node. */
  target?: () => string;
}

const object = (value: JsonValue): Record<string, JsonValue> => Object(value);
const isBlock = (method: string) => method === "eth_getBlockByNumber";

let calls = 0;
const kinds: Record<string, Misbehavior> = {
  "serves another chain in the meantime": { target: () => other.url },
  "returns fluctuating heights": {
    intercept: ({ method }) => {
      calls += 1;
      return method === "eth_blockNumber"
        ? { result: `0x${((calls * 7919) % 400).toString(16)}` }
        : undefined;
    },
  },
  "claims an impossible height": {
    intercept: ({ method }) => (method === "eth_blockNumber" ? { result: "0xfffffffffffff" } : undefined),
  },
  "omits every third block": {
    rewriteResult: ({ method, params }, result) =>
      isBlock(method) && Number(params[0]) % 3 === 0 ? null : result,
  },
  "returns blocks that do not continue each other": {
    rewriteResult: ({ method }, result) =>
      isBlock(method) && result !== null ? { ...object(result), parentHash: `0x${"12".repeat(32)}` } : result,
  },
  "returns receipts of other blocks": {
    rewriteResult: ({ method }, result) =>
      method === "eth_getBlockReceipts" && Array.isArray(result)
        ? result.map((receipt) => ({ ...object(receipt), blockHash: `0x${"34".repeat(32)}` }))
        : result,
  },
  "returns invented logs": {
    rewriteResult: ({ method }, result) =>
      method === "eth_getBlockReceipts" && Array.isArray(result)
        ? result.map((receipt) => {
            const { logs } = object(receipt);
            const [first] = Array.isArray(logs) ? logs : [];
            const rows =
              first === undefined
                ? []
                : [{ ...object(first), logIndex: "0xfff", address: `0x${"77".repeat(20)}` }];
            return { ...object(receipt), logs: Array.isArray(logs) ? [...logs, ...rows] : [] };
          })
        : result,
  },
  "returns values of other types": {
    rewriteResult: ({ method }, result) =>
      isBlock(method) ? { ...object(result), transactions: "all of them" } : result,
  },
  "returns long error messages": {
    intercept: ({ method }) =>
      isBlock(method)
        ? { error: { code: -32_000, message: "x".repeat(2_000_000), data: { a: [1, 2] } } }
        : undefined,
  },
};

/** A node that misbehaves while enabled. */
async function startSwitchableNode({ intercept, rewriteResult, target }: Misbehavior) {
  let isEnabled = false;
  const otherNode = target ? await proxyNode(target(), () => undefined) : undefined;
  const node = await proxyNode(
    chain.url,
    (call) => (isEnabled ? intercept?.(call) : undefined),
    undefined,
    (call, result) => (isEnabled && rewriteResult ? rewriteResult(call, result) : result),
  );
  ends.push(async () => {
    await node.stop();
    await otherNode?.stop();
  });
  return {
    node,
    bad: otherNode,
    setHostile(isHostile: boolean) {
      isEnabled = isHostile;
    },
  };
}

async function follow(location: DatabaseLocation, url: string): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls: [url] }, location);
  ends.push(() => service.stop());
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head, 90_000);
}

describe.each(DATABASES)("on %s, a node that", (database) => {
  const tried = Object.entries(kinds).filter(
    (_, i) => IS_LONG || DATABASES[i % DATABASES.length] === database,
  );
  it.each(tried)("%s leaves no invalid rows, and is used again when it recovers", async (_, misbehavior) => {
    const location = await createIndexed(database, ends);
    const { node, bad: otherNode, setHostile } = await startSwitchableNode(misbehavior);
    const front = misbehavior.target ? await switchable(node.url, otherNode?.url ?? "") : undefined;
    const service = await follow(location, front?.url ?? node.url);
    await atHead(service);
    setHostile(true);
    front?.round(true);
    await chain.transfer(0, chain.account(6), 3n);
    await chain.mine(4);
    // It is requested, and again although its responses were invalid.
    const { methods } = otherNode ?? node;
    const before = methods.length;
    await expect.poll(() => methods.length, { timeout: 60_000 }).toBeGreaterThan(before + 4);
    const during = await dumpIndex(location, chain.chainId);
    const truth = await Promise.all(
      during.blocks.map(({ number }) =>
        chain.rpc("eth_getBlockByNumber", [`0x${Number(number).toString(16)}`, false]),
      ),
    );
    for (const [i, { hash }] of during.blocks.entries()) {
      expect(object(truth[i] ?? null).hash).toBe(hash);
    }
    setHostile(false);
    front?.round(false);
    await atHead(service);
    const honest = await createIndexed(database, ends);
    await atHead(await follow(honest, chain.url));
    expect(await dumpIndex(location, chain.chainId)).toEqual(await dumpIndex(honest, chain.chainId));
  });

  it("serves another chain in the meantime does not cause a rollback of the index", async () => {
    const location = await createIndexed(database, ends);
    const front = await switchable(chain.url, other.url);
    const service = await follow(location, front.url);
    await atHead(service);
    const before = await dumpIndex(location, chain.chainId);
    front.round(true);
    await service.waitFor(({ state }) => state === "refused", 30_000);
    expect(service.status().error).toContain("chain 4243");
    expect(await dumpIndex(location, chain.chainId)).toEqual(before);
  });
});

/** A node that changes after some calls. */
async function switchable(first: string, second: string) {
  let isTurned = false;
  const node = await proxyNode(
    first,
    () => undefined,
    (calls, response) => {
      if (!isTurned) return false;
      fetch(second, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
      })
        .then(async (answer) => response.end(await answer.text()))
        .catch(() => response.destroy());
      return true;
    },
  );
  ends.push(() => node.stop());
  return {
    url: node.url,
    round(toSecond: boolean) {
      isTurned = toSecond;
    },
  };
}
