import type { JsonValue } from "@purse/protocol";
import { expect, it, vi } from "vitest";
import { InvalidNodeDataError, RpcError, RpcUnreachableError } from "../node/rpcErrors.ts";
import { ContractCreations } from "./contractCreations.ts";

const [CONTRACT, FACTORY] = [`0x${"c".repeat(40)}`, `0x${"f".repeat(40)}`];
const HASH = `0x${"1".repeat(64)}`;
const hashOf = (number: number, fork = "0") => `0x${fork}${number.toString(16).padStart(63, "0")}`;
const creating = { type: "CREATE2", from: FACTORY, to: CONTRACT, value: "0x0", gas: "0x10" };

/** A chain whose contract was created in block 40, with an index from the start block to block 100. */
function createChain({
  startBlock = 0,
  traces = () => [{ txHash: HASH, result: { calls: [creating] } }],
} = {}) {
  let fork = "0";
  const header = (number: number) => ({
    number,
    hash: hashOf(number, fork),
    parentHash: HASH,
    timestamp: number,
  });
  const hasCode = vi.fn(async (_contract: string, tag: number | string = "latest") => Number(tag) >= 40);
  const chain = {
    config: { id: 1, startBlock },
    status: () => ({ indexed: 100 }),
    store: { block: async (number: number) => (number < startBlock ? undefined : header(number)) },
    node: {
      hasCode,
      getHeader: async (tag: number | string) => header(Number(tag)),
      request: async (): Promise<JsonValue> => traces(),
    },
  };
  return {
    chain,
    hasCode,
    reorganize: () => {
      fork = "1";
    },
  };
}

it("traced() searches once for concurrent and later requests, and again after a reorganization", async () => {
  const { chain, hasCode, reorganize } = createChain();
  const creations = new ContractCreations();
  const expected = { creator: FACTORY, block: 40, transactionHash: HASH };
  const both = await Promise.all([creations.traced(chain, CONTRACT), creations.traced(chain, CONTRACT)]);
  expect(both).toEqual([expected, expected]);
  const calls = hasCode.mock.calls.length;
  expect(await creations.traced(chain, CONTRACT)).toEqual(expected);
  expect(hasCode.mock.calls.length).toBe(calls);
  reorganize();
  expect(await creations.traced(chain, CONTRACT)).toEqual(expected);
  expect(hasCode.mock.calls.length).toBe(2 * calls);
});

it("traced() keeps a creation before the first indexed block", async () => {
  const { chain, hasCode } = createChain({ startBlock: 60 });
  const creations = new ContractCreations();
  await creations.traced(chain, CONTRACT);
  const calls = hasCode.mock.calls.length;
  expect(await creations.traced(chain, CONTRACT)).toMatchObject({ creator: FACTORY, block: 40 });
  expect(hasCode.mock.calls.length).toBe(calls);
});

it.each([
  new InvalidNodeDataError("a trace is not an object"),
  new RpcUnreachableError("the node did not respond"),
  new RpcError(-32_000, "missing trie node"),
])("traced() has no creation for some minutes after the failure %s", async (error) => {
  const { chain, hasCode } = createChain({
    traces: () => {
      throw error;
    },
  });
  const creations = new ContractCreations();
  expect(await creations.traced(chain, CONTRACT)).toBeUndefined();
  const calls = hasCode.mock.calls.length;
  expect(await creations.traced(chain, CONTRACT)).toBeUndefined();
  expect(hasCode.mock.calls.length).toBe(calls);
  vi.useFakeTimers({ now: Date.now() + 6 * 60_000, toFake: ["Date"] });
  try {
    expect(await creations.traced(chain, CONTRACT)).toBeUndefined();
    expect(hasCode.mock.calls.length).toBeGreaterThan(calls);
  } finally {
    vi.useRealTimers();
  }
});
