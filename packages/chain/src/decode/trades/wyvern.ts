import { parseAbi, toEventSelector } from "viem/utils";
import { NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";
import { type TransactionContext, tokensOf } from "./transactionContext.ts";

/** Event of OpenSea's Wyvern v1 and v2. It names neither the tokens nor the currency, nor who sells. */
const events = parseAbi([
  "event OrdersMatched(bytes32 buyHash, bytes32 sellHash, address indexed maker, address indexed taker, uint256 price, bytes32 indexed metadata)",
]);
const TOPIC = toEventSelector(events[0]);
export const WYVERN_TOPICS: ReadonlySet<string> = new Set([TOPIC]);

/**
 * Takes the tokens from the transfers between maker and taker since the previous match in the transaction, and the
 * currency from a payment of the price by the buyer to the seller; without one, it is the native coin.
 */
export function wyvernTrades(
  log: RawLog,
  { transfers, paymentsBetween }: TransactionContext,
  saleLogs: readonly RawLog[],
): TradeRow[] {
  const args = decodeStrict(events, log)?.args;
  if (!args) return [];
  const previous = saleLogs.findLast(
    ({ position, topics, address }) =>
      position < log.position && topics[0] === TOPIC && address === log.address,
  );
  const after = previous?.position ?? -1;
  const [maker, taker] = [args.maker.toLowerCase(), args.taker.toLowerCase()];
  const moves = transfers.between(after, log.position);
  const sold = moves.filter(({ from, to }) => from === maker && to === taker);
  const isMakerSeller = sold.length > 0;
  const [seller, buyer] = isMakerSeller ? [maker, taker] : [taker, maker];
  const tokens = tokensOf(
    isMakerSeller ? sold : moves.filter(({ from, to }) => from === taker && to === maker),
  );
  if (!tokens) return [];
  const payment = paymentsBetween(after, log.position).find(
    ({ from, to, amount }) => from === buyer && to === seller && amount === args.price,
  );
  return saleRow(log, {
    token: tokens.token,
    tokenIds: tokens.tokenIds,
    seller,
    buyer,
    price: args.price,
    currency: payment?.token ?? NULL_ADDRESS,
  });
}
