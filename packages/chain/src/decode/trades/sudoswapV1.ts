import { toEventSelector } from "viem/utils";
import type { RawLog, TradeRow } from "../../model/rows.ts";
import { saleRow } from "./sale.ts";
import { type TransactionContext, tokensOf } from "./transactionContext.ts";

const [IN_TOPIC, OUT_TOPIC] = ["SwapNFTInPair()", "SwapNFTOutPair()"].map((event) => toEventSelector(event));

/** Events of the pairs of Sudoswap v1. */
export const SUDOSWAP_V1_TOPICS: ReadonlySet<string> = new Set([IN_TOPIC ?? "", OUT_TOPIC ?? ""]);

/**
 * The logs have neither tokens nor a price: the tokens are those that the pair transfers before its log, the price is
 * the ERC-20 payment between. Payments in native coins are not logged, so that sales of such pairs are left out.
 */
export function sudoswapV1Trades(
  log: RawLog,
  { transfers, paymentsBetween }: TransactionContext,
  saleLogs: readonly RawLog[],
): TradeRow[] {
  const pair = log.address;
  const isOut = log.topics[0] === OUT_TOPIC;
  const previous = saleLogs.findLast(({ position }) => position < log.position);
  const after = previous?.position ?? -1;
  const moves = transfers
    .between(after, log.position)
    .filter((transfer) => (isOut ? transfer.from : transfer.to) === pair);
  const [first] = moves;
  const tokens = tokensOf(moves);
  const payments = paymentsBetween(after, log.position);
  const own = payments.filter(({ from, to }) => (isOut ? to : from) === pair);
  const [payment] = own;
  if (!first || !tokens || !payment || own.some(({ token }) => token !== payment.token)) return [];
  const amounts = isOut
    ? // With the protocol's fee, which the buyer pays to the factory.
      payments.filter(({ token, from }) => token === payment.token && from === payment.from)
    : own;
  // The pair pays the protocol's fee besides the seller, which is the smaller amount.
  const price = amounts.reduce((sum, { amount }) => (isOut ? sum + amount : amount > sum ? amount : sum), 0n);
  const { from: seller, to: buyer } = first;
  return saleRow(log, { ...tokens, seller, buyer, price, currency: payment.token });
}
