import type { JsonValue } from "@purse/protocol";
import { expect, it } from "vitest";
import { getInternalTransfers, getTransfersAndCreations } from "./internalTransfers.ts";
import { RpcError } from "./rpcErrors.ts";

const [A, B, C] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const HASH = `0x${"1".repeat(64)}`;
const BLOCK = { number: 7, hash: `0x${"2".repeat(64)}` };

/** A node that has some methods only. */
const nodeWith = (results: Record<string, JsonValue>) => ({
  async request(method: string): Promise<JsonValue> {
    const result = results[method];
    if (result === undefined) throw new RpcError(-32_601, "method not found");
    return result;
  },
});

const transfer = (from: string, to: string, value: string, isCreation = false) => ({
  transactionHash: HASH,
  from,
  to,
  value,
  gas: "16",
  isCreation,
});

it("getInternalTransfers() leaves out reverted and delegated calls of the call tracer", async () => {
  const call = (type: string, from: string, to: string, value: string, more: object = {}) => ({
    type,
    from,
    to,
    value,
    gas: "0x10",
    ...more,
  });
  const tree = call("CALL", A, B, "0x9", {
    calls: [
      call("CALL", B, C, "0x1", { calls: [call("DELEGATECALL", C, A, "0x1")] }),
      call("CALL", B, C, "0x2", { error: "reverted", calls: [call("CALL", C, A, "0x3")] }),
      call("CALL", B, A, "0x0", { calls: [call("CREATE2", A, C, "0x4")] }),
      call("SELFDESTRUCT", B, A, "0x5"),
    ],
  });
  const failed = call("CALL", A, B, "0x9", { error: "reverted", calls: [call("CALL", B, C, "0x6")] });
  const node = nodeWith({
    debug_traceBlockByHash: [
      { txHash: HASH, result: tree },
      { txHash: HASH, result: failed },
    ],
  });
  expect(await getInternalTransfers(node, BLOCK)).toEqual([
    transfer(B, C, "1"),
    transfer(A, C, "4", true),
    transfer(B, A, "5"),
  ]);
});

it("getInternalTransfers() reads the traces of nodes without the call tracer", async () => {
  const trace = (traceAddress: number[], action: object, more: object = {}) => ({
    type: "call",
    blockHash: BLOCK.hash,
    transactionHash: HASH,
    traceAddress,
    action: { callType: "call", from: A, to: B, value: "0x1", gas: "0x10", ...action },
    ...more,
  });
  const node = nodeWith({
    trace_block: [
      trace([], {}),
      trace([0], { value: "0x2" }),
      trace([1], { value: "0x3" }, { error: "Reverted" }),
      trace([1, 0], { value: "0x4" }),
      trace([10], { value: "0x5", callType: "delegatecall" }),
      trace([11], { address: B, refundAddress: C, balance: "0x6" }, { type: "suicide" }),
      trace(
        [12],
        { to: undefined, value: "0x7", callType: undefined },
        { type: "create", result: { address: C } },
      ),
    ],
  });
  expect(await getInternalTransfers(node, BLOCK)).toEqual([
    transfer(A, B, "2"),
    transfer(B, C, "6"),
    transfer(A, C, "7", true),
  ]);
});

it("getTransfersAndCreations() includes creations without coins, but not those that failed", async () => {
  const failed = { type: "CREATE", from: B, value: "0x0", gas: "0x10", error: "out of gas" };
  const created = { type: "CREATE", from: B, to: C, value: "0x0", gas: "0x10" };
  const calls = [created, failed, { ...created, type: "CALL" }];
  const result = { type: "CALL", from: A, to: B, value: "0x0", gas: "0x10", calls };
  const traced = nodeWith({ debug_traceBlockByHash: [{ txHash: HASH, result }] });
  const trace = { blockHash: BLOCK.hash, transactionHash: HASH, traceAddress: [0], type: "create" };
  const action = { from: B, value: "0x0", gas: "0x10" };
  const listed = nodeWith({
    trace_block: [
      { ...trace, action, result: { address: C } },
      { ...trace, traceAddress: [1], action, error: "Out of gas" },
    ],
  });
  for (const node of [traced, listed]) {
    expect(await getTransfersAndCreations(node, BLOCK)).toEqual([transfer(B, C, "0", true)]);
    expect(await getInternalTransfers(node, BLOCK)).toEqual([]);
  }
});

it("getInternalTransfers() returns undefined for a node that does not trace", async () => {
  expect(await getInternalTransfers(nodeWith({}), BLOCK)).toBeUndefined();
});
