import type { FetchedRange, IndexScope } from "./scope.ts";

/** Ranges that are fetched while earlier ones are used. */
const PREFETCHED_RANGES = 3;

/**
 * Fetches blocks, both ends included, in ranges; ends early at one that is missing or incomplete. `prepare` is called for
 * each range when it arrives, which may be before earlier ones are used.
 */
export async function* fetchRanges(
  scope: IndexScope,
  from: number,
  last: number,
  prepare?: (range: FetchedRange) => void,
): AsyncGenerator<FetchedRange, void, undefined> {
  const prefetched: { to: number; range: Promise<FetchedRange | undefined> }[] = [];
  let next = from;
  try {
    for (;;) {
      while (prefetched.length < PREFETCHED_RANGES && next <= last) {
        const to = Math.min(last, next + scope.blockRange - 1);
        const range = scope.fetch(next, to).then((fetched) => {
          if (fetched) prepare?.(fetched);
          return fetched;
        });
        // Errors are handled where the range is awaited; until then they must not count as unhandled.
        range.catch(() => undefined);
        prefetched.push({ to, range });
        next = to + 1;
      }
      const first = prefetched.shift();
      const range = await first?.range;
      if (!first || !range) return;
      yield range;
      // Prefetched ranges do not continue a range that ended early.
      if (range.last.number < first.to) return;
    }
  } finally {
    await Promise.allSettled(prefetched.map(({ range }) => range));
  }
}
