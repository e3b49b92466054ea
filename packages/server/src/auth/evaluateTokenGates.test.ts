import { type ChainEventReader, type ChainStatus, EventsRemovedError } from "@purse/chain";
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

/**
 * A chain with a new block at each status, whose events cannot be read, beside one whose database is down while
 * `isDown` returns true. Returns the lines of the log.
 */
async function endSessions(
  events: ChainEventReader["events"],
  isDown: (status: number) => boolean = () => true,
): Promise<string[]> {
  const roles = [BROKEN_CHAIN, CHAIN].map((chainId) =>
    JSON.stringify({ objectId: `role${chainId}`, gate: { chainId, token: TOKEN, standard: "ERC20" } }),
  );
  let head = 1;
  const reader: ChainEventReader = {
    head: async () => ({ number: head, hash: `0x${head}` }),
    getBlockHashes: async () => new Map(),
    touchedAddresses: async () => undefined,
    events,
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
      logger: createLogger({ level: "info", format: "text", write: (line) => lines.push(line) }),
      balances: {
        getBalance: async () => 0n,
        eventReader: (chainId) =>
          chainId === CHAIN
            ? reader
            : {
                ...reader,
                async head() {
                  if (isDown(head)) throw new Error("the database is down");
                  return undefined;
                },
              },
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
  for (const expected of [1, 2, 3, 4]) {
    for (const listener of listeners) listener(status);
    await expect.poll(() => invalidations.length).toBe(expected);
    head += 1;
  }
  await gates.stop();
  return lines;
}

it("TokenGates ends sessions after transfers of a chain while another chain cannot be read", async () => {
  // The chain was reorganized, so that any balance may have changed.
  const lines = await endSessions(async () => undefined);
  expect(lines.join()).toContain("the database is down");
});

it("TokenGates logs once that a chain cannot be read, once that it can, and again at the next outage", async () => {
  const lines = await endSessions(
    async () => undefined,
    (status) => status !== 3,
  );
  const messages = lines.map((line) => line.replace(/^.*(could not be read|can be read again).*$/, "$1"));
  expect(messages).toEqual(["could not be read", "can be read again", "could not be read"]);
});

it("TokenGates ends all sessions if the transfers since the last check are no longer kept", async () => {
  const lines = await endSessions(() => Promise.reject(new EventsRemovedError("no longer kept")));
  expect(lines.join()).not.toContain("no longer kept");
});

it("TokenGates logs that balances can be read again once one was read, not while the index is behind", async () => {
  const role = { objectId: "role", gate: { chainId: CHAIN, token: TOKEN, standard: "ERC20" } };
  const balances = [
    () => Promise.reject(new Error("the database is down")),
    async () => undefined,
    async () => 3n,
  ];
  const unexpected = () => {
    throw new Error("only balances are expected");
  };
  const lines: string[] = [];
  const gates = new TokenGates(
    {
      store: { find: async () => [JSON.stringify(role)], getUniqueValues: async () => [TOKEN] },
      schemaOf,
      chains: { idOf: Number },
      clock: () => 0,
      logger: createLogger({ level: "info", format: "text", write: (line) => lines.push(line) }),
      balances: {
        getBalance: async () => balances.shift()?.(),
        eventReader: unexpected,
        onStatus: unexpected,
      },
    },
    async () => undefined,
  );
  const results: [memberships: number, lines: number][] = [];
  for (let attempt = 0; attempt < 3; attempt++)
    results.push([(await gates.gatedRolesOf("user")).length, lines.length]);
  expect(results).toEqual([
    [0, 1],
    [0, 1],
    [1, 2],
  ]);
});
