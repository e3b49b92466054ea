import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { JsonValue } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  begunFolder,
  type Change,
  DATABASES,
  indexDump,
  type Meddle,
  newDatabase,
  newFolder,
  type Place,
  proxyNode,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testing/testChain.ts";

/** Nodes that turn bad while they are followed, and good again: in between nothing of theirs is kept. */

let devChain: DevChain;
let chain: TestChain;
let other: DevChain;
const folders: string[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folders.push(await begunFolder(), await newFolder());
  const [own = "", foreign = ""] = folders;
  devChain = await startDevChain({ port: 0, dataDir: own });
  chain = testChain(devChain);
  other = await startDevChain({ port: 0, dataDir: foreign, chainId: 4243 });
});

afterAll(async () => {
  await devChain?.stop();
  await other?.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Badness {
  meddle?: Meddle;
  change?: Change;
  /** Stands behind the proxy instead. */
  target?: () => string;
}

const object = (value: JsonValue): Record<string, JsonValue> => Object(value);
const isBlock = (method: string) => method === "eth_getBlockByNumber";

let calls = 0;
const kinds: Record<string, Badness> = {
  "is of another chain by now": { target: () => other.url },
  "has heights that rise and fall": {
    meddle: ({ method }) => {
      calls += 1;
      return method === "eth_blockNumber"
        ? { result: `0x${((calls * 7919) % 400).toString(16)}` }
        : undefined;
    },
  },
  "claims a height that no chain has": {
    meddle: ({ method }) => (method === "eth_blockNumber" ? { result: "0xfffffffffffff" } : undefined),
  },
  "leaves out every third block": {
    change: ({ method, params }, result) => (isBlock(method) && Number(params[0]) % 3 === 0 ? null : result),
  },
  "has blocks that do not continue each other": {
    change: ({ method }, result) =>
      isBlock(method) && result !== null ? { ...object(result), parentHash: `0x${"12".repeat(32)}` } : result,
  },
  "has receipts of other blocks": {
    change: ({ method }, result) =>
      method === "eth_getBlockReceipts" && Array.isArray(result)
        ? result.map((receipt) => ({ ...object(receipt), blockHash: `0x${"34".repeat(32)}` }))
        : result,
  },
  "has logs that never happened": {
    change: ({ method }, result) =>
      method === "eth_getBlockReceipts" && Array.isArray(result)
        ? result.map((receipt) => {
            const { logs } = object(receipt);
            const [first] = Array.isArray(logs) ? logs : [];
            const made =
              first === undefined
                ? []
                : [{ ...object(first), logIndex: "0xfff", address: `0x${"77".repeat(20)}` }];
            return { ...object(receipt), logs: Array.isArray(logs) ? [...logs, ...made] : [] };
          })
        : result,
  },
  "answers with things of other types": {
    change: ({ method }, result) =>
      isBlock(method) ? { ...object(result), transactions: "all of them" } : result,
  },
  "answers errors in many words": {
    meddle: ({ method }) =>
      isBlock(method)
        ? { error: { code: -32_000, message: "x".repeat(2_000_000), data: { a: [1, 2] } } }
        : undefined,
  },
};

/** A node that is bad as long as it is told to be. */
async function turncoat({ meddle, change, target }: Badness) {
  let isBad = false;
  const bad = target ? await proxyNode(target(), () => undefined) : undefined;
  const node = await proxyNode(
    chain.url,
    (call) => (isBad ? meddle?.(call) : undefined),
    undefined,
    (call, result) => (isBad && change ? change(call, result) : result),
  );
  ends.push(async () => {
    await node.stop();
    await bad?.stop();
  });
  return {
    node,
    bad,
    turn(toBad: boolean) {
      isBad = toBad;
    },
  };
}

async function newPlace(database: (typeof DATABASES)[number]): Promise<Place> {
  const { place, remove } = await newDatabase(database);
  ends.push(remove);
  return place;
}

async function follow(place: Place, url: string): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls: [url] }, place);
  ends.push(() => service.stop());
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.until(({ state, indexed }) => state === "following" && indexed === head, 90_000);
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(DATABASES)("on %s, a node that", (database) => {
  it.each(Object.entries(kinds))(
    "%s leaves no bad row, and is followed again when it is good",
    async (_, badness) => {
      const place = await newPlace(database);
      const { node, bad, turn } = await turncoat(badness);
      const front = badness.target ? await switchable(node.url, bad?.url ?? "") : undefined;
      const service = await follow(place, front?.url ?? node.url);
      await atHead(service);
      turn(true);
      front?.turn(true);
      await chain.transfer(0, chain.account(6), 3n);
      await chain.mine(4);
      await wait(600);
      const during = await indexDump(place, chain.chainId);
      const truth = await Promise.all(
        during.blocks.map(({ number }) =>
          chain.rpc("eth_getBlockByNumber", [`0x${Number(number).toString(16)}`, false]),
        ),
      );
      for (const [i, { hash }] of during.blocks.entries()) {
        expect(object(truth[i] ?? null).hash).toBe(hash);
      }
      turn(false);
      front?.turn(false);
      await atHead(service);
      const anew = await newPlace(database);
      await atHead(await follow(anew, chain.url));
      expect(await indexDump(place, chain.chainId)).toEqual(await indexDump(anew, chain.chainId));
    },
  );

  it("is of another chain by now takes nothing of the index away", async () => {
    const place = await newPlace(database);
    const front = await switchable(chain.url, other.url);
    const service = await follow(place, front.url);
    await atHead(service);
    const before = await indexDump(place, chain.chainId);
    front.turn(true);
    await service.until(({ state }) => state === "refused", 30_000);
    expect(service.status().error).toContain("chain 4243");
    expect(await indexDump(place, chain.chainId)).toEqual(before);
  });
});

/** A node that is another one after a turn. */
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
    turn(toSecond: boolean) {
      isTurned = toSecond;
    },
  };
}
