import { Moralis, start } from "@purse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

/** Prices and pairs of the data API, through the client library. */

let purse: Purse;
const { token, defi } = Moralis.Web3API;

beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
});
afterAll(() => purse?.remove());

/** Returns the address of a contract on the local chain by its symbol. */
async function addressOf(symbol: string): Promise<string> {
  const [found] = await token.getTokenMetadataBySymbol({ symbols: [symbol] });
  if (!found) throw new Error(`there is no ${symbol}`);
  return found.address;
}

describe("Moralis.Web3API", () => {
  it("getTokenPrice() returns the price of a token", { tags: ["1.capability.query-prices"] }, async () => {
    const address = await addressOf("PURSE");
    const price = await token.getTokenPrice({ address });
    expect(price).toMatchObject({ exchangeName: "Uniswap v2", nativePrice: { symbol: "ETH", decimals: 18 } });
    expect(price.usdPrice).toBeGreaterThan(0.9);
    expect(price.usdPrice).toBeLessThan(1.1);
  });

  it("getPairAddress() and getPairReserves() return a pair and its reserves", {
    tags: ["1.capability.query-pair-reserves"],
  }, async () => {
    const [token0_address, token1_address] = [await addressOf("PURSE"), await addressOf("WETH")];
    const { pairAddress } = await defi.getPairAddress({
      token0_address,
      token1_address,
      exchange: "uniswapv2",
    });
    const reserves = await defi.getPairReserves({ pair_address: pairAddress });
    expect([reserves.reserve0, reserves.reserve1].sort()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\d+$/)]),
    );
    expect(Math.min(Number(reserves.reserve0), Number(reserves.reserve1))).toBeGreaterThan(1e18);
  });
});
