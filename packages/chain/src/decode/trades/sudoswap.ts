import { parseAbi, toEventSelector } from "viem/utils";
import { type NftTransferRow, NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";
import { type TransactionContext, tokensOf } from "./transactionContext.ts";

/** Events of the pairs of Sudoswap v2. */
const events = parseAbi([
  "event SwapNFTInPair(uint256 amountOut, uint256[] ids)",
  "event SwapNFTOutPair(uint256 amountIn, uint256[] ids)",
]);
const amountEvents = parseAbi([
  "event SwapNFTInPair(uint256 amountOut, uint256 numNFTs)",
  "event SwapNFTOutPair(uint256 amountIn, uint256 numNFTs)",
]);
export const SUDOSWAP_TOPICS: ReadonlySet<string> = new Set(
  [...events, ...amountEvents].map((event) => toEventSelector(event)),
);

interface Swap {
  /** Whether the pair sells. */
  isOut: boolean;
  price: bigint;
  matches(transfer: NftTransferRow): boolean;
}

/** The tokens are those that the pair transfers before its log, the currency is that of its payments. */
export function sudoswapTrades(
  log: RawLog,
  { transfers, paymentsBetween }: TransactionContext,
  saleLogs: readonly RawLog[],
): TradeRow[] {
  const swap = decodeSwap(log);
  if (!swap) return [];
  const pair = log.address;
  const previous = saleLogs.findLast(({ position }) => position < log.position);
  const after = previous?.position ?? -1;
  const moves = transfers
    .between(after, log.position)
    .filter((transfer) => (swap.isOut ? transfer.from : transfer.to) === pair && swap.matches(transfer));
  const [first] = moves;
  const tokens = tokensOf(moves);
  if (!first || !tokens) return [];
  const payments = paymentsBetween(after, log.position);
  const currencies = new Set(
    payments.filter(({ from, to }) => from === pair || to === pair).map(({ token }) => token),
  );
  const [currency = NULL_ADDRESS] = currencies;
  // A pair can be paid at another address; then the currency is unknown.
  if (currencies.size > 1 || (currencies.size === 0 && payments.length > 0)) return [];
  const { from: seller, to: buyer } = first;
  return saleRow(log, { ...tokens, seller, buyer, price: swap.price, currency });
}

function decodeSwap(log: RawLog): Swap | undefined {
  const event = decodeStrict(events, log);
  if (event) {
    const ids = new Set(event.args.ids);
    const isOut = event.eventName === "SwapNFTOutPair";
    return {
      isOut,
      price: isOut ? event.args.amountIn : event.args.amountOut,
      matches: ({ tokenId }) => ids.has(BigInt(tokenId)),
    };
  }
  const counted = decodeStrict(amountEvents, log);
  if (!counted) return undefined;
  const isOut = counted.eventName === "SwapNFTOutPair";
  return {
    isOut,
    price: isOut ? counted.args.amountIn : counted.args.amountOut,
    matches: ({ amount }) => BigInt(amount) === counted.args.numNFTs,
  };
}
