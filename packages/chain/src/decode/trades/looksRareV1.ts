import { parseAbi, toEventSelector } from "viem/utils";
import type { RawLog, TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";

/** Events of LooksRare v1. */
const events = parseAbi([
  "event TakerAsk(bytes32 orderHash, uint256 orderNonce, address indexed taker, address indexed maker, address indexed strategy, address currency, address collection, uint256 tokenId, uint256 amount, uint256 price)",
  "event TakerBid(bytes32 orderHash, uint256 orderNonce, address indexed taker, address indexed maker, address indexed strategy, address currency, address collection, uint256 tokenId, uint256 amount, uint256 price)",
]);
export const LOOKSRARE_V1_TOPICS: ReadonlySet<string> = new Set(
  events.map((event) => toEventSelector(event)),
);

/** The currency of a purchase is the wrapped coin even if the buyer paid with the native one. */
export function looksRareV1Trades(log: RawLog): TradeRow[] {
  const event = decodeStrict(events, log);
  if (!event) return [];
  const { taker, maker, currency, collection, tokenId, price } = event.args;
  const [seller, buyer] = event.eventName === "TakerAsk" ? [taker, maker] : [maker, taker];
  return saleRow(log, { token: collection, tokenIds: [tokenId], seller, buyer, price, currency });
}
