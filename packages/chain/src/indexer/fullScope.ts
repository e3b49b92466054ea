import { type DecodeContext, decodeLogs } from "../decode/decodeLogs.ts";
import type { BlockRows } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { FetchedRange, IndexScope } from "./scope.ts";

/** Scope `chain`: every block with its transactions, logs and transfers. */
export function fullScope(node: ChainNode, context: DecodeContext): IndexScope {
  return {
    get blockRange() {
      return node.blockRange;
    },
    async fetch(from, to): Promise<FetchedRange | undefined> {
      const startedAt = Date.now();
      const blocks = await node.getBlocks(from, to);
      const fetchedAt = Date.now();
      const rows: BlockRows = {
        blocks: [],
        transactions: [],
        logs: [],
        nftTransfers: [],
        nftRanges: [],
        nftUpdates: [],
        trades: [],
      };
      const rawLogs = [];
      for (const { block, transactions, logs } of blocks) {
        const previous = rows.blocks.at(-1);
        // Cut the range at the first block that does not continue the previous one.
        if (previous && block.parentHash !== previous.hash) break;
        rows.blocks.push(block);
        for (const transaction of transactions) rows.transactions.push(transaction);
        for (const log of logs) rawLogs.push(log);
      }
      const [first, last] = [rows.blocks[0], rows.blocks.at(-1)];
      if (!first || !last) return undefined;
      const { tokens, ...decoded } = decodeLogs(rawLogs, { ...context, transactions: rows.transactions });
      const timings = { startedAt, fetchedAt, decodedAt: Date.now() };
      return { parentHash: first.parentHash, rows: { ...rows, ...decoded }, tokens, last, timings };
    },
  };
}
