import { devContracts } from "@purse/devchain";
import { describe, expect, it } from "vitest";
import { chainsFor, type LocalChain, passwordRulesOf } from "./chains.ts";

const filledWith = (digit: string) => `0x${digit.repeat(40)}` as const;
const devChain: LocalChain = {
  url: "http://127.0.0.1:8545",
  chainId: 1337,
  accounts: [],
  contracts: devContracts(),
  names: {
    registry: filledWith("1"),
    resolver: filledWith("2"),
    wildcard: filledWith("3"),
    offchain: filledWith("4"),
    reader: filledWith("5"),
  },
};

describe("chainsFor()", () => {
  const address = `0x${"fa".repeat(20)}`;
  const minimal = () => ({
    id: devChain.chainId,
    name: "mine",
    aliases: [],
    rpcUrls: ["http://127.0.0.1:9"],
  });

  it("adds the configured exchanges and marketplaces of the local chain's id to its own", () => {
    const exchange = { name: "Mine", kind: "v2", factory: address } as const;
    const marketplace = { name: "opensea", address } as const;
    const market = { exchanges: [exchange], marketplaces: [marketplace], minimumLiquidity: 5 };
    const [own] = chainsFor({ chains: [] }, devChain);
    const chains = chainsFor({ chains: [{ ...minimal(), market }] }, devChain);
    expect(chains).toHaveLength(1);
    expect(chains[0]).toMatchObject({ rpcUrls: [devChain.url], market: { minimumLiquidity: 5 } });
    expect(chains[0]?.market?.exchanges).toEqual([...(own?.market?.exchanges ?? []), exchange]);
    expect(chains[0]?.market?.marketplaces).toEqual([...(own?.market?.marketplaces ?? []), marketplace]);
  });

  it("indexes the local chain as it is configured by its id", () => {
    const settings = {
      startBlock: 7,
      scope: "chain",
      traces: true,
      database: { url: "postgres://127.0.0.1/index", connections: 1 },
      partitionBlocks: 1_000,
      keepBlocks: 10_000,
      keepDays: 30,
      entryPoints: [{ version: "0.7", address }],
      labels: { spam: [address] },
    } as const;
    const [chain] = chainsFor({ chains: [{ ...minimal(), ...settings }] }, devChain);
    expect(chain).toMatchObject(settings);
  });

  it("resolves names of the local chain by the configured contracts, and otherwise by those of the chain", () => {
    const [chain] = chainsFor({ chains: [{ ...minimal(), names: { ens: address } }] }, devChain);
    expect(chain?.names).toEqual({ ens: address, unstoppable: devChain.names.reader });
  });

  it("keeps the configured names of the local chain for clients", () => {
    const [chain] = chainsFor({ chains: [{ ...minimal(), aliases: ["own"] }] }, devChain);
    expect(chain).toMatchObject({ name: "localdevchain" });
    expect(chain?.aliases).toEqual(expect.arrayContaining(["hardhat", "mine", "own"]));
  });
});

it("passwordRulesOf() describes the password policy, and nothing where there is none", () => {
  const policy = {
    minLength: 0,
    validationError: "Use a digit.",
    doNotAllowUsername: false,
    maxPasswordHistory: 0,
  };
  expect(passwordRulesOf({ ...policy, isStrong: undefined })).toEqual({
    minLength: 0,
    description: null,
    excludesUsername: false,
    history: 0,
  });
  const strict = {
    ...policy,
    minLength: 8,
    isStrong: async () => true,
    doNotAllowUsername: true,
    maxPasswordHistory: 3,
  };
  expect(passwordRulesOf(strict)).toEqual({
    minLength: 8,
    description: "Use a digit.",
    excludesUsername: true,
    history: 3,
  });
});
