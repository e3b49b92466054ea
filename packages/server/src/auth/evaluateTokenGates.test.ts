import type { ChainEventReader, ChainStatus } from "@purse/chain";
import { expect, it } from "vitest";
import { createLogger } from "../core/logger.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { TokenGates } from "./evaluateTokenGates.ts";
import type { SessionInvalidation } from "./sessionInvalidation.ts";

const schemaOf = (className: string): ClassSchema => ({
  className,
  table: className,
  fields: {},
  classLevelPermissions: {},
  indexes: {},
});
const TOKEN = `0x${"aa".repeat(20)}`;
const BROKEN_CHAIN = 1;
const CHAIN = 10;

it("TokenGates ends sessions after transfers of a chain while another chain cannot be read", async () => {
  const roles = [BROKEN_CHAIN, CHAIN].map((chainId) =>
    JSON.stringify({ objectId: `role${chainId}`, gate: { chainId, token: TOKEN, standard: "ERC20" } }),
  );
  let head = 1;
  const reader: ChainEventReader = {
    head: async () => ({ number: head, hash: `0x${head}` }),
    getBlockHashes: async () => new Map(),
    touchedAddresses: async () => undefined,
    // The chain was reorganized, so that any balance may have changed.
    events: async () => undefined,
  };
  const listeners: ((status: ChainStatus) => void)[] = [];
  const invalidations: SessionInvalidation[] = [];
  const lines: string[] = [];
  const gates = new TokenGates(
    {
      store: { find: async () => roles, getUniqueValues: async () => [] },
      schemaOf,
      chains: { idOf: Number },
      clock: () => 0,
      logger: createLogger({ level: "error", format: "text", write: (line) => lines.push(line) }),
      balances: {
        getBalance: async () => 0n,
        eventReader: (chainId) =>
          chainId === CHAIN
            ? reader
            : { ...reader, head: () => Promise.reject(new Error("the database is down")) },
        onStatus(listener) {
          listeners.push(listener);
          return () => undefined;
        },
      },
    },
    async (invalidation) => {
      invalidations.push(invalidation);
    },
  );
  gates.start();
  const status: ChainStatus = {
    ...{ chain: CHAIN, name: "chain", scope: "chain", state: "following", start: 0 },
    ...{ head, safe: null, finalized: null, indexed: head, lag: 0, percent: 100 },
    ...{ blocksPerSecond: 0, etaSeconds: 0, nodes: [] },
  };
  for (const expected of [1, 2]) {
    for (const listener of listeners) listener(status);
    await expect.poll(() => invalidations.length).toBe(expected);
    head += 1;
  }
  await gates.stop();
  expect(lines.join()).toContain("the database is down");
});
