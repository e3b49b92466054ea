import { setImmediate } from "node:timers/promises";

/** How long items are converted until other requests get their turn, in ms. */
const SLICE_MS = 5;

/** Converts items in order, without occupying the request loop for long. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  convert: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let end = performance.now() + SLICE_MS;
  for (const [index, item] of items.entries()) {
    if (performance.now() > end) {
      await setImmediate();
      end = performance.now() + SLICE_MS;
    }
    results.push(convert(item, index));
  }
  return results;
}
