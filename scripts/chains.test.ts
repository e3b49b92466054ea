import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevChain } from "@purse/devchain";
import { expect, it } from "vitest";
import { chainsFor, passwordRulesOf } from "./chains.ts";

it("chainsFor() adds the configured exchanges and marketplaces of the local chain's id to its own", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "purse-chains-"));
  const devChain = await startDevChain({ port: 0, dataDir });
  try {
    const factory = `0x${"fa".repeat(20)}`;
    const exchange = { name: "Mine", kind: "v2", factory } as const;
    const marketplace = { name: "opensea", address: factory } as const;
    const market = { exchanges: [exchange], marketplaces: [marketplace], minimumLiquidity: 5 };
    const configured = {
      id: devChain.chainId,
      name: "mine",
      aliases: [],
      rpcUrls: ["http://127.0.0.1:9"],
      market,
      database: { url: "postgres://127.0.0.1/index", connections: 1 },
      partitionBlocks: 1_000,
      keepBlocks: 10_000,
      keepDays: 30,
    };
    const [own] = chainsFor({ chains: [] }, devChain);
    const chains = chainsFor({ chains: [configured] }, devChain);
    expect(chains).toHaveLength(1);
    expect(chains[0]).toMatchObject({ rpcUrls: [devChain.url], market: { minimumLiquidity: 5 } });
    const { database, partitionBlocks, keepBlocks, keepDays } = configured;
    expect(chains[0]).toMatchObject({ database, partitionBlocks, keepBlocks, keepDays });
    expect(chains[0]?.market?.exchanges).toEqual([...(own?.market?.exchanges ?? []), exchange]);
    expect(chains[0]?.market?.marketplaces).toEqual([...(own?.market?.marketplaces ?? []), marketplace]);
  } finally {
    await devChain.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

it("passwordRulesOf() describes the password policy, and nothing where there is none", () => {
  const policy = { validationError: "Use a digit.", doNotAllowUsername: false, maxPasswordHistory: 0 };
  expect(passwordRulesOf({ ...policy, isStrong: undefined })).toEqual({
    description: null,
    excludesUsername: false,
    history: 0,
  });
  const strict = { ...policy, isStrong: async () => true, doNotAllowUsername: true, maxPasswordHistory: 3 };
  expect(passwordRulesOf(strict)).toEqual({
    description: "Use a digit.",
    excludesUsername: true,
    history: 3,
  });
});
