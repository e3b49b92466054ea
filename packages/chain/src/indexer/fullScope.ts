import { type DecodeContext, decodeLogs } from "../decode/decodeLogs.ts";
import { emptyBlockRows, type InternalTransferRow, positionOf, type TransactionRow } from "../model/rows.ts";
import type { FullBlock } from "../node/blocks.ts";
import type { BlockTracer } from "../node/blockTracer.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { InvalidNodeDataError } from "../node/rpcErrors.ts";
import type { FetchedRange, IndexScope } from "./scope.ts";

/** Blocks per range of a chain that is traced, and blocks that are given to the tracer together. */
const MAX_TRACED_RANGE = 50;
const BATCH_SIZE = 4;
/** Gas of a transaction that calls no contract. */
const PLAIN_GAS = "21000";

/**
 * Scope `chain`: every block with its transactions, logs and transfers; with a tracer also with the coins that
 * contracts sent and the contracts that they created.
 */
export function fullScope(node: ChainNode, context: DecodeContext, tracer?: BlockTracer): IndexScope {
  return {
    get untraced() {
      return tracer?.untraced ?? 0;
    },
    get blockRange() {
      return tracer ? Math.min(node.blockRange, MAX_TRACED_RANGE) : node.blockRange;
    },
    async fetch(from, to): Promise<FetchedRange | undefined> {
      const startedAt = Date.now();
      const blocks = await node.getBlocks(from, to);
      const rows = emptyBlockRows();
      const rawLogs = [];
      const linked: FullBlock[] = [];
      for (const full of blocks) {
        const { block, transactions, logs } = full;
        const previous = rows.blocks.at(-1);
        // Cut the range at the first block that does not continue the previous one.
        if (previous && block.parentHash !== previous.hash) break;
        linked.push(full);
        rows.blocks.push(block);
        for (const transaction of transactions) rows.transactions.push(transaction);
        for (const log of logs) rawLogs.push(log);
      }
      const [first, last] = [rows.blocks[0], rows.blocks.at(-1)];
      if (!first || !last) return undefined;
      if (tracer) rows.internalTransfers = await traceBlocks(tracer, linked);
      const fetchedAt = Date.now();
      const { tokens, ...decoded } = decodeLogs(rawLogs, { ...context, transactions: rows.transactions });
      const timings = { startedAt, fetchedAt, decodedAt: Date.now() };
      return { parentHash: first.parentHash, rows: { ...rows, ...decoded }, tokens, last, timings };
    },
  };
}

/** The coins that contracts sent in blocks, and the contracts that they created. */
async function traceBlocks(
  tracer: BlockTracer,
  blocks: readonly FullBlock[],
): Promise<InternalTransferRow[]> {
  const traced = blocks.filter(({ transactions }) => transactions.some(callsContract));
  const rows: InternalTransferRow[] = [];
  for (let at = 0; at < traced.length; at += BATCH_SIZE) {
    const batch = traced.slice(at, at + BATCH_SIZE);
    for (const each of await Promise.all(batch.map((block) => traceBlock(tracer, block)))) rows.push(...each);
  }
  return rows;
}

function callsContract({ gasUsed, status }: TransactionRow): boolean {
  return gasUsed !== PLAIN_GAS && status !== 0;
}

async function traceBlock(
  tracer: BlockTracer,
  { block, transactions }: FullBlock,
): Promise<InternalTransferRow[]> {
  const calling = transactions.filter(callsContract).map(({ hash }) => hash);
  const transfers = await tracer.trace(block, calling);
  if (!transfers) {
    throw new InvalidNodeDataError(
      "the node does not trace blocks (debug_traceBlockByHash, trace_block), which the setting traces requires",
    );
  }
  const indexes = new Map(transactions.map(({ hash }, i) => [hash, i]));
  const parts = new Map<number, number>();
  const rows = transfers.map(({ transactionHash, from, to, value, isCreation }) => {
    const index = indexes.get(transactionHash);
    if (index === undefined)
      throw new InvalidNodeDataError(`the traces of block ${block.number} have unknown transactions`);
    const part = parts.get(index) ?? 0;
    parts.set(index, part + 1);
    return { position: positionOf(block.number, index), part, from, to, value, isCreation };
  });
  return rows.sort((a, b) => a.position - b.position || a.part - b.part);
}
