import { NULL_ADDRESS, type TradeRow } from "../../model/rows.ts";
import type { MovedTokens } from "./movedTokens.ts";
import { type RawLog, tradeRow } from "./sale.ts";
import { askOf, bidOf, type FulfilledOrder, isNft, matchedHashes, type OfferedItem } from "./seaport.ts";

/**
 * Splits the Seaport orders of one transaction into those that were fulfilled by themselves, and groups of those that
 * were matched with each other. OrdersMatched follows right behind the orders that it names; version 1.1, which has no such
 * event, reports matched orders in a row before anything is moved, with the null address as their recipient.
 */
export function groupOrders(
  orders: readonly FulfilledOrder[],
  logs: readonly RawLog[],
  moved: MovedTokens,
): { single: FulfilledOrder[]; groups: FulfilledOrder[][] } {
  const open = new Set(orders);
  const groups: FulfilledOrder[][] = [];
  for (const log of logs) {
    const hashes = matchedHashes(log);
    if (!hashes) continue;
    const group = namedOrders(hashes, log, open);
    for (const order of group) open.delete(order);
    groups.push(group);
  }
  const unnamed = [...open].filter(({ recipient }) => recipient === NULL_ADDRESS);
  return {
    single: [...open].filter(({ recipient }) => recipient !== NULL_ADDRESS),
    groups: [...groups, ...runsOf(unnamed, moved)],
  };
}

/** The last fulfillments of orders before the log that names them: an order may be filled in several parts. */
function namedOrders(
  hashes: readonly string[],
  { address, position }: RawLog,
  open: ReadonlySet<FulfilledOrder>,
): FulfilledOrder[] {
  const newestFirst = [...open]
    .filter(({ log }) => log.address === address && log.position < position)
    .reverse();
  const wanted = Map.groupBy(hashes, (hash) => hash);
  return newestFirst.filter(({ orderHash }) => wanted.get(orderHash)?.pop() !== undefined).reverse();
}

/** Splits where a token was moved between two orders, or the contract is another. */
function runsOf(orders: readonly FulfilledOrder[], moved: MovedTokens): FulfilledOrder[][] {
  const runs: FulfilledOrder[][] = [];
  for (const order of orders) {
    const run = runs.at(-1);
    const last = run?.at(-1)?.log;
    const isNext =
      last?.address === order.log.address && !moved.isAnyBetween(last.position, order.log.position);
    if (run && isNext) run.push(order);
    else runs.push([order]);
  }
  return runs;
}

/**
 * The sales that matched orders come to. Both sides report the same sale: where there are at least as many bids as asks
 * for some tokens, each bid is one, otherwise each ask. The sides are those between which the tokens were moved.
 */
export function matchedTrades(orders: readonly FulfilledOrder[], moved: MovedTokens): TradeRow[] {
  const asks = orders.filter(askOf);
  const bids = orders.filter((order) => !askOf(order) && bidOf(order));
  return linked(asks, bids).flatMap((side) =>
    side.bids.length >= side.asks.length
      ? side.bids.flatMap((bid) => bidTrade(bid, moved))
      : side.asks.flatMap((ask) => askTrade(ask, moved)),
  );
}

function askTrade(order: FulfilledOrder, moved: MovedTokens): TradeRow[] {
  const ask = askOf(order);
  const [first] = order.offer;
  if (!ask || !first) return [];
  const own = moved.of(first.token, first.identifier);
  const transfer = own.find(({ from }) => from === order.offerer);
  return transfer ? [tradeRow(order.log, { ...ask, seller: order.offerer, buyer: transfer.to })] : [];
}

function bidTrade(order: FulfilledOrder, moved: MovedTokens): TradeRow[] {
  const bid = bidOf(order);
  const first = order.consideration.find(isNft);
  if (!bid || !first) return [];
  const receivers = [first.recipient, order.offerer];
  const own = moved.of(first.token, first.identifier);
  const transfer = own.find(({ to }) => receivers.includes(to));
  return transfer ? [tradeRow(order.log, { ...bid, seller: transfer.from, buyer: order.offerer })] : [];
}

interface Sides {
  asks: FulfilledOrder[];
  bids: FulfilledOrder[];
}

/** Asks and bids that are of the same tokens, directly or by way of others. */
function linked(asks: readonly FulfilledOrder[], bids: readonly FulfilledOrder[]): Sides[] {
  const orders = [...asks, ...bids];
  const roots = orders.map((_, i) => i);
  const rootOf = (i: number): number => {
    let at = i;
    while (roots[at] !== at) {
      // Halves the way for the next time.
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
  const parts = new Map<number, Sides>();
  for (const [i, order] of orders.entries()) {
    const part = parts.get(rootOf(i)) ?? { asks: [], bids: [] };
    parts.set(rootOf(i), part);
    if (i < asks.length) part.asks.push(order);
    else part.bids.push(order);
  }
  return [...parts.values()];
}

function tokenKey({ token, identifier }: OfferedItem): string {
  return `${token} ${identifier}`;
}
