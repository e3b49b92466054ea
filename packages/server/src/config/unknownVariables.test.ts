import { describe, expect, it } from "vitest";
import { settingRows } from "./settingsTable.ts";
import { unknownVariables } from "./unknownVariables.ts";

const adviceFor = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, "1"]))).map(({ advice }) => advice);

describe("unknownVariables()", () => {
  it.each([
    ["PURSE_PROT", "PURSE_PORT"],
    ["PURSE_TRUSTED_PROXY", "PURSE_TRUSTED_PROXIES"],
    ["PURSE_DATABSE_URL", "PURSE_DATABASE_URL"],
    ["purse_port", "PURSE_PORT"],
    ["PURSEPORT", "PURSE_PORT"],
    ["PURSE_MASTERKEY", "PURSE_MASTER_KEY"],
    ["PURSE_CHAIN_ETH_RPC", "PURSE_CHAIN_ETH_RPC_URL"],
    ["PURSE_CHAIN_ETH_URL", "PURSE_CHAIN_ETH_RPC_URL"],
    ["PURSE_CHAIN_BSC_TESTNET_STARTBLOCK", "PURSE_CHAIN_BSC_TESTNET_START_BLOCK"],
    ["purse_chain_eth_rpc_url", "PURSE_CHAIN_ETH_RPC_URL"],
  ])("asks for %s whether %s was meant", (mistyped, meant) => {
    expect(adviceFor(mistyped)).toEqual([`It is not a setting: did you mean ${meant}?`]);
  });

  it("reports names that are similar to none, without a guess", () => {
    expect(adviceFor("PURSE_STRIPE_SECRET", "PURSE_CHAIN_ETH_WHATEVER")).toEqual([
      "It is not a setting.",
      expect.stringContaining("PURSE_CHAIN_<NAME>_RPC_URL, _ID"),
    ]);
  });

  it("reports settings of a chain that has no node in the environment", () => {
    expect(adviceFor("PURSE_CHAIN_ETH_START_BLOCK")).toEqual([
      "It is ignored without PURSE_CHAIN_ETH_RPC_URL.",
    ]);
    expect(adviceFor("PURSE_CHAIN_ETH_START_BLOCK", "PURSE_CHAIN_ETH_RPC_URL")).toEqual([]);
  });

  it("names what replaces the variables of Parse Server", () => {
    expect(adviceFor("PARSE_SERVER_MASTER_KEY", "PARSE_SERVER_LIVE_QUERY")).toEqual([
      "It is a setting of Parse Server: use PURSE_MASTER_KEY.",
      "It is a setting of Parse Server: /docs/migrate/from-parse of a running server names those of Purse.",
    ]);
  });

  it("accepts all settings, empty variables, and names of other programs", () => {
    const settings = settingRows().flatMap(({ env }) => env.replace("<NAME>", "MY_CHAIN") || []);
    expect(settings.length).toBeGreaterThan(50);
    expect(adviceFor(...settings)).toEqual([]);
    expect(unknownVariables({ PURSE_PROT: "" })).toEqual([]);
    expect(
      adviceFor("HOME", "PORT", "PURSE", "PURSER", "PURSE_SERVICE_HOST", "PURSE_PORT_1337_TCP_ADDR"),
    ).toEqual([]);
  });
});
