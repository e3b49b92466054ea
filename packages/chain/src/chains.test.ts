import { describe, expect, it } from "vitest";
import { createChainSelector } from "./chains.ts";

const chain = (id: number, name: string, aliases: string[] = []) => ({
  config: { id, name, aliases, rpcUrls: [] },
});

describe("the chain selector", () => {
  const select = createChainSelector([chain(1, "eth"), chain(97, "bsc testnet"), chain(1337, "local")]);

  it.each(["eth", "ETH", "Eth", "mainnet", "0x1", "0x01", "0X0001", "1", "01", 1, undefined, ""])(
    "resolves %j to eth",
    { tags: ["9.default-chain", "7.data.default-chain"] },
    (name) => {
      expect(select(name).config.id).toBe(1);
    },
  );

  it.each(["bsc testnet", "BSC_TESTNET", "binance testnet", "0x61"])(
    "resolves %j to the BSC testnet",
    (name) => {
      expect(select(name).config.id).toBe(97);
    },
  );

  it("names the setting of a known chain that is not configured", () => {
    expect(() => select("polygon")).toThrow("PURSE_CHAIN_POLYGON_RPC_URL");
    expect(() => select("0x89")).toThrow("not configured");
    // It is no outage: a retry cannot succeed.
    expect(() => select("polygon")).toThrow(expect.objectContaining({ status: 400 }));
  });

  it("rejects unknown chains", () => {
    for (const name of ["moon", {}, "__proto__"]) expect(() => select(name)).toThrow("is unknown");
  });

  it("allows another chain to use the name eth", () => {
    const stand = createChainSelector([chain(1337, "local", ["eth", "0x1"])]);
    expect(stand("eth").config.id).toBe(1337);
  });
});
