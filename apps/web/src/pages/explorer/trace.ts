import { isNodeConnectionError } from "@purse/ui";
import type { RpcClient } from "./rpcClient.ts";

/** An internal call of a transaction, as returned by Geth's callTracer. */
export interface InternalCall {
  key: string;
  /** 0 for calls of the called contract. */
  depth: number;
  type: string;
  from: string;
  to: string;
  value: bigint;
  input: string;
  /** The error of a failed call. */
  error: string | undefined;
}

export interface Trace {
  /** The return data of the transaction. */
  output: string;
  error: string | undefined;
  calls: InternalCall[];
}

/** Maximum number of calls shown. */
const MAX_CALLS = 500;

/** Traces a transaction. Rejects if the node does not support tracing. */
export async function traceTransaction(node: RpcClient, hash: string): Promise<Trace> {
  const root = recordOf(await node.request("debug_traceTransaction", [hash, { tracer: "callTracer" }]));
  const calls: InternalCall[] = [];
  collectCalls(root, "", 0, calls);
  return { output: stringField(root.output) ?? "0x", error: stringField(root.error), calls };
}

/**
 * Replays a transaction on the state before its block and returns its return or revert data. Rejects if the node
 * does not respond.
 */
export async function replay(
  node: RpcClient,
  transaction: {
    from_address: string;
    to_address?: string | null;
    value: string;
    gas: string;
    input: string;
    block_number: string;
  },
): Promise<string> {
  const call = {
    from: transaction.from_address,
    to: transaction.to_address,
    value: hexOf(transaction.value),
    gas: hexOf(transaction.gas),
    data: transaction.input,
  };
  try {
    const before = hexOf(String(Math.max(0, Number(transaction.block_number) - 1)));
    return stringField(await node.request("eth_call", [call, before])) ?? "0x";
  } catch (error) {
    if (isNodeConnectionError(error)) throw error;
    const { data } = recordOf(error);
    return stringField(data) ?? stringField(recordOf(data).data) ?? "0x";
  }
}

function collectCalls(
  call: Record<string, unknown>,
  key: string,
  depth: number,
  calls: InternalCall[],
): void {
  const innerCalls = Array.isArray(call.calls) ? call.calls : [];
  innerCalls.forEach((each, i) => {
    if (calls.length >= MAX_CALLS) return;
    const one = recordOf(each);
    const path = `${key}${i}.`;
    calls.push({
      key: path,
      depth,
      type: stringField(one.type) ?? "CALL",
      from: stringField(one.from) ?? "",
      to: stringField(one.to) ?? "",
      value: bigOf(one.value),
      input: stringField(one.input) ?? "0x",
      error: stringField(one.error),
    });
    collectCalls(one, path, depth + 1, calls);
  });
}

function hexOf(decimal: string): string {
  return `0x${BigInt(decimal).toString(16)}`;
}

function bigOf(value: unknown): bigint {
  return typeof value === "string" && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : 0n;
}

function stringField(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
