import type { JsonValue } from "@purse/protocol";
import type { GroupRow, StoreGroup } from "../store.ts";

/** Rows as `Dialect.row` makes them: the keys, then the figures. A group of nothing has no row. */
export function groupRows(texts: string[], { keys, figures }: StoreGroup): GroupRow[] {
  return texts.flatMap((text) => {
    const values: JsonValue[] = JSON.parse(text);
    const numbers = values.slice(keys.length).map((value) => (value === null ? null : Number(value)));
    const count = figures.findIndex((each) => each.figure === "count");
    if (keys.length === 0 && count >= 0 && numbers[count] === 0) return [];
    return [{ keys: values.slice(0, keys.length), figures: numbers }];
  });
}
