import { NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";
import { tradeRow } from "./sale.ts";
import { type FulfilledOrder, isNft, matchedOrderHashes, type OfferedItem, toAsk, toBid } from "./seaport.ts";
import type { TransferIndex } from "./transferIndex.ts";

/**
 * Splits the Seaport orders of one transaction into orders that were fulfilled individually and groups of matched
 * orders. OrdersMatched follows the orders that it names. Version 1.1 has no such event: it reports matched orders in
 * sequence before any transfer, with the null address as recipient.
 */
export function groupOrders(
  orders: readonly FulfilledOrder[],
  logs: readonly RawLog[],
  transfers: TransferIndex,
): { single: FulfilledOrder[]; groups: FulfilledOrder[][] } {
  const unmatched = new Set(orders);
  const groups: FulfilledOrder[][] = [];
  for (const log of logs) {
    const hashes = matchedOrderHashes(log);
    if (!hashes) continue;
    const group = ordersNamedBy(hashes, log, unmatched);
    for (const order of group) unmatched.delete(order);
    groups.push(group);
  }
  const unnamed = [...unmatched].filter(({ recipient }) => recipient === NULL_ADDRESS);
  return {
    single: [...unmatched].filter(({ recipient }) => recipient !== NULL_ADDRESS),
    groups: [...groups, ...splitRuns(unnamed, transfers)],
  };
}

/** The latest fulfillments of the named orders before the log; an order can be filled partially several times. */
function ordersNamedBy(
  hashes: readonly string[],
  { address, position }: RawLog,
  unmatched: ReadonlySet<FulfilledOrder>,
): FulfilledOrder[] {
  const newestFirst = [...unmatched]
    .filter(({ log }) => log.address === address && log.position < position)
    .reverse();
  const remaining = Map.groupBy(hashes, (hash) => hash);
  return newestFirst.filter(({ orderHash }) => remaining.get(orderHash)?.pop() !== undefined).reverse();
}

/** Starts a new group after a transfer, or if the contract changes. */
function splitRuns(orders: readonly FulfilledOrder[], transfers: TransferIndex): FulfilledOrder[][] {
  const runs: FulfilledOrder[][] = [];
  for (const order of orders) {
    const run = runs.at(-1);
    const last = run?.at(-1)?.log;
    const isNext =
      last?.address === order.log.address && !transfers.hasTransferBetween(last.position, order.log.position);
    if (run && isNext) run.push(order);
    else runs.push([order]);
  }
  return runs;
}

/**
 * Converts matched orders to sales. Both sides report the same sale: if there are at least as many bids as asks for
 * some tokens, each bid is a sale, otherwise each ask. Buyer and seller are taken from the token transfers.
 */
export function matchedTrades(orders: readonly FulfilledOrder[], transfers: TransferIndex): TradeRow[] {
  const asks = orders.filter(toAsk);
  const bids = orders.filter((order) => !toAsk(order) && toBid(order));
  return linkOrders(asks, bids).flatMap((side) =>
    side.bids.length >= side.asks.length
      ? side.bids.flatMap((bid) => tradeFromBid(bid, transfers))
      : side.asks.flatMap((ask) => tradeFromAsk(ask, transfers)),
  );
}

function tradeFromAsk(order: FulfilledOrder, transfers: TransferIndex): TradeRow[] {
  const ask = toAsk(order);
  const [first] = order.offer;
  if (!ask || !first) return [];
  const tokenTransfers = transfers.ofToken(first.token, first.identifier);
  const transfer = tokenTransfers.find(({ from }) => from === order.offerer);
  return transfer ? [tradeRow(order.log, { ...ask, seller: order.offerer, buyer: transfer.to })] : [];
}

function tradeFromBid(order: FulfilledOrder, transfers: TransferIndex): TradeRow[] {
  const bid = toBid(order);
  const first = order.consideration.find(isNft);
  if (!bid || !first) return [];
  const receivers = [first.recipient, order.offerer];
  const tokenTransfers = transfers.ofToken(first.token, first.identifier);
  const transfer = tokenTransfers.find(({ to }) => receivers.includes(to));
  return transfer ? [tradeRow(order.log, { ...bid, seller: transfer.from, buyer: order.offerer })] : [];
}

interface MatchedOrders {
  asks: FulfilledOrder[];
  bids: FulfilledOrder[];
}

/** Groups asks and bids for the same tokens, directly or through other orders. */
function linkOrders(asks: readonly FulfilledOrder[], bids: readonly FulfilledOrder[]): MatchedOrders[] {
  const orders = [...asks, ...bids];
  const roots = orders.map((_, i) => i);
  const rootOf = (i: number): number => {
    let at = i;
    while (roots[at] !== at) {
      // Path halving, for faster lookups.
      roots[at] = roots[roots[at] ?? at] ?? at;
      at = roots[at] ?? at;
    }
    return at;
  };
  const firstOf = new Map<string, number>();
  for (const [i, order] of orders.entries()) {
    const tokens = i < asks.length ? order.offer : order.consideration.filter(isNft);
    for (const token of tokens) {
      const first = firstOf.get(tokenKey(token));
      if (first === undefined) firstOf.set(tokenKey(token), i);
      else roots[rootOf(i)] = rootOf(first);
    }
  }
  const components = new Map<number, MatchedOrders>();
  for (const [i, order] of orders.entries()) {
    const component = components.get(rootOf(i)) ?? { asks: [], bids: [] };
    components.set(rootOf(i), component);
    if (i < asks.length) component.asks.push(order);
    else component.bids.push(order);
  }
  return [...components.values()];
}

function tokenKey({ token, identifier }: OfferedItem): string {
  return `${token} ${identifier}`;
}
