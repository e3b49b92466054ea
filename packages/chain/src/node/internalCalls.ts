import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { ChainNode } from "./chainNode.ts";
import { requestIfSupported } from "./optionalMethods.ts";
import { parseAddress, parseBigQuantity, parseBytes, parseHash } from "./quantities.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";
import { CALL_TRACER, childrenOf, listOf, objectOf, readBlockTraces, TRANSFERRING } from "./traces.ts";

/** A call that a contract made in a transaction. */
export interface InternalCall {
  /** As in the call tracer: CALL, DELEGATECALL, STATICCALL, CREATE, CREATE2, SELFDESTRUCT, … */
  type: string;
  /** 0 for calls of the contract that the transaction calls. */
  depth: number;
  from: string;
  /** The called or created contract; null if its creation failed. */
  to: string | null;
  /** wei */
  value: string;
  gas: string;
  gasUsed: string;
  input: string;
  output: string;
  error: string | null;
}

/** Max calls of a transaction that are returned. */
const MAX_CALLS = 10_000;

/**
 * Reads the calls between contracts in a transaction, in execution order, by the method that the node has; undefined
 * if it has none. Rejects with RpcError, InvalidNodeDataError or RpcUnreachableError.
 */
export async function getInternalCalls(node: ChainNode, hash: string): Promise<InternalCall[] | undefined> {
  const tree = await requestIfSupported(node, "debug_traceTransaction", [hash, CALL_TRACER]);
  if (tree !== undefined) return limited(nestedCalls(objectOf(tree)));
  const list = await requestIfSupported(node, "trace_transaction", [hash]);
  return list === undefined ? undefined : limited(listedCalls(list));
}

/** Like `getInternalCalls`, for all transactions of a block, by hash; those without calls can be missing. */
export async function getBlockCalls(
  node: Pick<ChainNode, "request">,
  block: { number: number; hash: string },
): Promise<Map<string, InternalCall[]> | undefined> {
  const found = await readBlockTraces(node, block);
  if (!found) return undefined;
  if ("trees" in found) {
    return new Map(
      found.trees.map(({ txHash, result }) => [
        parseHash(txHash),
        limited(nestedCalls(objectOf(result ?? null))),
      ]),
    );
  }
  const ofBlock = found.traces.filter(({ transactionHash }) => typeof transactionHash === "string");
  if (ofBlock.some(({ blockHash }) => parseHash(blockHash) !== block.hash))
    throw new InvalidNodeDataError("the traces are of another block");
  const byTransaction = Map.groupBy(ofBlock, ({ transactionHash }) => parseHash(transactionHash));
  return new Map([...byTransaction].map(([hash, list]) => [hash, limited(listedCalls(list))]));
}

/** The calls that transferred coins; what failed has reverted everything below it. */
export function transferringCalls(calls: readonly InternalCall[]): (InternalCall & { to: string })[] {
  let failedDepth = Number.POSITIVE_INFINITY;
  return calls.flatMap((call) => {
    if (call.depth > failedDepth) return [];
    failedDepth = call.error === null ? Number.POSITIVE_INFINITY : call.depth;
    const { type, to, value, error } = call;
    return error === null && to !== null && value !== "0" && TRANSFERRING.has(type) ? [{ ...call, to }] : [];
  });
}

function limited(calls: InternalCall[]): InternalCall[] {
  if (calls.length <= MAX_CALLS) return calls;
  throw new InvalidNodeDataError(`the transaction has more than ${MAX_CALLS} calls`);
}

/** The calls below the root of a call tracer, depth first. */
function nestedCalls(root: JsonObject): InternalCall[] {
  const calls: InternalCall[] = [];
  const children = (call: JsonObject, depth: number) =>
    childrenOf(call)
      .reverse()
      .map((child) => ({ call: child, depth }));
  const waiting = children(root, 0);
  for (let next = waiting.pop(); next && calls.length <= MAX_CALLS; next = waiting.pop()) {
    const { call, depth } = next;
    calls.push({
      type: String(call.type).toUpperCase(),
      depth,
      from: parseAddress(call.from),
      to: call.to ? parseAddress(call.to) : null,
      value: parseBigQuantity(call.value ?? "0x0"),
      gas: parseBigQuantity(call.gas ?? "0x0"),
      gasUsed: parseBigQuantity(call.gasUsed ?? "0x0"),
      input: parseBytes(call.input ?? "0x"),
      output: parseBytes(call.output ?? "0x"),
      error: typeof call.error === "string" ? call.error : null,
    });
    waiting.push(...children(call, depth + 1));
  }
  return calls;
}

/** The traces of `trace_transaction` (OpenEthereum, Erigon, Nethermind) without the transaction itself. */
function listedCalls(traces: JsonValue): InternalCall[] {
  return listOf(traces).flatMap((trace) => {
    const depth = Array.isArray(trace.traceAddress) ? trace.traceAddress.length - 1 : 0;
    if (depth < 0 || trace.type === "reward") return [];
    const action = objectOf(trace.action ?? null);
    const result = isJsonObject(trace.result) ? trace.result : {};
    const isEnd = trace.type === "suicide";
    const to = isEnd ? action.refundAddress : (action.to ?? result.address);
    return [
      {
        type: isEnd ? "SELFDESTRUCT" : String(action.callType ?? trace.type).toUpperCase(),
        depth,
        from: parseAddress(isEnd ? action.address : action.from),
        to: to ? parseAddress(to) : null,
        value: parseBigQuantity(action.value ?? action.balance ?? "0x0"),
        gas: parseBigQuantity(action.gas ?? "0x0"),
        gasUsed: parseBigQuantity(result.gasUsed ?? "0x0"),
        input: parseBytes(action.input ?? action.init ?? "0x"),
        output: parseBytes(result.output ?? result.code ?? "0x"),
        error: typeof trace.error === "string" ? trace.error : null,
      },
    ];
  });
}
