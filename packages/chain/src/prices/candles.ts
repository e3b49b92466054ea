/** A trade at a time. */
export interface Trade {
  /** Seconds since the epoch. */
  time: number;
  price: number;
  volume: number;
}

/** Prices of an interval. */
export interface Candle {
  /** Start of the interval, in seconds since the epoch. */
  start: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  trades: number;
}

const DAY = 86_400;
const LENGTHS: Readonly<Record<string, number>> = {
  "1min": 60,
  "5min": 300,
  "10min": 600,
  "30min": 1_800,
  "1h": 3_600,
  "4h": 14_400,
  "12h": 43_200,
  "1d": DAY,
};
/** The epoch was a Thursday; weeks begin on Monday. */
const FIRST_MONDAY = 4 * DAY;

/** The start of the interval that contains a time; both in seconds since the epoch. */
export function startOfInterval(time: number, timeframe: string): number {
  if (timeframe === "1M") {
    const date = new Date(time * 1000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
  }
  if (timeframe === "1w") return time - ((((time - FIRST_MONDAY) % (7 * DAY)) + 7 * DAY) % (7 * DAY));
  const length = LENGTHS[timeframe] ?? DAY;
  return Math.floor(time / length) * length;
}

/** Combines trades in ascending order to the candles of the intervals that have any, latest first. */
export function candlesOf(trades: readonly Trade[], timeframe: string): Candle[] {
  const candles = new Map<number, Candle>();
  for (const { time, price, volume } of trades) {
    const start = startOfInterval(time, timeframe);
    const candle = candles.get(start);
    if (!candle) {
      candles.set(start, { start, open: price, high: price, low: price, close: price, volume, trades: 1 });
      continue;
    }
    candle.high = Math.max(candle.high, price);
    candle.low = Math.min(candle.low, price);
    candle.close = price;
    candle.volume += volume;
    candle.trades++;
  }
  return [...candles.values()].sort((a, b) => b.start - a.start);
}
