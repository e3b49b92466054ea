import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, createDatabase } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { type NftTransferRow, NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { type ChainIndex, openIndex } from "./openIndex.ts";

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;
const TOKENS = [
  { name: "Unicorn Éther", symbol: "🦄ÉTH", decimals: 18 },
  { name: "Greek Doge", symbol: "ΞDOGE", decimals: 18 },
  { name: "Padded", symbol: " PAD ", decimals: 0 },
  { name: "Padded too", symbol: "PADX", decimals: 6 },
  { name: "A collection", symbol: "META", decimals: null },
  { name: "Pad pieces", symbol: "PCS", decimals: null, standard: 721 },
].map((token, i) => ({ standard: 20, ...token, address: addressOf(i + 1) }));

describe.each(ALL_DATABASES)("an index on %s", (name) => {
  let index: ChainIndex;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const database = await createDatabase(name);
    ({ remove } = database);
    index = await openIndex(indexLocationOf(database.location, 1), createRecordingLogger());
    await index.writer.saveTokenMetadata({ tokens: TOKENS, block: 1, readAt: 1 });
  });
  afterAll(async () => {
    await index?.close();
    await remove?.();
  });

  it.each([
    ["🦄éth", "🦄ÉTH"],
    ["ξdoge", "ΞDOGE"],
    ["ΞDOGE", "ΞDOGE"],
    ["pad", " PAD "],
    [" PAD ", " PAD "],
  ])("finds the symbol %s regardless of case and outer spaces", async (symbol, stored) => {
    const found = await index.store.tokens.withSymbols([symbol], 10);
    expect(found.map((token) => token.symbol)).toEqual([stored]);
  });

  it("does not find a contract without transfers and decimals as an ERC-20 token", async () => {
    expect(await index.store.tokens.withSymbols(["META"], 10)).toEqual([]);
  });

  it.each([
    ["pad", [" PAD ", "PADX"]],
    ["PADDED TOO", ["PADX"]],
    ["unicorn é", ["🦄ÉTH"]],
    ["xpad", []],
    ["%", []],
  ])(
    "search() for %s finds symbols and names that begin with it, equal symbols first",
    async (text, symbols) => {
      const found = await index.store.tokens.search(text, 10);
      expect(found.map(({ symbol }) => symbol)).toEqual(symbols);
    },
  );

  it("search() finds NFT collections by their names on request", async () => {
    expect(await index.store.tokens.search("pad p", 10)).toEqual([]);
    const found = await index.store.tokens.search("pad p", 10, true);
    expect(found).toMatchObject([{ symbol: "PCS", standard: 721 }]);
    // A contract that is neither is not one of them.
    expect(await index.store.tokens.search("META", 10, true)).toEqual([]);
  });

  it("totalAmount() adds up the amounts of more than 500 owners of one token", async () => {
    const [token, tokenId] = [addressOf(99), hashOf(600)];
    const nftTransfers = Array.from({ length: 630 }, (_, i): NftTransferRow => {
      const parties = { operator: null, from: NULL_ADDRESS, to: addressOf(1_000 + i) };
      const log = { position: positionOf(0, i), part: 0, transactionIndex: 0, transactionHash: hashOf(1) };
      return { ...log, ...parties, token, tokenId, standard: 1155, isBatch: false, amount: "1" };
    });
    const blocks = [{ number: 0, hash: hashOf(1), parentHash: hashOf(0), timestamp: 0 }];
    const none = { transactions: [], logs: [], nftRanges: [], nftUpdates: [], trades: [] };
    await index.writer.append(undefined, { blocks, nftTransfers, ...none }, []);
    expect(await index.store.nftBalances.totalAmount(token, tokenId)).toBe(630n);
  });
});
