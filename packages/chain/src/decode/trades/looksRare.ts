import { parseAbi, toEventSelector } from "viem/utils";
import type { RawLog, TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";

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
  const event = decodeStrict(looksRare, log);
  if (!event) return [];
  const { currency, collection, itemIds, feeAmounts } = event.args;
  const [seller, buyer] =
    event.eventName === "TakerAsk"
      ? [event.args.askUser, event.args.bidUser]
      : [event.args.feeRecipients[0], event.args.bidRecipient];
  const price = feeAmounts.reduce((sum, each) => sum + each, 0n);
  return saleRow(log, { token: collection, tokenIds: itemIds, seller, buyer, price, currency });
}
