import { parseAbi, toEventSelector } from "viem/utils";
import { toWord } from "../../model/hexBytes.ts";
import { NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";
import { decodeStrict, MAX_TOKENS_PER_SALE, MAX_UINT256, type Sale, tradeRow } from "./sale.ts";

/** Events of LooksRare v2. */
const looksRare = parseAbi([
  "struct Nonce { bytes32 orderHash; uint256 orderNonce; bool isNonceInvalidated; }",
  "event TakerAsk(Nonce nonce, address askUser, address bidUser, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
  "event TakerBid(Nonce nonce, address bidUser, address bidRecipient, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
]);
export const LOOKSRARE_TOPICS: ReadonlySet<string> = new Set(
  looksRare.map((event) => toEventSelector(event)),
);

export function looksRareTrades(log: RawLog): TradeRow[] {
  const sale = LOOKSRARE_TOPICS.has(log.topics[0] ?? "") ? looksRareSale(log) : undefined;
  return sale ? [tradeRow(log, sale)] : [];
}

function looksRareSale(log: RawLog): Sale | undefined {
  const event = decodeStrict(looksRare, log);
  if (!event) return undefined;
  const { currency, collection, itemIds, feeAmounts } = event.args;
  const price = feeAmounts.reduce((sum, each) => sum + each, 0n);
  if (price === 0n || price > MAX_UINT256 || itemIds.length === 0 || itemIds.length > MAX_TOKENS_PER_SALE)
    return undefined;
  const [seller, buyer] =
    event.eventName === "TakerAsk"
      ? [event.args.askUser, event.args.bidUser]
      : [event.args.feeRecipients[0], event.args.bidRecipient];
  const priceToken = currency.toLowerCase();
  return {
    token: collection.toLowerCase(),
    tokenIds: itemIds.map(String),
    seller: seller.toLowerCase(),
    buyer: buyer.toLowerCase(),
    price: toWord(price),
    priceToken: priceToken === NULL_ADDRESS ? null : priceToken,
  };
}
