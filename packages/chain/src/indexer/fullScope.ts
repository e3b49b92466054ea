import { type DecodeContext, decodeLogs } from "../decode/decodeLogs.ts";
import type { BlockRows } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { Reading, Scope } from "./scope.ts";

/** Everything: each block with its transactions, logs and transfers. */
export function wholeChain(node: ChainNode, context: DecodeContext): Scope {
  return {
    get range() {
      return node.range;
    },
    async read(from, to): Promise<Reading | undefined> {
      const blocks = await node.blocks(from, to);
      const rows: BlockRows = {
        blocks: [],
        transactions: [],
        logs: [],
        nftTransfers: [],
        nftRanges: [],
        nftUpdates: [],
        trades: [],
      };
      const raw = [];
      for (const { block, transactions, logs } of blocks) {
        const before = rows.blocks.at(-1);
        // The range ends at the first block that does not continue the one before.
        if (before && block.parentHash !== before.hash) break;
        rows.blocks.push(block);
        for (const transaction of transactions) rows.transactions.push(transaction);
        for (const log of logs) raw.push(log);
      }
      const [first, last] = [rows.blocks[0], rows.blocks.at(-1)];
      if (!first || !last) return undefined;
      const { tokens, ...decoded } = decodeLogs(raw, { ...context, transactions: rows.transactions });
      return { parentHash: first.parentHash, rows: { ...rows, ...decoded }, tokens, last };
    },
  };
}
