import { methodOf } from "@purse/protocol";
import { notSupported } from "../model/requestErrors.ts";
import { getPendingTransactions, type PendingTransaction } from "../node/pendingTransactions.ts";
import { type SelectChain, withNodeErrors } from "./chainContext.ts";
import { firstRows, pageFields } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { directionOf } from "./walletHistory.ts";

/** Transactions that are not in a block yet, from the node. */
export function pendingTransactionHandlers(selectChain: SelectChain) {
  return {
    getPendingTransactions: async ({ chain: selector, address, limit, cursor }) => {
      const chain = selectChain(selector);
      const found = await withNodeErrors(chain, undefined, () => getPendingTransactions(chain.node, address));
      if (!found) {
        throw notSupported(
          `the node of chain "${chain.config.name}" does not show pending transactions (txpool_contentFrom, txpool_content, the block "pending")`,
        );
      }
      const all = found.transactions.sort(byNonce);
      const [nonce = -1, hash = ""] = cursor?.parts ?? [];
      const after = { nonce: Number(nonce), hash: String(hash) };
      const remaining = cursor ? all.filter((each) => byNonce(each, after) > 0) : all;
      const { rows: shown, last } = firstRows(remaining, limit);
      return {
        total: all.length,
        ...pageFields({ limit, cursor }, last && [last.nonce, last.hash]),
        sources: found.sources,
        includes_incoming: found.includesIncoming,
        result: shown.map((each) => pendingToJson(each, address)),
      };
    },
  } satisfies Partial<Handlers>;
}

type Key = Pick<PendingTransaction, "nonce" | "hash">;

function byNonce(a: Key, b: Key): number {
  return a.nonce - b.nonce || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0);
}

function pendingToJson({ from, to, ...transaction }: PendingTransaction, wallet: string) {
  return {
    hash: transaction.hash,
    nonce: String(transaction.nonce),
    from_address: from,
    to_address: to,
    direction: directionOf({ from, to }, wallet),
    value: transaction.value,
    gas: transaction.gas,
    gas_price: transaction.gasPrice,
    max_fee_per_gas: transaction.maxFeePerGas,
    max_priority_fee_per_gas: transaction.maxPriorityFeePerGas,
    type: String(transaction.type),
    input: transaction.input,
    method_label: to === null ? null : (methodOf(transaction.input) ?? null),
    status: transaction.isQueued ? "queued" : "pending",
  } as const;
}
