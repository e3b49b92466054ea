import { isNodeConnectionError } from "@purse/ui";
import type { RpcClient } from "./rpcClient.ts";

/** The return or revert data of a transaction. Rejects if the node does not support tracing. */
export async function readOutput(node: RpcClient, hash: string): Promise<string> {
  const root = recordOf(await node.request("debug_traceTransaction", [hash, { tracer: "callTracer" }]));
  return stringField(root.output) ?? "0x";
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

function hexOf(decimal: string): string {
  return `0x${BigInt(decimal).toString(16)}`;
}

function stringField(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
