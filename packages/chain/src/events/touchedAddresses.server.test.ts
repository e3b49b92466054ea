import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import type { BlockReference } from "./chainEvents.ts";

let chain: TestChain;
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  ({ chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const listOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : [];

async function blockOf(number: number): Promise<BlockReference & { transactions: JsonObject[] }> {
  const block = await chain.rpc("eth_getBlockByNumber", [toHex(number), true]);
  if (!isJsonObject(block) || typeof block.hash !== "string") throw new Error("there is no such block");
  return { number, hash: block.hash, transactions: listOf(block.transactions) };
}

/** The senders, recipients and emitting contracts of blocks, and the words of topics that may be addresses. */
async function readNode(from: number, to: number) {
  const blocks = [];
  for (let number = from; number <= to; number++) blocks.push(await blockOf(number));
  const parties = blocks.flatMap(({ transactions }) => transactions.flatMap((each) => [each.from, each.to]));
  const logs = listOf(await chain.rpc("eth_getLogs", [{ fromBlock: toHex(from), toBlock: toHex(to) }]));
  const topics = logs.flatMap(({ topics }) => (Array.isArray(topics) ? topics.slice(1) : []));
  return {
    certain: [...parties, ...logs.map(({ address }) => address)].filter((each) => typeof each === "string"),
    possible: topics.flatMap((topic) =>
      typeof topic === "string" && topic.startsWith(`0x${"0".repeat(24)}`) ? `0x${topic.slice(26)}` : [],
    ),
  };
}

describe.each(DATABASES)("the addresses that blocks concern, on %s", (database) => {
  let service: TestService;
  beforeAll(async () => {
    const location = await createIndexed(database, ends);
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url] }, location);
    await atHead();
  });
  afterAll(async () => {
    await service?.stop();
  });

  async function atHead(): Promise<number> {
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
    return head;
  }
  const reader = () => service.service.eventReader(chain.chainId);
  const read = async (after: BlockReference, upTo: BlockReference) =>
    reader().touchedAddresses({ number: after.number, hash: after.hash }, upTo);

  it("are all parties of transactions and transfers, and the contracts of logs", async () => {
    const head = await atHead();
    const touched = await read(await blockOf(0), await blockOf(head));
    const { certain, possible } = await readNode(1, head);
    expect([...(touched ?? [])]).toEqual(expect.arrayContaining(certain));
    const others = [...(touched ?? [])].filter((each) => !certain.includes(each));
    expect(possible).toEqual(expect.arrayContaining(others));
  });

  it("are those of the blocks after the first one only", async () => {
    const before = await blockOf(await atHead());
    const recipient = `0x${"5e".repeat(20)}` as const;
    await chain.transfer(1, recipient, 1n);
    await chain.mine(1);
    const head = await atHead();
    const expected = [chain.account(1), recipient, chain.token].map((each) => each.toLowerCase()).sort();
    expect([...((await read(before, await blockOf(head))) ?? [])].sort()).toEqual(expected);
    expect(await read(await blockOf(head - 1), await blockOf(head))).toEqual(new Set());
  });

  it("are unknown if one of the blocks is not in the index", async () => {
    const head = await blockOf(await atHead());
    const other = { number: head.number, hash: `0x${"99".repeat(32)}` };
    expect(await read(await blockOf(1), other)).toBeUndefined();
    expect(await read({ ...other, number: 1 }, head)).toBeUndefined();
  });
});
