import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { BlockIdentity } from "../model/rows.ts";
import type { ChainNode, RequestOptions } from "./chainNode.ts";
import { requestIfSupported } from "./optionalMethods.ts";
import { toHexQuantity } from "./quantities.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";

/** Parameters of the call tracer. */
export const CALL_TRACER = { tracer: "callTracer", timeout: "10s" };

/** Types of calls that create contracts. */
export const CREATING: ReadonlySet<string> = new Set(["CREATE", "CREATE2"]);

/** Types of calls that transfer coins; DELEGATECALL and CALLCODE only repeat the value of their caller. */
export const TRANSFERRING: ReadonlySet<string> = new Set([
  "CALL",
  "CREATE",
  "CREATE2",
  "SELFDESTRUCT",
  "SUICIDE",
]);

/** The call trees of the transactions of a block, or its traces as a list. */
export type BlockTraces = { trees: JsonObject[] } | { traces: JsonObject[] };

/**
 * Traces a block by the method that the node has; undefined if it has none. Rejects with RpcError, InvalidNodeDataError
 * or RpcUnreachableError.
 */
export async function readBlockTraces(
  node: Pick<ChainNode, "request">,
  block: BlockIdentity,
  options?: RequestOptions,
): Promise<BlockTraces | undefined> {
  const trees = await requestIfSupported(node, "debug_traceBlockByHash", [block.hash, CALL_TRACER], options);
  if (trees !== undefined) return { trees: listOf(trees) };
  const traces = await requestIfSupported(node, "trace_block", [toHexQuantity(block.number)], options);
  return traces === undefined ? undefined : { traces: listOf(traces) };
}

export function childrenOf({ calls }: JsonObject): JsonObject[] {
  return Array.isArray(calls) ? calls.map(objectOf) : [];
}

export function listOf(value: JsonValue): JsonObject[] {
  if (!Array.isArray(value)) throw new InvalidNodeDataError("the traces are not a list");
  return value.map(objectOf);
}

export function objectOf(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new InvalidNodeDataError("a trace is not an object");
}
