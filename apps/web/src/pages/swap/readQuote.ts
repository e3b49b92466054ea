import { Cloud } from "@purse/client";
import { batchCall, resultOrThrow } from "../../wallet/batchCall.ts";
import {
  type Order,
  type OrderKind,
  orderParams,
  parseQuote,
  parseSwapCalls,
  type Quote,
  SMALL_PART,
  type SwapCall,
  wrapCall,
} from "./quote.ts";

/** Reads what an order gives; null if no pool exchanges so much. */
export async function readQuote(
  order: Order,
  kind: OrderKind,
  options: { signal?: AbortSignal } = {},
): Promise<Quote | null> {
  if (kind !== "pool") return { kind, amountOut: order.amount, exchange: null, path: [], priceImpact: null };
  const amounts = [order.amount, order.amount / SMALL_PART].filter((amount) => amount > 0n);
  const [whole, small] = await batchCall(
    "dex_quote",
    amounts.map((amount) => orderParams({ ...order, amount })),
    options,
  );
  if (whole && "error" in whole && /no pool|no exchange/i.test(whole.error.message)) return null;
  return parseQuote(resultOrThrow(whole), small && "result" in small ? small.result : undefined);
}

export interface SwapOptions {
  order: Order;
  kind: OrderKind;
  account: string;
  /** In percent. */
  slippage: number;
  wrappedNative: string | null;
}

/** Reads the calls that carry out an order: approvals that are still missing, and the swap. */
export async function readSwapCalls(options: SwapOptions): Promise<SwapCall[]> {
  const { order, kind, account, slippage, wrappedNative } = options;
  if (kind !== "pool") return wrappedNative === null ? [] : [wrapCall(kind, wrappedNative, order.amount)];
  const params = { ...orderParams(order), fromAddress: account.toLowerCase(), slippage };
  return parseSwapCalls(await Cloud.run("dex_swap", params), order, account);
}
