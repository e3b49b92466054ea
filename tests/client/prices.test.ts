import { Moralis, start } from "@purse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

/** What a page asks the data service about prices, by the client library. */

let purse: Purse;
const { token, defi } = Moralis.Web3API;

beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
}, 60_000);
afterAll(() => purse?.remove());

/** The contract's address by its symbol, as the local chain has it. */
async function addressOf(symbol: string): Promise<string> {
  const [found] = await token.getTokenMetadataBySymbol({ symbols: [symbol] });
  if (!found) throw new Error(`there is no ${symbol}`);
  return found.address;
}

describe("the client library", () => {
  it("asks what a token costs", { tags: ["1.capability.query-prices"] }, async () => {
    const address = await addressOf("PURSE");
    const price = await token.getTokenPrice({ address });
    expect(price).toMatchObject({ exchangeName: "Uniswap v2", nativePrice: { symbol: "ETH", decimals: 18 } });
    expect(price.usdPrice).toBeGreaterThan(0.9);
    expect(price.usdPrice).toBeLessThan(1.1);
  });

  it("asks for a pair and what it holds", { tags: ["1.capability.query-pair-reserves"] }, async () => {
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
