import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { BlockIdentity } from "../model/rows.ts";
import type { ChainNode } from "./chainNode.ts";
import { parseAddress, parseBigQuantity, parseHash } from "./quantities.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";
import { CREATING, childrenOf, objectOf, readBlockTraces, TRANSFERRING } from "./traces.ts";

/** Native coins that a contract sent in a transaction. */
export interface InternalTransfer {
  transactionHash: string;
  from: string;
  /** The called or created contract. */
  to: string;
  /** wei; 0 only for creations. */
  value: string;
  gas: string;
  isCreation: boolean;
}

type Node = Pick<ChainNode, "request">;

/**
 * Reads the internal transfers of a block, in execution order, without those that were reverted, by the method that the
 * node has; undefined if it has none. Rejects with RpcError, InvalidNodeDataError or RpcUnreachableError.
 */
export async function getInternalTransfers(
  node: Node,
  block: BlockIdentity,
): Promise<InternalTransfer[] | undefined> {
  return (await getTransfersAndCreations(node, block))?.filter(({ value }) => value !== "0");
}

/** Like `getInternalTransfers`, with the contracts that others created without sending them coins. */
export async function getTransfersAndCreations(
  node: Node,
  block: BlockIdentity,
): Promise<InternalTransfer[] | undefined> {
  const found = await readBlockTraces(node, block);
  if (!found) return undefined;
  return "trees" in found
    ? found.trees.flatMap(({ txHash, result }) => nested(txHash, result))
    : listed(found.traces, block.hash);
}

/** Transfers below the root of a call tracer; what failed has reverted everything below it. */
export function nested(txHash: JsonValue | undefined, result: JsonValue | undefined): InternalTransfer[] {
  const transactionHash = parseHash(txHash);
  const root = objectOf(result ?? null);
  if (root.error) return [];
  const transfers: InternalTransfer[] = [];
  const waiting = childrenOf(root).reverse();
  for (let call = waiting.pop(); call; call = waiting.pop()) {
    if (call.error) continue;
    const value = parseBigQuantity(call.value ?? "0x0");
    const type = String(call.type).toUpperCase();
    const isCreation = CREATING.has(type);
    if (isCreation || (value !== "0" && TRANSFERRING.has(type))) {
      const gas = parseBigQuantity(call.gas ?? "0x0");
      transfers.push({
        transactionHash,
        from: parseAddress(call.from),
        to: parseAddress(call.to),
        value,
        gas,
        isCreation,
      });
    }
    for (const child of childrenOf(call).reverse()) waiting.push(child);
  }
  return transfers;
}

/** The traces of `trace_block` (OpenEthereum, Erigon, Nethermind) that are not the transactions themselves. */
export function listed(traces: JsonObject[], blockHash: string): InternalTransfer[] {
  const transfers: InternalTransfer[] = [];
  /** Paths of failed calls by transaction: what they called comes after them and was reverted. */
  const failed = new Map<string, string[]>();
  for (const trace of traces) {
    if (trace.type === "reward" || typeof trace.transactionHash !== "string") continue;
    if (parseHash(trace.blockHash) !== blockHash)
      throw new InvalidNodeDataError("the traces are of another block");
    const transactionHash = parseHash(trace.transactionHash);
    const path = Array.isArray(trace.traceAddress) ? `/${trace.traceAddress.join("/")}` : "/";
    const isBelow = (parent: string) => parent === "/" || path === parent || path.startsWith(`${parent}/`);
    if (failed.get(transactionHash)?.some(isBelow)) continue;
    if (trace.error) {
      failed.set(transactionHash, [...(failed.get(transactionHash) ?? []), path]);
      continue;
    }
    if (path === "/") continue;
    const transfer = listedTransfer(trace, transactionHash);
    if (transfer) transfers.push(transfer);
  }
  return transfers;
}

function listedTransfer(trace: JsonObject, transactionHash: string): InternalTransfer | undefined {
  const action = objectOf(trace.action ?? null);
  const gas = parseBigQuantity(action.gas ?? "0x0");
  if (trace.type === "suicide") {
    const value = parseBigQuantity(action.balance ?? "0x0");
    const [from, to] = [parseAddress(action.address), parseAddress(action.refundAddress)];
    return value === "0" ? undefined : { transactionHash, from, to, value, gas, isCreation: false };
  }
  const value = parseBigQuantity(action.value ?? "0x0");
  const type = String(action.callType ?? trace.type).toUpperCase();
  const isCreation = CREATING.has(type);
  if (!isCreation && (value === "0" || !TRANSFERRING.has(type))) return undefined;
  const created = isJsonObject(trace.result) ? trace.result.address : undefined;
  return {
    transactionHash,
    from: parseAddress(action.from),
    to: parseAddress(action.to ?? created),
    value,
    gas,
    isCreation,
  };
}
