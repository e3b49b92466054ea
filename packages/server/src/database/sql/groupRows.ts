import type { JsonValue } from "@purse/protocol";
import type { GroupRow, StoreGroup } from "../store.ts";

/** Parses rows of `Dialect.row`: the keys, which of them are missing if the group marks that, then the aggregates. A group without objects has no row. */
export function groupRows(
  texts: readonly string[],
  { keys, aggregates, marksMissing }: StoreGroup,
): GroupRow[] {
  const marks = marksMissing ? keys.length : 0;
  return texts.flatMap((text): GroupRow[] => {
    const values: JsonValue[] = JSON.parse(text);
    const numbers = values.slice(keys.length + marks).map((value) => (value === null ? null : Number(value)));
    const count = aggregates.findIndex((each) => each.fn === "count");
    if (keys.length === 0 && count >= 0 && numbers[count] === 0) return [];
    const row = { keys: values.slice(0, keys.length), aggregates: numbers };
    // SQLite has booleans as numbers.
    const missing = values
      .slice(keys.length, keys.length + marks)
      .map((value) => value === true || value === 1);
    return [marksMissing ? { ...row, missing } : row];
  });
}
