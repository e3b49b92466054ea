import { describe, expect, it } from "vitest";
import type { Asset } from "../../wallet/holdings.ts";
import { portfolioTotal } from "./portfolioTotal.ts";

const chain: Asset["chain"] = {
  id: 1,
  hexId: "0x1",
  name: "Ethereum",
  rpcUrl: null,
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  wrappedNative: null,
};

/** One whole unit of the native coin at 2,000 dollars. */
const asset = (changes: Partial<Asset> = {}): Asset => ({
  chain,
  address: null,
  name: "Ether",
  symbol: "ETH",
  decimals: 18,
  balance: 10n ** 18n,
  usdPrice: 2000,
  usdDayBefore: null,
  isPossibleSpam: false,
  hasLowLiquidity: false,
  ...changes,
});
const totalOf = (assets: Asset[], overrides = {}) => portfolioTotal([{ chain, assets }], overrides);

describe("portfolioTotal()", () => {
  it("sums the values of all assets with a price, and counts those without", () => {
    const gold = asset({ address: "0xaa", name: "Gold", symbol: "GLD", usdPrice: null });
    expect(totalOf([asset(), gold])).toEqual({ usd: 2000, change: null, percent: null, missingPrices: 1 });
  });

  it("sums the price changes within 24 hours of the assets with a known earlier price", () => {
    const silver = asset({ address: "0xbb", name: "Silver", symbol: "SLV", usdPrice: 10, usdDayBefore: 20 });
    const gold = asset({ address: "0xaa", name: "Gold", symbol: "GLD", usdPrice: 5 });
    const total = totalOf([asset({ usdDayBefore: 1980 }), silver, gold]);
    expect(total).toMatchObject({ usd: 2015, change: 10, percent: 0.5 });
  });

  it("is null if no asset has a price, and zero if there are no assets", () => {
    expect(totalOf([asset({ usdPrice: null })]).usd).toBeNull();
    expect(totalOf([]).usd).toBe(0);
    expect(totalOf([asset({ balance: 0n })]).usd).toBe(0);
  });

  it("excludes assets that the user marked as spam", () => {
    expect(totalOf([asset()], { "0x1/native": "spam" }).usd).toBe(0);
  });
});
