import { formatEther } from "viem";
import { notSupported } from "../model/requestErrors.ts";
import { indexOf } from "../model/rows.ts";
import { type ChainContext, type SelectChain, selectFullIndex } from "./chainContext.ts";
import { blockFields, readList } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { directionOf } from "./walletHistory.ts";

/** Coins that contracts sent, from the index of a chain that is traced. */
export function internalTransactionHandlers(selectChain: SelectChain) {
  return {
    getWalletInternalTransactions: async ({ chain: selector, address, order, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the internal transactions of an address");
      requireTraces(chain);
      const { rows, blocks, page } = await readList(
        chain,
        parameters,
        (window) => chain.store.internalTransfers.list(address, window),
        order === "asc",
      );
      const transactions = await chain.store.transactionsAt([
        ...new Set(rows.map(({ position }) => position)),
      ]);
      return page(
        rows.map(({ position, part, from, to, value, isCreation }) => ({
          transaction_hash: transactions.get(position)?.hash ?? "",
          transaction_index: String(indexOf(position)),
          internal_index: part,
          ...blockFields(blocks, position),
          type: isCreation ? "create" : "call",
          from_address: from,
          to_address: to,
          direction: directionOf({ from, to }, address),
          value,
          value_formatted: formatEther(BigInt(value)),
        })),
      );
    },
  } satisfies Partial<Handlers>;
}

function requireTraces({ config }: ChainContext): void {
  if (config.traces) return;
  throw notSupported(
    `the internal transactions of addresses are not indexed: set traces of chain "${config.name}" if its node traces blocks`,
  );
}
