/** The address of the native coin in orders of the DEX plugin. */
export const COIN = `0x${"e".repeat(40)}`;

/** What is swapped. Addresses are lower-case hex; null is the native coin. */
export interface Order {
  /** Hex chain ID. */
  chain: string;
  from: string | null;
  to: string | null;
  /** In the smallest unit of `from`. */
  amount: bigint;
}

/** How an order is carried out: by wrapping or unwrapping the native coin, or by a pool. */
export type OrderKind = "wrap" | "unwrap" | "pool";

/** The kind of an order; undefined if it swaps a coin or token for itself. */
export function orderKind(
  { from, to }: Pick<Order, "from" | "to">,
  wrappedNative: string | null,
): OrderKind | undefined {
  if (from === to) return undefined;
  if (wrappedNative === null) return "pool";
  if (from === null && to === wrappedNative) return "wrap";
  if (from === wrappedNative && to === null) return "unwrap";
  return "pool";
}

export interface Quote {
  kind: OrderKind;
  /** In the smallest unit of the asset that is received. */
  amountOut: bigint;
  /** The name of the exchange; null for wrapping. */
  exchange: string | null;
  /** Tokens that are passed, with the first and the last. */
  path: readonly string[];
  /** How much worse the rate is than for a small amount, as a share; null if unknown. */
  priceImpact: number | null;
}

/** A call of a contract that the wallet sends. */
export interface SwapCall {
  kind: "approve" | "swap";
  to: string;
  data: string;
  /** In wei. */
  value: bigint;
}

/** The parameters of an order for the plugin's functions. */
export function orderParams({ chain, from, to, amount }: Order) {
  return { chain, fromTokenAddress: from ?? COIN, toTokenAddress: to ?? COIN, amount: amount.toString() };
}

/** Orders of this part of the amount have the price without impact. */
export const SMALL_PART = 1_000n;

/** The payload of a response of the plugin. Throws Error if it failed. */
function pluginPayload(response: unknown): object {
  const { success, result } = Object(Object(response).data);
  if (success !== true || typeof result !== "object" || result === null)
    throw new Error("The exchange returned an unexpected response.");
  return result;
}

/** Parses a response of `dex_quote`, and compares its rate with that of a thousandth of the amount. */
export function parseQuote(response: unknown, small: unknown): Quote {
  const { toTokenAmount, exchange, path } = Object(pluginPayload(response));
  const amountOut = parseUnits(toTokenAmount);
  if (amountOut === undefined) throw new Error("The exchange returned an unexpected response.");
  const smallOut = small === undefined ? undefined : parseUnits(Object(pluginPayload(small)).toTokenAmount);
  return {
    kind: "pool",
    amountOut,
    exchange: String(exchange).slice(0, 40),
    path: Array.isArray(path) ? path.map(String) : [],
    priceImpact: smallOut === undefined ? null : priceImpact(amountOut, smallOut),
  };
}

/** How much less `amountOut` is than a thousand times the result of a thousandth, as a share; null if that gives nothing. */
export function priceImpact(amountOut: bigint, smallOut: bigint): number | null {
  // The small result is rounded down, so few digits say nothing.
  if (smallOut < 10_000n) return null;
  const ideal = smallOut * SMALL_PART;
  return Math.max(0, Number(ideal - amountOut) / Number(ideal));
}

/** The least that is received if the price changes by `slippage` percent. */
export function minimumReceived(amountOut: bigint, slippage: number): bigint {
  return (amountOut * BigInt(Math.round((100 - slippage) * 100))) / 10_000n;
}

/**
 * Parses the calls that `dex_swap` returns: approvals, then the swap. Throws Error for anything that the order does not
 * need: another account, another contract than the token and one router, or coins that are not swapped.
 */
export function parseSwapCalls(response: unknown, order: Order, account: string): SwapCall[] {
  const { triggers } = Object(pluginPayload(response));
  const calls: unknown[] = Array.isArray(triggers) ? triggers : [];
  return calls.map((trigger, i): SwapCall => {
    const { name, data: call } = Object(trigger);
    const { from, to, value, data } = Object(call);
    const wei = parseUnits(value);
    const isLast = i === calls.length - 1;
    const isExpected =
      name === "web3Transaction" &&
      String(from).toLowerCase() === account.toLowerCase() &&
      /^0x[0-9a-f]{40}$/i.test(String(to)) &&
      /^0x[0-9a-f]{8,}$/i.test(String(data)) &&
      wei === (isLast && order.from === null ? order.amount : 0n) &&
      (isLast || (String(to).toLowerCase() === order.from && String(data).startsWith(APPROVE)));
    if (!isExpected || wei === undefined)
      throw new Error("The exchange requested an unexpected transaction.");
    return { kind: isLast ? "swap" : "approve", to: String(to), data: String(data), value: wei };
  });
}

const APPROVE = "0x095ea7b3";
const DEPOSIT = "0xd0e30db0";
const WITHDRAW = "0x2e1a7d4d";

/** The call that wraps or unwraps native coins. */
export function wrapCall(kind: "wrap" | "unwrap", wrappedNative: string, amount: bigint): SwapCall {
  return kind === "wrap"
    ? { kind: "swap", to: wrappedNative, data: DEPOSIT, value: amount }
    : { kind: "swap", to: wrappedNative, data: WITHDRAW + amount.toString(16).padStart(64, "0"), value: 0n };
}

function parseUnits(value: unknown): bigint | undefined {
  return typeof value === "string" && /^\d{1,78}$/.test(value) ? BigInt(value) : undefined;
}
