import type { NftTransferRow, TradeRow } from "../model/rows.ts";
import { withoutIntermediaries } from "./trades/intermediaries.ts";
import { LOOKSRARE_TOPICS, looksRareTrades } from "./trades/looksRare.ts";
import { groupOrders, matchedTrades } from "./trades/matchedOrders.ts";
import { MovedTokens } from "./trades/movedTokens.ts";
import { MAX_TOKENS, type RawLog, tradeRow } from "./trades/sale.ts";
import { directSale, fulfilledOrder, SEAPORT_TOPICS } from "./trades/seaport.ts";

/** Hex digits of a log that is read: as many as MAX_TOKENS items have. */
const MAX_DATA = MAX_TOKENS * 64 * 6;

/**
 * Finds the sales of NFTs among logs, whoever reports them: which contracts are to be believed is a matter of the question.
 * Left out are swaps for other NFTs, gifts, and what is paid in several currencies, or is of several collections: none of
 * these has a price. `senders` has the senders of transactions by hash, as far as they are known.
 */
export function decodeTrades(
  logs: readonly RawLog[],
  nftTransfers: readonly NftTransferRow[],
  senders?: ReadonlyMap<string, string>,
): TradeRow[] {
  const reports = logs.filter(({ topics: [topic], data }) => isReport(topic) && data.length <= MAX_DATA);
  if (reports.length === 0) return [];
  const byTransaction = Map.groupBy(reports, ({ transactionHash }) => transactionHash);
  const moved = Map.groupBy(
    nftTransfers.filter(({ transactionHash }) => byTransaction.has(transactionHash)),
    ({ transactionHash }) => transactionHash,
  );
  return [...byTransaction].flatMap(([hash, own]) => {
    const transfers = new MovedTokens(moved.get(hash) ?? []);
    const trades = [...seaportTrades(own, transfers), ...own.flatMap(looksRareTrades)];
    trades.sort((a, b) => a.position - b.position);
    return withoutIntermediaries(trades, transfers, senders?.get(hash));
  });
}

/** The sales by Seaport orders of one transaction. */
function seaportTrades(logs: readonly RawLog[], transfers: MovedTokens): TradeRow[] {
  const orders = logs.flatMap((log) => fulfilledOrder(log) ?? []);
  const { single, groups } = groupOrders(orders, logs, transfers);
  return [
    ...single.flatMap((order) => {
      const sale = directSale(order);
      return sale ? [tradeRow(order.log, sale)] : [];
    }),
    ...groups.flatMap((group) => matchedTrades(group, transfers)),
  ];
}

function isReport(topic: string | undefined): boolean {
  return topic !== undefined && (SEAPORT_TOPICS.has(topic) || LOOKSRARE_TOPICS.has(topic));
}
