import type { NftTransferRow, RawLog, TradeRow } from "../model/rows.ts";
import { BLUR_TOPICS, blurTrades } from "./trades/blur.ts";
import { withoutIntermediaries } from "./trades/intermediaries.ts";
import { LOOKSRARE_TOPICS, looksRareTrades } from "./trades/looksRare.ts";
import { LOOKSRARE_V1_TOPICS, looksRareV1Trades } from "./trades/looksRareV1.ts";
import { groupOrders, matchedTrades } from "./trades/matchedOrders.ts";
import { MAX_TOKENS_PER_SALE, tradeRow } from "./trades/sale.ts";
import { decodeFulfilledOrder, SEAPORT_TOPICS, toDirectSale } from "./trades/seaport.ts";
import { SUDOSWAP_TOPICS, sudoswapTrades } from "./trades/sudoswap.ts";
import { SUDOSWAP_V1_TOPICS, sudoswapV1Trades } from "./trades/sudoswapV1.ts";
import { type TransactionContext, transactionContext } from "./trades/transactionContext.ts";
import { TransferIndex } from "./trades/transferIndex.ts";
import { WYVERN_TOPICS, wyvernTrades } from "./trades/wyvern.ts";
import { X2Y2_TOPICS, x2y2Trades } from "./trades/x2y2.ts";
import { ZERO_EX_TOPICS, zeroExTrades } from "./trades/zeroEx.ts";

/** Max hex digits of a decoded log: enough for MAX_TOKENS_PER_SALE items. */
const MAX_DATA = MAX_TOKENS_PER_SALE * 64 * 6;

/**
 * Decodes the sales of NFTs from logs of any contract; queries select the trusted marketplaces. Swaps, gifts,
 * payments in several currencies and sales across collections are skipped, because they have no price. `senders`
 * contains the senders of transactions by hash, if known.
 */
export function decodeTrades(
  logs: readonly RawLog[],
  nftTransfers: readonly NftTransferRow[],
  senders?: ReadonlyMap<string, string>,
): TradeRow[] {
  const saleLogs = logs.filter(({ topics: [topic], data }) => isSaleLog(topic) && data.length <= MAX_DATA);
  if (saleLogs.length === 0) return [];
  const byTransaction = Map.groupBy(saleLogs, ({ transactionHash }) => transactionHash);
  const transfersByTransaction = Map.groupBy(
    nftTransfers.filter(({ transactionHash }) => byTransaction.has(transactionHash)),
    ({ transactionHash }) => transactionHash,
  );
  const logsByTransaction = Map.groupBy(
    logs.filter(({ transactionHash }) => byTransaction.has(transactionHash)),
    ({ transactionHash }) => transactionHash,
  );
  return [...byTransaction].flatMap(([hash, transactionLogs]) => {
    const transfers = new TransferIndex(transfersByTransaction.get(hash) ?? []);
    const context = transactionContext(logsByTransaction.get(hash) ?? [], transfers);
    const trades = [
      ...seaportTrades(transactionLogs, transfers),
      ...transactionLogs.flatMap((log) => decoderOf(log)?.(log, context, transactionLogs) ?? []),
    ];
    trades.sort((a, b) => a.position - b.position);
    return withoutIntermediaries(trades, transfers, senders?.get(hash));
  });
}

/** Decodes the sales by Seaport orders of one transaction. */
function seaportTrades(logs: readonly RawLog[], transfers: TransferIndex): TradeRow[] {
  const orders = logs.flatMap((log) => decodeFulfilledOrder(log) ?? []);
  const { single, groups } = groupOrders(orders, logs, transfers);
  return [
    ...single.flatMap((order) => {
      const sale = toDirectSale(order);
      return sale ? [tradeRow(order.log, sale)] : [];
    }),
    ...groups.flatMap((group) => matchedTrades(group, transfers)),
  ];
}

type Decoder = (log: RawLog, context: TransactionContext, saleLogs: readonly RawLog[]) => TradeRow[];

/** Decoders of logs that are a sale each, by topic. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>(
  (
    [
      [LOOKSRARE_TOPICS, looksRareTrades],
      [LOOKSRARE_V1_TOPICS, looksRareV1Trades],
      [BLUR_TOPICS, blurTrades],
      [X2Y2_TOPICS, x2y2Trades],
      [WYVERN_TOPICS, wyvernTrades],
      [SUDOSWAP_TOPICS, sudoswapTrades],
      [SUDOSWAP_V1_TOPICS, sudoswapV1Trades],
      [ZERO_EX_TOPICS, zeroExTrades],
    ] as const
  ).flatMap(([topics, decoder]) => [...topics].map((topic): [string, Decoder] => [topic, decoder])),
);

function decoderOf({ topics: [topic = ""] }: RawLog): Decoder | undefined {
  return DECODERS.get(topic);
}

function isSaleLog(topic: string | undefined): boolean {
  return topic !== undefined && (SEAPORT_TOPICS.has(topic) || DECODERS.has(topic));
}
