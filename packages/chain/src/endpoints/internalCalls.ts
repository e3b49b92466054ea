import { notSupported } from "../model/requestErrors.ts";
import type { TransactionRow } from "../model/rows.ts";
import {
  getBlockCalls,
  getInternalCalls,
  type InternalCall,
  transferringCalls,
} from "../node/internalCalls.ts";
import { type ChainContext, withNodeErrors } from "./chainContext.ts";

/** Traces that are read at the same time. */
const PARALLEL_TRACES = 8;
/** Gas of a transaction that calls no contract. */
const PLAIN_GAS = 21_000n;

/**
 * Reads the calls between contracts in a transaction. Rejects with ProtocolError 501 if the node does not trace.
 */
export async function readInternalCalls(chain: ChainContext, hash: string): Promise<InternalCall[]> {
  const calls = await withNodeErrors(chain, undefined, () => getInternalCalls(chain.node, hash));
  return calls ?? rejectTracing(chain);
}

/** Like `readInternalCalls`, for all transactions of a block, by hash. */
export async function readBlockCalls(
  chain: ChainContext,
  block: { number: number; hash: string },
): Promise<Map<string, InternalCall[]>> {
  const calls = await withNodeErrors(chain, undefined, () => getBlockCalls(chain.node, block));
  return calls ?? rejectTracing(chain);
}

function rejectTracing(chain: ChainContext): never {
  throw notSupported(
    `the node of chain "${chain.config.name}" does not trace transactions (debug_traceTransaction, trace_transaction)`,
  );
}

/** A transfer of native coins by a contract, in wei. */
export interface InternalTransfer {
  from: string;
  to: string;
  value: string;
}

/** Reads the coins that contracts sent in transactions, by hash. Rejects like `readInternalCalls`. */
export async function readInternalTransfers(
  chain: ChainContext,
  transactions: readonly TransactionRow[],
): Promise<Map<string, InternalTransfer[]>> {
  const traced = transactions.filter(({ status, gasUsed }) => status !== 0 && BigInt(gasUsed) > PLAIN_GAS);
  const found = new Map<string, InternalTransfer[]>();
  for (let at = 0; at < traced.length; at += PARALLEL_TRACES) {
    const batch = traced.slice(at, at + PARALLEL_TRACES);
    const calls = await Promise.all(batch.map(({ hash }) => readInternalCalls(chain, hash)));
    for (const [i, { hash }] of batch.entries()) found.set(hash, transferringCalls(calls[i] ?? []));
  }
  return found;
}
