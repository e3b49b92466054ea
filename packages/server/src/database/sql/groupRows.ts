import type { JsonValue } from "@purse/protocol";
import type { GroupRow, StoreGroup } from "../store.ts";

/** Parses rows of `Dialect.row`: the keys, then the aggregates. A group without objects has no row. */
export function groupRows(texts: readonly string[], { keys, aggregates }: StoreGroup): GroupRow[] {
  return texts.flatMap((text) => {
    const values: JsonValue[] = JSON.parse(text);
    const numbers = values.slice(keys.length).map((value) => (value === null ? null : Number(value)));
    const count = aggregates.findIndex((each) => each.fn === "count");
    if (keys.length === 0 && count >= 0 && numbers[count] === 0) return [];
    return [{ keys: values.slice(0, keys.length), aggregates: numbers }];
  });
}
