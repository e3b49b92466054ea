import { type NftTransferRow, NULL_ADDRESS, type TradeRow } from "../../model/rows.ts";
import type { MovedTokens } from "./movedTokens.ts";

/**
 * Marketplaces name as buyer or seller whoever called them, which may be a router: a contract that passes the token on
 * in the same transaction. Where the token so came from, or ended with, the sender of the transaction, they are the side.
 * What was sold again on the way, minted or burnt stays as it was reported.
 */
export function withoutIntermediaries(
  trades: readonly TradeRow[],
  moved: MovedTokens,
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
    const own = moved.of(token, BigInt(id));
    const delivery = deliveryOf(trade, own);
    if (!delivery) return trade;
    const others = (byToken.get(`${token} ${id}`) ?? []).flatMap((each) =>
      each.trade === trade ? [] : [each.trade],
    );
    const ways: Ways = { sender, own, others, trade };
    return {
      ...trade,
      buyer: delivery.to === trade.buyer ? lastHolder(delivery, ways) : trade.buyer,
      seller: delivery.from === trade.seller ? firstHolder(delivery, ways) : trade.seller,
    };
  });
}

interface Ways {
  sender: string;
  /** The transfers of the trade's first token, in their order. */
  own: readonly NftTransferRow[];
  /** Other trades of the token in the same transaction. */
  others: readonly TradeRow[];
  trade: TradeRow;
}

/** The buyer, or the sender of the transaction where the token went on to them. */
function lastHolder(delivery: NftTransferRow, { sender, own, others, trade }: Ways): string {
  let last = delivery;
  while (last.to !== sender) {
    const holder = last.to;
    const next = own.find((each) => isBehind(each, last) && each.from === holder && isSamePiece(each, last));
    const isResold = others.some(({ seller }) => seller === holder);
    if (!next || isResold || next.to === NULL_ADDRESS) return trade.buyer;
    last = next;
  }
  return sender;
}

/** The seller, or the sender of the transaction where the token came from them. */
function firstHolder(delivery: NftTransferRow, { sender, own, others, trade }: Ways): string {
  let first = delivery;
  while (first.from !== sender) {
    const holder = first.from;
    const before = own.findLast(
      (each) => isBehind(first, each) && each.to === holder && isSamePiece(each, first),
    );
    const isBought = others.some(({ buyer }) => buyer === holder);
    if (!before || isBought || before.from === NULL_ADDRESS) return trade.seller;
    first = before;
  }
  return sender;
}

/** The transfer by which the token went from one side to the other. */
function deliveryOf({ seller, buyer }: TradeRow, own: readonly NftTransferRow[]): NftTransferRow | undefined {
  return (
    own.find(({ from, to }) => from === seller && to === buyer) ??
    own.find(({ from, to }) => from === seller || to === buyer)
  );
}

function isBehind(a: NftTransferRow, b: NftTransferRow): boolean {
  return a.position > b.position || (a.position === b.position && a.part > b.part);
}

function isSamePiece(a: NftTransferRow, b: NftTransferRow): boolean {
  return a.amount === b.amount;
}
