import { describe, expect, it } from "vitest";
import { parseMarket } from "./market.ts";

const factory = `0x${"Ab".repeat(20)}`;

describe("the market of a chain", () => {
  it("is undefined if the config file has none", () => {
    expect(parseMarket("eth", { rpcUrl: "https://node.example" })).toBeUndefined();
  });

  it("has the configured values", () => {
    const fork = { name: "My fork", kind: "v3", factory, feeTiers: [100, 2_500] };
    const vault = { name: "A vault", kind: "balancer-v2", factory, pools: [`0x${"ab".repeat(32)}`] };
    const market = {
      coin: { name: "Coin", symbol: "COIN" },
      wrappedNative: factory,
      stables: [factory],
      exchanges: [fork, vault],
      marketplaces: [{ name: "looksrare", address: factory }],
      minimumLiquidity: 0,
    };
    const lower = factory.toLowerCase();
    expect(parseMarket("mine", market)).toEqual({
      ...market,
      wrappedNative: lower,
      stables: [lower],
      exchanges: [
        { ...fork, factory: lower },
        { ...vault, factory: lower },
      ],
      marketplaces: [{ name: "looksrare", address: lower }],
    });
    expect(parseMarket("mine", { stables: [] })).toEqual({ stables: [] });
  });

  it.each([
    [{ wrappedNative: "0x1" }, /"chains\.mine\.wrappedNative" of the config file: it must be an address/],
    [{ stables: factory }, /stables" of the config file: .*array/],
    [{ exchanges: [{ name: "a", kind: "v5", factory }] }, /exchanges\[0\]\.kind/],
    [{ exchanges: [{ name: "a", kind: "curve", factory, pools: ["0x12"] }] }, /pools\[0\].*40 or 64/],
    [{ exchanges: [{ name: "", kind: "v2", factory }] }, /exchanges\[0\]\.name/],
    [{ exchanges: [{ name: "a", kind: "v2", factory, router: factory }] }, /"router"/],
    [{ exchanges: [{ name: "a", kind: "v3", factory, feeTiers: [-1] }] }, /feeTiers\[0\]/],
    [
      { marketplaces: [{ name: "rarible", address: factory }] },
      /marketplaces\[0\]\.name.*"opensea"\|"looksrare"/,
    ],
    [{ minimumLiquidity: "1" }, /minimumLiquidity" of the config file/],
    [{ coin: "Coin" }, /coin" of the config file: .*expected object/],
  ])("is rejected if it is invalid: %o", (given, message) => {
    expect(() => parseMarket("mine", given)).toThrow(message);
  });
});
