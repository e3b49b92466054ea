import { describe, expect, it } from "vitest";
import { marketOf } from "../prices/knownMarkets.ts";
import { CHAIN_PRESETS, chainPresetOf, findChainPreset } from "./chainPresets.ts";

const ADDRESS = /^0x[0-9a-f]{40}$/;

describe("chain presets", () => {
  it.each([
    ["eth", 1],
    ["SEPOLIA", 11_155_111],
    ["polygon amoy", 80_002],
    ["POLYGON_AMOY", 80_002],
    ["0xa4b1", 42_161],
    ["base", 8_453],
    ["base sepolia", 84_532],
    ["optimism", 10],
    ["linea", 59_144],
    ["cronos", 25],
    ["palm", 11_297_108_109],
    ["gnosis", 100],
    ["chiado", 10_200],
    ["chiliz testnet", 88_882],
    ["moonbeam", 1_284],
    ["moonriver", 1_285],
    ["moonbase", 1_287],
    ["flow-testnet", 545],
    ["ronin", 2_020],
    ["lisk-sepolia", 4_202],
    ["pulse", 369],
    ["sei-testnet", 1_328],
    ["0x8f", 143],
    ["hyperevm", 999],
  ])("are found by the name %j", (name, id) => {
    expect(findChainPreset(name)?.id).toBe(id);
  });

  it("have no name twice", () => {
    const names = CHAIN_PRESETS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("have a native coin of 18 decimals", () => {
    expect(CHAIN_PRESETS.map(({ coin }) => coin.decimals)).toEqual(CHAIN_PRESETS.map(() => 18));
  });

  it("have an explorer and Multicall3 if they are main networks", () => {
    for (const { name, isTestnet, explorer, multicall3 } of CHAIN_PRESETS) {
      if (isTestnet) continue;
      expect(explorer, name).toMatch(/^https:\/\/[^/]+/);
      expect(multicall3, name).toMatch(ADDRESS);
    }
  });

  it("take the coin of the market from the chain's facts", () => {
    const coin = (id: number) => marketOf({ id, name: "", aliases: [], rpcUrls: [] }).coin;
    expect(coin(137)).toEqual({ name: "POL", symbol: "POL" });
    expect(coin(100)).toEqual({ name: "xDAI", symbol: "XDAI" });
    expect(coin(8_453)).toEqual({ name: "Ether", symbol: "ETH" });
    expect(coin(77_777)).toEqual({ name: "Ether", symbol: "ETH" });
  });

  it("have markets of valid, distinct addresses", () => {
    for (const { id, name } of CHAIN_PRESETS) {
      const { wrappedNative, stables, exchanges, marketplaces } = marketOf({
        id,
        name,
        aliases: [],
        rpcUrls: [],
      });
      const addresses = [
        ...(wrappedNative === undefined ? [] : [wrappedNative]),
        ...stables,
        ...exchanges.map(({ factory }) => factory),
        ...marketplaces.map(({ address }) => address),
      ];
      for (const address of addresses) expect(address, name).toMatch(ADDRESS);
      expect(new Set(addresses).size, name).toBe(addresses.length);
    }
  });

  it("have Curve and Balancer where these exchanges have their largest pools", () => {
    const kinds = (id: number) => {
      const { exchanges } = marketOf({ id, name: "", aliases: [], rpcUrls: [] });
      return new Set(exchanges.map(({ kind }) => kind));
    };
    for (const id of [1, 10, 137, 42_161]) {
      expect(kinds(id)).toContain("curve");
      expect(kinds(id)).toContain("balancer-v2");
    }
    for (const id of [56, 100, 250, 8_453, 43_114]) expect(kinds(id)).toContain("curve");
  });

  it("do not contain the facts of other chains with a reused id", () => {
    expect(chainPresetOf(42)?.coin.symbol).toBe("ETH");
    expect(chainPresetOf(1_337)?.explorer).toBeUndefined();
  });
});
