import { type NftTransferRow, NULL_ADDRESS, type TradeRow } from "../../model/rows.ts";
import type { TransferIndex } from "./transferIndex.ts";

/**
 * Marketplaces report their caller as buyer or seller, which may be a router contract that forwards the token in the
 * same transaction. If the token came from or ended at the sender of the transaction, the sender replaces the router.
 * Tokens that were resold, minted or burnt on the way keep the reported parties.
 */
export function withoutIntermediaries(
  trades: readonly TradeRow[],
  transfers: TransferIndex,
  sender: string | undefined,
): TradeRow[] {
  if (sender === undefined) return [...trades];
  const byToken = Map.groupBy(
    trades.flatMap((trade) => trade.tokenIds.map((id) => ({ trade, key: `${trade.token} ${id}` }))),
    ({ key }) => key,
  );
  return trades.map((trade) => {
    const { token, tokenIds } = trade;
    const [id] = tokenIds;
    if (id === undefined || (trade.buyer === sender && trade.seller === sender)) return trade;
    const tokenTransfers = transfers.ofToken(token, BigInt(id));
    const delivery = findDelivery(trade, tokenTransfers);
    if (!delivery) return trade;
    const others = (byToken.get(`${token} ${id}`) ?? []).flatMap((each) =>
      each.trade === trade ? [] : [each.trade],
    );
    const path: DeliveryPath = { sender, tokenTransfers, others, trade };
    return {
      ...trade,
      buyer: delivery.to === trade.buyer ? lastHolder(delivery, path) : trade.buyer,
      seller: delivery.from === trade.seller ? firstHolder(delivery, path) : trade.seller,
    };
  });
}

interface DeliveryPath {
  sender: string;
  /** Transfers of the trade's first token, in log order. */
  tokenTransfers: readonly NftTransferRow[];
  /** Other trades of the token in the same transaction. */
  others: readonly TradeRow[];
  trade: TradeRow;
}

/** The buyer, or the transaction's sender if the token was forwarded to it. */
function lastHolder(
  delivery: NftTransferRow,
  { sender, tokenTransfers, others, trade }: DeliveryPath,
): string {
  let last = delivery;
  while (last.to !== sender) {
    const holder = last.to;
    const next = tokenTransfers.find(
      (each) => isAfter(each, last) && each.from === holder && isSamePiece(each, last),
    );
    const isResold = others.some(({ seller }) => seller === holder);
    if (!next || isResold || next.to === NULL_ADDRESS) return trade.buyer;
    last = next;
  }
  return sender;
}

/** The seller, or the transaction's sender if the token came from it. */
function firstHolder(
  delivery: NftTransferRow,
  { sender, tokenTransfers, others, trade }: DeliveryPath,
): string {
  let first = delivery;
  while (first.from !== sender) {
    const holder = first.from;
    const before = tokenTransfers.findLast(
      (each) => isAfter(first, each) && each.to === holder && isSamePiece(each, first),
    );
    const isBought = others.some(({ buyer }) => buyer === holder);
    if (!before || isBought || before.from === NULL_ADDRESS) return trade.seller;
    first = before;
  }
  return sender;
}

/** The transfer between the parties of the trade. */
function findDelivery(
  { seller, buyer }: TradeRow,
  tokenTransfers: readonly NftTransferRow[],
): NftTransferRow | undefined {
  return (
    tokenTransfers.find(({ from, to }) => from === seller && to === buyer) ??
    tokenTransfers.find(({ from, to }) => from === seller || to === buyer)
  );
}

function isAfter(a: NftTransferRow, b: NftTransferRow): boolean {
  return a.position > b.position || (a.position === b.position && a.part > b.part);
}

function isSamePiece(a: NftTransferRow, b: NftTransferRow): boolean {
  return a.amount === b.amount;
}
