import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createTempFolder, DATABASES } from "../../test/indexDatabase.ts";
import { emitLogs, newMulticall } from "../../test/logEmitter.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { newLogEmitter } from "../../test/testTokens.ts";

const abi = parseAbi([
  "event ERC721OrderFilled(uint8 direction, address maker, address taker, uint256 nonce, address erc20Token, uint256 erc20TokenAmount, address erc721Token, uint256 erc721TokenId, address matcher)",
]);
/** Owns nothing else. */
const OWNER = `0x${"0e".repeat(20)}` as const;
const NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/** The metadata of the tokens by id; the last two have none that can be read for traits. */
const METADATA: readonly JsonObject[] = [
  {
    name: "One",
    description: "The first",
    image: "ipfs://one.png",
    external_link: "https://one.example",
    attributes: [
      { trait_type: "Hat", value: "Red" },
      { trait_type: "Level", value: 5, display_type: "number", max_value: 10 },
    ],
  },
  {
    name: "Two",
    image_url: "ipfs://two.png",
    attributes: [{ trait_type: "Hat", value: "Red" }, "Hat", { value: "x" }],
  },
  {
    name: "Three",
    attributes: [
      { trait_type: "Hat", value: "Blüe" },
      { trait_type: "Rare", value: true },
    ],
  },
  { name: "Four", attributes: { Hat: "Green" } },
];

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
let gallery: Address;
let other: Address;
let exchange: Address;
let coin: Address;
const ends: (() => Promise<unknown>)[] = [];

/** A sale of a token, in the native coin unless a currency is given. */
async function sell(id: number, price: bigint, currency: Hex = NATIVE): Promise<void> {
  const [topic = "0x"] = encodeEventTopics({ abi, eventName: "ERC721OrderFilled" });
  const parties = [0, chain.account(1), chain.account(2), 1n] as const;
  const data = encodeAbiParameters(abi[0].inputs, [
    ...parties,
    currency,
    price,
    gallery,
    BigInt(id),
    zeroAddress,
  ]);
  await emitLogs(chain, multicall, [{ emitter: exchange, topics: [topic], data }]);
}
let multicall: Address;

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { market: localMarket(devChain) });
  multicall = await newMulticall(chain);
  gallery = await chain.createGallery();
  other = await chain.createGallery();
  exchange = await newLogEmitter(chain);
  coin = await newLogEmitter(chain);
  for (const [i, metadata] of METADATA.entries()) {
    const uri = `data:application/json,${encodeURIComponent(JSON.stringify(metadata))}`;
    await chain.mintArtwork(gallery, i < 3 ? OWNER : chain.account(6), BigInt(i + 1), uri);
  }
  await chain.mintArtwork(gallery, chain.account(5), 9n, "data:application/json,[]");
  await chain.burnArtwork(gallery, 5, 9n);
  await chain.mintArtwork(other, OWNER, 1n, "data:application/json,{}");
  await sell(1, 400n);
  await sell(2, 250n);
  await sell(3, 300n, devChain.contracts.market.weth.address);
  await sell(4, 5n, coin);
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe.each(DATABASES)("with the index on %s", (database) => {
  let service: TestService;

  beforeAll(async () => {
    const location = await createIndexed(database, ends);
    const market = {
      wrappedNative: devChain.contracts.market.weth.address,
      marketplaces: [{ name: "0xprotocol" as const, address: exchange }],
    };
    const folder = await createTempFolder();
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const list = join(folder, "tokenlist.json");
    const listed = { chainId: chain.chainId, address: gallery, logoURI: "https://logo.example/gallery.png" };
    await writeFile(list, JSON.stringify({ name: "Test", tokens: [listed] }));
    const labels = { tokenLists: [list], spam: [other] };
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market, labels }, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
    await vi.waitFor(async () => expect(await metadataCount()).toBe(METADATA.length), { timeout: 20_000 });
  });

  function objectOf(answer: JsonValue): JsonObject {
    if (!isJsonObject(answer)) throw new Error("the answer is not an object");
    return answer;
  }

  async function query(name: string, params: Record<string, unknown> = {}): Promise<JsonObject> {
    return objectOf(await service.run(name, { address: gallery, ...params }));
  }

  const rowsOf = ({ result }: JsonObject) =>
    Array.isArray(result) ? result.filter((row: JsonValue) => isJsonObject(row)) : [];

  async function metadataCount(): Promise<number> {
    return rowsOf(await query("getAllTokenIds")).filter(({ metadata }) => metadata !== null).length;
  }

  it("tokens that have been burned count in no traits and ranks, and are not found", async () => {
    const burning = await chain.createGallery();
    const describeAs = (Parity: string) =>
      `data:application/json,${encodeURIComponent(JSON.stringify({ name: `${Parity} one`, attributes: [{ trait_type: "Parity", value: Parity }] }))}`;
    for (const [id, parity] of [
      [1n, "odd"],
      [2n, "even"],
      [3n, "odd"],
    ] as const)
      await chain.mintArtwork(burning, chain.account(5), id, describeAs(parity));
    const of = { address: burning };
    const search = async (q: string) =>
      rowsOf(await service.run("searchNFTs", { q, addresses: [burning] }).then(objectOf));
    await expect.poll(async () => (await search("one")).length).toBe(3);
    await chain.burnArtwork(burning, 5, 1n);
    await expect.poll(async () => rowsOf(await query("getAllTokenIds", of)).length).toBe(2);
    expect(await query("getNFTTraitsByCollection", of)).toMatchObject({
      total_tokens: 2,
      traits: [
        {
          trait_type: "Parity",
          values: expect.arrayContaining([
            { value: "even", count: 1, percentage: 50 },
            { value: "odd", count: 1, percentage: 50 },
          ]),
        },
      ],
    });
    const rarity = await query("getNFTCollectionRarity", of);
    expect(rarity).toMatchObject({ total_tokens: 2 });
    expect(rowsOf(rarity).map(({ token_id }) => token_id)).toEqual(["2", "3"]);
    expect(rowsOf(await query("getNFTCollectionRarity", { ...of, token_id: "1" }))).toEqual([]);
    expect((await search("odd")).map(({ token_id }) => token_id)).toEqual(["3"]);
    const tokens = ["1", "3"].map((id) => ({ token_address: burning, token_id: id }));
    expect(await service.run("getMultipleNFTs", { tokens })).toMatchObject([{ token_id: "3", amount: "1" }]);
    // It is minted again.
    await chain.mintArtwork(burning, chain.account(6), 1n, describeAs("odd"));
    await expect.poll(async () => (await search("odd")).length).toBe(2);
    expect(await query("getNFTTraitsByCollection", of)).toMatchObject({ total_tokens: 3 });
  });

  it("getNFTCollectionStats returns the numbers, the floor price and the volume in coins", async () => {
    expect(await query("getNFTCollectionStats", { days: 3650 })).toEqual({
      token_address: gallery.toLowerCase(),
      total_tokens: "4",
      owners: { current: "2" },
      transfers: { total: "6" },
      sales: { total: "4", in_period: "4", days: 3650 },
      floor_price: "250",
      // Two in the native coin, one in the wrapped one.
      volume: "950",
      average_price: "316",
      last_sale: expect.objectContaining({
        token_ids: ["4"],
        price: "5",
        price_token_address: coin.toLowerCase(),
      }),
    });
  });

  it("getNFTCollectionStats counts no sales of other marketplaces", async () => {
    expect(await query("getNFTCollectionStats", { marketplace: "blur" })).toMatchObject({
      total_tokens: "4",
      sales: { total: "0", in_period: "0", days: 30 },
      floor_price: null,
      volume: "0",
      average_price: null,
      last_sale: null,
    });
  });

  it("getNFTTraitsByCollection counts the tokens with each value", async () => {
    const { traits, ...rest } = await query("getNFTTraitsByCollection");
    expect(rest).toEqual({ token_address: gallery.toLowerCase(), total_tokens: 4, is_partial: false });
    expect(traits).toHaveLength(3);
    expect(traits).toEqual(
      expect.arrayContaining([
        {
          trait_type: "Hat",
          values: [
            { value: "Red", count: 2, percentage: 50 },
            { value: "Blüe", count: 1, percentage: 25 },
          ],
        },
        { trait_type: "Level", values: [{ value: 5, count: 1, percentage: 25 }] },
        { trait_type: "Rare", values: [{ value: true, count: 1, percentage: 25 }] },
      ]),
    );
  });

  it("getNFTCollectionRarity ranks the tokens by their traits, page by page or one alone", async () => {
    // Two of four tokens have the red hat, which is one bit; the other values are two bits each. The average is two.
    const expected = [
      { token_id: "3", rarity_rank: 1, rarity_score: 2, rarity_percentage: 33.33 },
      { token_id: "1", rarity_rank: 2, rarity_score: 1.5, rarity_percentage: 66.67 },
      { token_id: "2", rarity_rank: 3, rarity_score: 0.5, rarity_percentage: 100 },
    ];
    const all = await query("getNFTCollectionRarity");
    expect(all).toMatchObject({ total_tokens: 3, page: 0, cursor: "", result: expected });
    const first = await query("getNFTCollectionRarity", { limit: 2 });
    const second = await query("getNFTCollectionRarity", { limit: 2, cursor: first.cursor });
    expect([...rowsOf(first), ...rowsOf(second)]).toEqual(expected);
    expect(second).toMatchObject({ page: 1, cursor: "" });
    expect(rowsOf(await query("getNFTCollectionRarity", { token_id: "2" }))).toEqual([expected[2]]);
  });

  it("block_number_minted is that of the last mint of an ERC-721 token", async () => {
    const id = database.startsWith("SQLite") ? 31n : 32n;
    await chain.mintArtwork(other, chain.account(6), id, "data:application/json,{}");
    await chain.burnArtwork(other, 6, id);
    const { blockNumber } = await chain.mintArtwork(other, chain.account(6), id, "data:application/json,{}");
    await service.waitFor(({ indexed }) => (indexed ?? 0) >= Number(blockNumber));
    const owners = await query("getTokenIdOwners", { address: other, token_id: String(id) });
    expect(rowsOf(owners)).toMatchObject([{ block_number_minted: String(blockNumber) }]);
  });

  it("getWalletNFTCollections returns the collections of a wallet, page by page", async () => {
    const expected = [
      [gallery, 3],
      [other, 1],
    ]
      .map(([address, count]) => ({
        token_address: String(address).toLowerCase(),
        contract_type: "ERC721",
        count,
      }))
      .toSorted((a, b) => (a.token_address < b.token_address ? -1 : 1));
    const all = await query("getWalletNFTCollections", { address: OWNER });
    expect(all).toMatchObject({ total: 2, cursor: "", result: expected });
    const first = await query("getWalletNFTCollections", { address: OWNER, limit: 1 });
    const second = await query("getWalletNFTCollections", {
      address: OWNER,
      limit: 1,
      cursor: first.cursor,
    });
    expect([...rowsOf(first), ...rowsOf(second)]).toMatchObject(expected);
    expect(second).toMatchObject({ page: 1, cursor: "" });
  });

  it("exclude_spam omits the collections on the operator's list, which others mark", async () => {
    const wallet = { address: OWNER };
    for (const name of ["getNFTs", "getWalletNFTCollections"]) {
      const marked = rowsOf(await query(name, wallet)).filter(({ possible_spam }) => possible_spam);
      expect(
        marked.map(({ token_address }) => token_address),
        name,
      ).toEqual([other.toLowerCase()]);
      const page = await query(name, { ...wallet, exclude_spam: true });
      const left = new Set(rowsOf(page).map(({ token_address }) => token_address));
      expect(left, name).toEqual(new Set([gallery.toLowerCase()]));
      expect(page.total).toBe(rowsOf(page).length);
    }
  });

  it("a verified collection has its logo from the token list", async () => {
    expect(await query("getNFTMetadata")).toMatchObject({
      possible_spam: false,
      verified_collection: true,
      collection_logo: "https://logo.example/gallery.png",
    });
    expect(await query("getTokenIdMetadata", { token_id: "1" })).toMatchObject({ verified_collection: true });
    expect(await service.run("getTokenMetadata", { addresses: [chain.token, gallery] })).toMatchObject([
      { logo: null, possible_spam: false, verified_contract: false },
      { logo: "https://logo.example/gallery.png", verified_contract: true },
    ]);
  });

  it("getMultipleNFTs returns the known ones of several NFTs in their order", async () => {
    const tokens = [3, 9_999, 1].map((id) => ({ token_address: gallery, token_id: String(id) }));
    const result = await service.run("getMultipleNFTs", { tokens, normalizeMetadata: true });
    expect(result).toMatchObject([
      { token_id: "3", amount: "1", contract_type: "ERC721", normalized_metadata: { name: "Three" } },
      { token_id: "1", amount: "1", normalized_metadata: { name: "One" } },
    ]);
    expect(result).toHaveLength(2);
    const invalid = service.run("getMultipleNFTs", { tokens: [{ token_address: "0x1" }] });
    await expect(invalid).rejects.toMatchObject({ status: 400 });
  });

  it("normalizeMetadata adds the metadata in a uniform form to lists and single tokens", async () => {
    const form = { normalizeMetadata: "true" };
    const one = {
      name: "One",
      description: "The first",
      image: "ipfs://one.png",
      external_url: "https://one.example",
      animation_url: null,
      attributes: [
        { trait_type: "Hat", value: "Red", display_type: null, max_value: null },
        { trait_type: "Level", value: 5, display_type: "number", max_value: 10 },
      ],
    };
    const single = await query("getTokenIdMetadata", { token_id: "1", ...form });
    expect(single.normalized_metadata).toEqual(one);
    for (const [name, params] of [
      ["getAllTokenIds", {}],
      ["getNFTOwners", {}],
      ["getTokenIdOwners", { token_id: "1" }],
      ["getNFTs", { address: OWNER, token_addresses: [gallery] }],
      ["getNFTsForContract", { address: OWNER, token_address: gallery }],
    ] as const) {
      const [row] = rowsOf(await query(name, { ...params, ...form }));
      expect(row?.normalized_metadata, name).toEqual(one);
      const [plain] = rowsOf(await query(name, params));
      expect(plain, name).not.toHaveProperty("normalized_metadata");
    }
    const four = await query("getTokenIdMetadata", { token_id: "4", ...form });
    expect(four.normalized_metadata).toMatchObject({ attributes: [{ trait_type: "Hat", value: "Green" }] });
  });
});
