import { ErrorCode } from "@purse/client";
import { isNotFound, isUnavailable, type Point } from "@purse/ui";
import { lastBlockAt } from "../../query/lastBlock.ts";
import { getDateToBlock, getTokenPrice } from "./dataApi.ts";

interface Options {
  signal?: AbortSignal;
}

export const RANGES = { day: 1, week: 7, month: 30, year: 365, all: 36_500 } as const;
export type RangeName = keyof typeof RANGES;

export function rangeOf(text: string | undefined): RangeName {
  return text !== undefined && isRange(text) ? text : "month";
}

function isRange(text: string): text is RangeName {
  return Object.hasOwn(RANGES, text);
}

const SAMPLE_COUNT = 16;

/**
 * Samples a value at several times up to the latest block. A value stays until a later block changes it, so that a range has
 * its whole length also if nothing happened in most of it. Times without a value are skipped; without archive nodes only the
 * latest remains. Rejects if a request fails.
 */
export async function readHistory(
  { chain, range }: { chain: string; range: RangeName },
  valueAt: (block: number) => Promise<number | undefined>,
  options?: Options,
): Promise<Point[]> {
  const find = (date: Date) => getDateToBlock({ chain, date: date.toISOString() }, options);
  const [oldest, newest] = await Promise.all([find(new Date(0)), find(new Date())]);
  const from = Math.max(oldest.timestamp, newest.timestamp - RANGES[range] * 86_400);
  const points: Point[] = [];
  const values = new Map<number, Promise<number | undefined>>();
  const valueOnce = (block: number) => {
    const known = values.get(block) ?? valueAt(block);
    values.set(block, known);
    return known;
  };
  const times = Array.from({ length: SAMPLE_COUNT }, (_, i) =>
    Math.floor(from + ((newest.timestamp - from) * i) / (SAMPLE_COUNT - 1)),
  );
  const sampleNext = async () => {
    for (let next = times.shift(); next !== undefined; next = times.shift()) {
      const block = await lastBlockAt(next, find);
      if (block === undefined) continue;
      const value = await valueOnce(block).catch((error: unknown) => {
        if (options?.signal?.aborted || !hasNoValue(error)) throw error;
        return undefined;
      });
      if (value !== undefined) points.push({ at: next * 1000, value });
    }
  };
  // Limits the number of concurrent requests.
  await Promise.all([sampleNext(), sampleNext(), sampleNext(), sampleNext()]);
  const byTime = new Map(points.map((point) => [point.at, point]));
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}

/** Timeout of a price history, in ms. */
export const HISTORY_TIMEOUT_MS = 60_000;

/** Whether there was no value at the time, or no archive node: results rather than failures. */
function hasNoValue(error: unknown): boolean {
  return isNotFound(error) || isUnavailable(error) || Object(error).code === ErrorCode.VALIDATION_ERROR;
}

/** Reads the price history of a token in the native coin. */
export function readPriceHistory(
  { chain, address, range }: { chain: string; address: string; range: RangeName },
  options?: Options,
): Promise<Point[]> {
  return readHistory(
    { chain, range },
    async (block) => {
      const { nativePrice } = await getTokenPrice({ chain, address, to_block: block }, options);
      return Number(nativePrice.value) / 10 ** nativePrice.decimals;
    },
    options,
  );
}
