import { TimeSlicer } from "../core/limits/timeSlicer.ts";

/** Shorter lists are resolved at once. */
const MIN_SLICED_ITEMS = 20;

/** A list whose items graphql-js resolves in slices of time: those of an operation may have 100,000 fields. */
export function slicedList<Item>(items: readonly Item[]): readonly Item[] | AsyncIterable<Item> {
  return items.length < MIN_SLICED_ITEMS ? items : inSlices(items);
}

async function* inSlices<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  const slices = new TimeSlicer();
  for (const item of items) {
    if (slices.isExpired) await slices.pause();
    yield item;
  }
}
