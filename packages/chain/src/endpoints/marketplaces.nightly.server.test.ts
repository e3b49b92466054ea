import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, pad, parseAbi, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { type EmittedLog, emitLogs, newMulticall } from "../../test/logEmitter.ts";
import {
  BLUR_V2,
  LOOKSRARE_V1_PURCHASE,
  WYVERN_MATCH,
  WYVERN_TRANSFER,
  X2Y2_SALE,
} from "../../test/marketplaceLogs.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { newLogEmitter } from "../../test/testTokens.ts";
import type { Marketplace } from "../model/chainConfig.ts";

/** Sales on marketplaces whose logs are emitted as on Ethereum. */

const abi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed id)",
  "event NewERC721Pair(address indexed poolAddress, uint256[] initialIds)",
  "event SwapNFTOutPair(uint256 amountIn, uint256[] ids)",
]);
/** Of Sudoswap v1. */
const v1Abi = parseAbi(["event NewPair(address poolAddress)", "event SwapNFTOutPair()"]);

let chain: TestChain;
let createIndexed: CreateIndexed;
let multicall: Address;
let collection: Address;
/** Contracts that emit the logs of marketplaces, and a pair that no factory created. */
let marketplaces: Record<
  | "looksrare"
  | "blur"
  | "x2y2"
  | "opensea"
  | "factory"
  | "pair"
  | "foreign"
  | "firstFactory"
  | "firstPair"
  | "coin",
  Address
>;
let configured: Marketplace[];
const ends: (() => Promise<unknown>)[] = [];

const hex = (text: string): Hex => `0x${text.slice(2)}`;
const raw = (emitter: Address, { topics, data }: { topics: string[]; data: string }): EmittedLog => ({
  emitter,
  topics: topics.map(hex),
  data: hex(data),
});

function transfer(token: Address, id: bigint, from: Address, to: Address): EmittedLog {
  const [topic = "0x"] = encodeEventTopics({ abi, eventName: "Transfer" });
  return { emitter: token, topics: [topic, pad(from), pad(to), toHex(id, { size: 32 })], data: "0x" };
}

function swap(pair: Address, price: bigint, id: bigint): EmittedLog {
  const [topic = "0x"] = encodeEventTopics({ abi, eventName: "SwapNFTOutPair" });
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256[]" }], [price, [id]]);
  return { emitter: pair, topics: [topic], data };
}

beforeAll(async () => {
  ({ chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
  multicall = await newMulticall(chain);
  collection = await newLogEmitter(chain);
  const names = [
    "looksrare",
    "blur",
    "x2y2",
    "opensea",
    "factory",
    "pair",
    "foreign",
    "firstFactory",
    "firstPair",
    "coin",
  ] as const;
  const created = await names.reduce<Promise<[string, Address][]>>(
    async (before, name) => [...(await before), [name, await newLogEmitter(chain)]],
    Promise.resolve([]),
  );
  marketplaces = Object.fromEntries(created) as typeof marketplaces;
  const { looksrare, blur, x2y2, opensea, factory, pair, foreign, firstFactory, firstPair, coin } =
    marketplaces;
  configured = [
    { name: "looksrare", address: looksrare },
    { name: "blur", address: blur },
    { name: "x2y2", address: x2y2 },
    { name: "opensea", address: opensea },
    { name: "sudoswap", address: factory },
    { name: "sudoswap", address: firstFactory },
  ];
  /** The logs name the collection as a word of their data or by its transfers. */
  const inCollection = (log: { topics: string[]; data: string }, token: string) => ({
    topics: log.topics,
    data: log.data.replaceAll(token, collection.slice(2).toLowerCase()),
  });
  const emit = (...logs: EmittedLog[]) => emitLogs(chain, multicall, logs);
  await emit(raw(looksrare, inCollection(LOOKSRARE_V1_PURCHASE, "8dcb8b2d721c022552d826f8bcf2995747248d31")));
  await emit(
    transfer(collection, 8198n, "0x83fa03a1747aafe4e0f0ec3880740f49d74f1158", chain.account(1)),
    raw(blur, inCollection(BLUR_V2, "789e35a999c443fe6089544056f728239b8ffee7")),
  );
  await emit(
    transfer(collection, 14_692n, "0xaa1cc5543c558524c3db21d219fcee58af054f2c", chain.account(1)),
    raw(x2y2, inCollection(X2Y2_SALE, "22c1f6050e56d2876009903609a2cc3fef83b415")),
  );
  await emit(raw(collection, WYVERN_TRANSFER), raw(opensea, WYVERN_MATCH));
  const [newPair = "0x"] = encodeEventTopics({ abi, eventName: "NewERC721Pair" });
  const none = encodeAbiParameters([{ type: "uint256[]" }], [[]]);
  await emit({ emitter: factory, topics: [newPair, pad(pair)], data: none });
  await emit(transfer(collection, 5n, pair, chain.account(2)), swap(pair, 77n, 5n));
  await emit(transfer(collection, 6n, foreign, chain.account(2)), swap(foreign, 1n, 6n));
  const [firstNewPair = "0x"] = encodeEventTopics({ abi: v1Abi, eventName: "NewPair" });
  const created1 = encodeAbiParameters([{ type: "address" }], [firstPair]);
  await emit({ emitter: firstFactory, topics: [firstNewPair], data: created1 });
  const [transferTopic = "0x"] = encodeEventTopics({ abi, eventName: "Transfer" });
  const payment = {
    emitter: coin,
    topics: [transferTopic, pad(chain.account(2)), pad(firstPair)],
    data: toHex(55n, { size: 32 }),
  };
  const [soldTopic = "0x"] = encodeEventTopics({ abi: v1Abi, eventName: "SwapNFTOutPair" });
  await emit(payment, transfer(collection, 9n, firstPair, chain.account(2)), {
    emitter: firstPair,
    topics: [soldTopic],
    data: "0x",
  });
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe.each(DATABASES)("with the index on %s", (database) => {
  let service: TestService;

  beforeAll(async () => {
    const location = await createIndexed(database, ends);
    service = await startService(
      { id: chain.chainId, rpcUrls: [chain.url], market: { marketplaces: configured } },
      location,
    );
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
  });

  async function trades(marketplace: string): Promise<JsonObject[]> {
    const page = await service.run("getNFTTrades", { address: collection, marketplace });
    if (!isJsonObject(page) || !Array.isArray(page.result)) throw new Error("there is no page");
    return page.result.filter((row) => isJsonObject(row));
  }

  it.each([
    ["looksrare", "looksrare", ["2070"], "80500000000000000"],
    ["blur", "blur", ["8198"], "15000000000000000"],
    ["x2y2", "x2y2", ["14692"], "15000000000000000"],
    ["opensea", "opensea", ["5959"], "1000000000000000000"],
    ["sudoswap", "pair", ["5"], "77"],
  ] as const)("getNFTTrades returns the sales on %s", async (marketplace, contract, tokenIds, price) => {
    const found = await trades(marketplace);
    // Of Sudoswap v1, whose sales are the first of the list.
    const shown = marketplace === "sudoswap" ? found.slice(1) : found;
    expect(shown).toMatchObject([
      { marketplace_address: marketplaces[contract].toLowerCase(), token_ids: tokenIds, price },
    ]);
  });

  it("getNFTTrades returns the sales on all marketplaces, but none of a pair that no factory created", async () => {
    const ids = (await trades("all")).flatMap(({ token_ids }) => token_ids);
    expect(ids).toEqual(["9", "5", "5959", "14692", "8198", "2070"]);
  });

  it("getNFTTrades returns the sales of pairs of Sudoswap v1 with ERC-20 tokens", async () => {
    const [sale] = await trades("sudoswap");
    expect(sale).toMatchObject({
      marketplace_address: marketplaces.firstPair.toLowerCase(),
      token_ids: ["9"],
      price: "55",
      price_token_address: marketplaces.coin.toLowerCase(),
      seller_address: marketplaces.firstPair.toLowerCase(),
      buyer_address: chain.account(2).toLowerCase(),
    });
  });

  it("getNFTLowestPrice returns the lowest price of all marketplaces in the native coin", async () => {
    const lowest = { address: collection, days: 3650, marketplace: "all" };
    expect(await service.run("getNFTLowestPrice", lowest)).toMatchObject({ token_ids: ["5"], price: "77" });
    const none = service.run("getNFTLowestPrice", { ...lowest, marketplace: "looksrare" });
    await expect(none).rejects.toMatchObject({ status: 404 });
  });
});
