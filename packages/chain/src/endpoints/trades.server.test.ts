import type { DevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  formatTransactionReceipt,
  http,
  parseEther,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createDatabase, DATABASES, type DatabaseLocation, runsEveryCase } from "../../test/indexDatabase.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Compares sales of NFTs with the marketplaces' logs as viem reads them. */

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
const chainEnds: (() => Promise<unknown>)[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(chainEnds));
  createIndexed = await indexBeforehand(chain, chainEnds, DATABASES, { market: localMarket(devChain) });
});

afterAll(async () => {
  for (const end of chainEnds.reverse()) await end();
});

const contracts = () => devChain.contracts.market;
const lower = (address: Address) => address.toLowerCase();
const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });
const events = (name: "marketplace" | "bazaar") =>
  client().getContractEvents({ ...contracts()[name], fromBlock: 0n, strict: true });

async function newPlace(name: (typeof DATABASES)[number]): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase(name);
  ends.push(remove);
  return location;
}

async function start(name: (typeof DATABASES)[number], scope?: "wallets"): Promise<TestService> {
  const location = scope === undefined ? await createIndexed(name, ends) : await newPlace(name);
  const market = localMarket(devChain);
  const started = await startService(
    { id: chain.chainId, rpcUrls: [chain.url], market, ...(scope && { scope }) },
    location,
  );
  ends.push(() => started.stop());
  return started;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
}

async function query(
  service: TestService,
  functionName: string,
  params: Record<string, unknown> = {},
): Promise<JsonObject> {
  const answer = await service.run(functionName, { address: contracts().cards.address, ...params });
  if (!isJsonObject(answer)) throw new Error("the answer is not an object");
  return answer;
}

function rowsOf({ result }: JsonObject): JsonObject[] {
  return Array.isArray(result) ? result.filter((row) => isJsonObject(row)) : [];
}

/** Sells a new card of account 1 to account 2 on the Seaport-like marketplace. Returns the card's id. */
async function sell(price: string): Promise<string> {
  const { cards, marketplace } = contracts();
  const run = (from: number, to: typeof cards, functionName: string, args: unknown[], value = 0n) =>
    chain.send(from, to.address, encodeFunctionData({ abi: to.abi, functionName, args }), value);
  const id = await cardOf();
  const offer = [{ itemType: 2, token: cards.address, identifier: BigInt(id), amount: 1n }];
  const coins = { itemType: 0, token: zeroAddress, identifier: 0n, amount: parseEther(price) };
  const consideration = [{ ...coins, recipient: chain.account(1) }];
  await run(1, cards, "approve", [marketplace.address, BigInt(id)]);
  await run(1, marketplace, "place", [offer, consideration]);
  await run(2, marketplace, "fulfil", [chain.account(1), offer, consideration], parseEther(price));
  return id;
}

/** Mints a card for account 1, which only the collection's owner can do. Returns its id. */
async function cardOf(): Promise<string> {
  const { cards } = contracts();
  const owner = String(await client().readContract({ ...cards, functionName: "owner", args: [] }));
  await chain.rpc("anvil_impersonateAccount", [owner]);
  const data = encodeFunctionData({
    abi: cards.abi,
    functionName: "mint",
    args: [chain.account(1), 1n],
  });
  const receipt = await chain.rpc("eth_sendTransactionSync", [{ from: owner, to: cards.address, data }]);
  const { logs } = formatTransactionReceipt(Object(receipt));
  return BigInt(logs[0]?.topics[3] ?? 0).toString();
}

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;

  // Each database begins with the initial chain.
  beforeAll(async () => {
    const snapshot = await chain.rpc("evm_snapshot");
    ends.push(async () => expect(await chain.rpc("evm_revert", [snapshot])).toBe(true));
    // The chain of the snapshot continues at the time of its last block.
    await chain.rpc("anvil_setTime", [Math.floor(Date.now() / 1000)]);
    service = await start(name);
  });

  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  it("returns sales by Seaport orders: asks and bids, individually and in bundles", {
    tags: ["7.data.endpoint.nft-trades"],
  }, async () => {
    await atHead(service);
    const expected = await Promise.all(
      (await events("marketplace")).reverse().map(async (log) => {
        const { offerer, recipient, offer, consideration } = Object(log.args);
        const isAsk = offer[0].itemType === 2;
        const goods = isAsk ? offer : consideration.slice(0, 1);
        const paid = isAsk ? consideration : offer;
        const block = await client().getBlock({ blockHash: log.blockHash });
        return {
          transaction_hash: log.transactionHash,
          transaction_index: String(log.transactionIndex),
          token_ids: goods.map((item: { identifier: bigint }) => String(item.identifier)),
          seller_address: lower(isAsk ? offerer : recipient),
          buyer_address: lower(isAsk ? recipient : offerer),
          marketplace_address: contracts().marketplace.address,
          token_address: contracts().cards.address,
          price: String(paid.reduce((sum: bigint, { amount }: { amount: bigint }) => sum + amount, 0n)),
          price_token_address: isAsk ? null : contracts().weth.address,
          block_number: String(log.blockNumber),
          block_hash: log.blockHash,
          block_timestamp: new Date(Number(block.timestamp) * 1000).toISOString(),
        };
      }),
    );
    expect(expected).toHaveLength(3);
    expect(expected.map(({ token_ids }) => token_ids.length).sort()).toEqual([1, 1, 2]);
    expect(await query(service, "getNFTTrades")).toEqual({
      total: 3,
      page: 0,
      page_size: 500,
      cursor: "",
      result: expected,
    });
  });

  it("returns sales on LooksRare, with pages by cursor and by block", async () => {
    await atHead(service);
    const reports = (await events("bazaar")).reverse();
    const { result } = await query(service, "getNFTTrades", { marketplace: "looksrare" });
    expect(result).toEqual(
      reports.map((log) => {
        const args = Object(log.args);
        const isAsk = Object(log).eventName === "TakerAsk";
        return expect.objectContaining({
          transaction_hash: log.transactionHash,
          token_ids: args.itemIds.map(String),
          seller_address: lower(isAsk ? args.askUser : args.feeRecipients[0]),
          buyer_address: lower(args.bidUser),
          price: String(args.feeAmounts.reduce((sum: bigint, each: bigint) => sum + each, 0n)),
          price_token_address: isAsk ? contracts().weth.address : null,
        });
      }),
    );
    const all = rowsOf(await query(service, "getNFTTrades"));
    const first = await query(service, "getNFTTrades", { limit: 2 });
    const rest = await query(service, "getNFTTrades", { limit: 2, cursor: first.cursor });
    expect([...rowsOf(first), ...rowsOf(rest)]).toEqual(all);
    const oldest = all.at(-1)?.block_number;
    expect(rowsOf(await query(service, "getNFTTrades", { to_block: oldest }))).toEqual(all.slice(-1));
  });

  it("returns the lowest price in the native coin within the requested days", {
    tags: ["7.data.endpoint.nft-lowest-price"],
  }, async () => {
    await atHead(service);
    // Payments in tokens are not compared.
    expect(await query(service, "getNFTLowestPrice", { days: 3650 })).toMatchObject({
      price: parseEther("1").toString(),
      token_ids: ["1"],
    });
    await expect(query(service, "getNFTLowestPrice")).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("in the last 7 days"),
    });
    const id = await sell("3");
    await atHead(service);
    const recent = await query(service, "getNFTLowestPrice");
    expect(recent).toMatchObject({ price: parseEther("3").toString(), token_ids: [id] });
    expect(recent).toMatchObject({ seller_address: chain.account(1), buyer_address: chain.account(2) });
    expect(await query(service, "getNFTLowestPrice", { days: 3650 })).toMatchObject({
      price: parseEther("1").toString(),
    });
    expect(await query(service, "getNFTLowestPrice", { days: 3650, marketplace: "looksrare" })).toMatchObject(
      {
        price: parseEther("0.8").toString(),
      },
    );
  });

  it("removes a sale whose block is replaced", async () => {
    await atHead(service);
    const before = await query(service, "getNFTTrades");
    await sell("0.5");
    await atHead(service);
    expect(await query(service, "getNFTLowestPrice")).toMatchObject({ price: parseEther("0.5").toString() });
    await chain.reorganize(1);
    await chain.mine(1);
    await atHead(service);
    expect(await query(service, "getNFTTrades")).toEqual(before);
    expect(await query(service, "getNFTLowestPrice")).not.toMatchObject({
      price: parseEther("0.5").toString(),
    });
  });

  it("ignores sales reported by other contracts", async () => {
    await atHead(service);
    const before = await query(service, "getNFTTrades");
    const [log] = await events("marketplace");
    const [first = "0x", ...others] = log?.topics ?? [];
    // Runs as contract creation code: repeats the marketplace's log byte by byte.
    const data = String(log?.data).slice(2);
    const size = (data.length / 2).toString(16).padStart(4, "0");
    const topics = [...others.reverse(), first].map((topic) => `7f${topic.slice(2)}`).join("");
    const code = `61${size}6100005f39${topics}61${size}5fa300`;
    const offset = (code.length / 2).toString(16).padStart(4, "0");
    const copy = await chain.create(`0x${code.replace("610000", `61${offset}`)}${data}`);
    expect(copy.logs).toEqual([expect.objectContaining({ data: log?.data, topics: log?.topics })]);
    await atHead(service);
    expect(await query(service, "getNFTTrades")).toEqual(before);
  });

  it("rejects invalid input, and queries that need a full index", async () => {
    await atHead(service);
    for (const [functionName, params] of [
      ["getNFTTrades", { address: "cards" }],
      ["getNFTTrades", { marketplace: "rarible" }],
      ["getNFTTrades", { limit: 0 }],
      ["getNFTTrades", { cursor: "x" }],
      ["getNFTLowestPrice", { days: 0 }],
      ["getNFTLowestPrice", { days: 1.5 }],
    ] as const)
      await expect(query(service, functionName, params)).rejects.toMatchObject({ status: 400 });
    expect(await query(service, "getNFTTrades", { address: chain.token })).toMatchObject({ total: 0 });
    if (!runsEveryCase(name)) return;
    const small = await start(name, "wallets");
    await expect(query(small, "getNFTTrades")).rejects.toMatchObject({ status: 503 });
  });
});
