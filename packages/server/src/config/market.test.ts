import { describe, expect, it } from "vitest";
import { parseMarket } from "./market.ts";

const factory = `0x${"Ab".repeat(20)}`;

describe("the market of a chain", () => {
  it("is undefined where the config file sets nothing", () => {
    expect(parseMarket("eth", { rpcUrl: "https://node.example" })).toBeUndefined();
  });

  it("has the values that the operator sets", () => {
    const fork = { name: "My fork", kind: "v3", factory, feeTiers: [100, 2_500] };
    const market = {
      coin: { name: "Coin", symbol: "COIN" },
      wrappedNative: factory,
      stables: [factory],
      exchanges: [fork],
      marketplaces: [{ name: "looksrare", address: factory }],
      minimumLiquidity: 0,
    };
    const lower = factory.toLowerCase();
    expect(parseMarket("mine", market)).toEqual({
      ...market,
      wrappedNative: lower,
      stables: [lower],
      exchanges: [{ ...fork, factory: lower }],
      marketplaces: [{ name: "looksrare", address: lower }],
    });
    expect(parseMarket("mine", { stables: [] })).toEqual({ stables: [] });
  });

  it.each([
    [{ wrappedNative: "0x1" }, /"chains\.mine\.wrappedNative" of the config file must be an address/],
    [{ stables: factory }, /stables" of the config file must be a list/],
    [{ exchanges: [{ name: "a", kind: "v4", factory }] }, /kind must be v2 or v3/],
    [{ exchanges: [{ name: "", kind: "v2", factory }] }, /name must be a string/],
    [
      { exchanges: [{ name: "a", kind: "v2", factory, router: factory }] },
      /must be an object with name, kind/,
    ],
    [{ exchanges: [{ name: "a", kind: "v3", factory, feeTiers: [-1] }] }, /feeTiers must be whole numbers/],
    [{ marketplaces: [{ name: "x2y2", address: factory }] }, /name must be opensea or looksrare/],
    [{ minimumLiquidity: "1" }, /must be a number of dollars/],
    [{ coin: "Coin" }, /coin" of the config file must be an object with name, symbol/],
  ])("is rejected where it is not valid: %o", (given, message) => {
    expect(() => parseMarket("mine", given)).toThrow(message);
  });
});
