import type { JsonValue } from "@purse/protocol";
import { expect, it } from "vitest";
import { createRecordingLogger } from "../../test/testService.ts";
import { BlockTracer } from "./blockTracer.ts";
import {
  InvalidNodeDataError,
  RpcError,
  RpcResponseTooLargeError,
  RpcUnreachableError,
} from "./rpcErrors.ts";

const [A, B] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
const hashOf = (digit: string) => `0x${digit.repeat(64)}`;
const [FIRST, SECOND, THIRD] = [hashOf("1"), hashOf("2"), hashOf("3")];
const HASHES = [FIRST, SECOND, THIRD];
const blockOf = (number: number) => ({ number, hash: `0x${String(number).padStart(64, "0")}` });
const BLOCK = blockOf(7);
const tree = (value: string) => ({
  type: "CALL",
  calls: [{ type: "CALL", from: A, to: B, value, gas: "0x10" }],
});

type Respond = (method: string, params: JsonValue[]) => JsonValue | Promise<JsonValue>;

function createTracer(respond: Respond, hasBlock: () => boolean = () => true) {
  const log = createRecordingLogger();
  const tracer = new BlockTracer(
    {
      request: async (method, params) => respond(method, params),
      penalize: () => undefined,
      getHeaderByHash: async () =>
        hasBlock() ? { ...BLOCK, parentHash: BLOCK.hash, timestamp: 0 } : undefined,
    },
    "local",
    log,
  );
  return { tracer, log };
}

const summary = (transfers: Awaited<ReturnType<BlockTracer["trace"]>>) =>
  transfers?.map(({ transactionHash, value }) => [transactionHash, value]);

it("traces a transaction again that the trace of its block lacks, and leaves it out if that fails", async () => {
  const traces: JsonValue = [
    { txHash: FIRST, result: tree("0x1") },
    { txHash: SECOND, error: "execution timeout" },
    { txHash: THIRD, error: "execution timeout" },
  ];
  const { tracer } = createTracer((method, [hash]) => {
    if (method === "debug_traceBlockByHash") return traces;
    if (hash === SECOND) return tree("0x2");
    throw new RpcError(-32_000, "execution timeout");
  });
  expect(summary(await tracer.trace(BLOCK, HASHES))).toEqual([
    [FIRST, "1"],
    [SECOND, "2"],
  ]);
  expect(tracer.untraced).toBe(1);
});

it.each([
  new RpcResponseTooLargeError("the node's response is larger than 64 bytes"),
  new RpcUnreachableError("The operation was aborted due to timeout"),
  new RpcError(-32_000, "request timed out"),
])("traces the transactions of a block one by one after %s", async (error) => {
  const { tracer } = createTracer((method) => {
    if (method === "debug_traceBlockByHash") throw error;
    return tree("0x1");
  });
  expect(summary(await tracer.trace(BLOCK, HASHES))).toEqual(HASHES.map((hash) => [hash, "1"]));
  expect(tracer.untraced).toBe(0);
});

it.each([
  ["no trace of its block arrives", undefined],
  ["the trace of its block lacks it", [FIRST, THIRD]],
])(
  "leaves a transaction out whose trace does not arrive at three attempts, if %s",
  async (_case, inBlock) => {
    const { tracer } = createTracer((method, [hash]) => {
      if (method === "debug_traceBlockByHash" && inBlock)
        return inBlock.map((txHash) => ({ txHash, result: tree("0x1") }));
      if (method === "debug_traceTransaction" && hash !== SECOND) return tree("0x1");
      throw new RpcUnreachableError("timeout");
    });
    for (const _attempt of [1, 2]) await expect(tracer.trace(BLOCK, HASHES)).rejects.toThrow("timeout");
    expect(summary(await tracer.trace(BLOCK, HASHES))).toEqual([
      [FIRST, "1"],
      [THIRD, "1"],
    ]);
    expect(tracer.untraced).toBe(1);
  },
);

it.each([
  new RpcError(-32_000, "required historical state unavailable"),
  new RpcError(-32_005, "limit exceeded"),
  new InvalidNodeDataError("the traces are not a list"),
])("rejects with %s of a whole block", async (error) => {
  const { tracer } = createTracer(() => {
    throw error;
  });
  await expect(tracer.trace(BLOCK, HASHES)).rejects.toThrow(error);
});

it("leaves nothing out if the node no longer has the block or limits requests", async () => {
  const unreachable = new RpcUnreachableError("timeout");
  const gone = createTracer(
    () => {
      throw unreachable;
    },
    () => false,
  );
  for (const _attempt of [1, 2, 3])
    await expect(gone.tracer.trace(BLOCK, HASHES)).rejects.toThrow("no longer has block 7");
  const limited = createTracer((method) => {
    throw method === "debug_traceTransaction" ? new RpcError(429, "too many requests") : unreachable;
  });
  for (const _attempt of [1, 2, 3])
    await expect(limited.tracer.trace(BLOCK, HASHES)).rejects.toThrow("too many requests");
  expect([gone.tracer.untraced, limited.tracer.untraced]).toEqual([0, 0]);
});

it("traces four blocks at the same time at most", async () => {
  let [running, most] = [0, 0];
  const { tracer } = createTracer(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return [];
  });
  await Promise.all(Array.from({ length: 12 }, (_, number) => tracer.trace(blockOf(number), [])));
  expect(most).toBe(4);
});

it("is undefined for a node that does not trace", async () => {
  const { tracer } = createTracer(() => {
    throw new RpcError(-32_601, "method not found");
  });
  expect(await tracer.trace(BLOCK, HASHES)).toBeUndefined();
});
