import { editableText, type Filter, type FilterOperator, parseValue } from "@purse/ui";
import type { Column } from "./columns.ts";

type FilteredColumn = Pick<Column, "name" | "type" | "targetClass">;

/** Operators that can precede a number or a date, the longest first. */
const PREFIXES: readonly [string, FilterOperator][] = [
  [">=", "least"],
  ["<=", "most"],
  [">", "more"],
  ["<", "less"],
  ["=", "is"],
];
const QUICK_TYPES = new Set(["String", "Number", "Boolean", "Date", "Pointer"]);

/** Whether the head of a column has a quick filter. */
export function hasQuickFilter({ type }: Pick<Column, "type">): boolean {
  return QUICK_TYPES.has(type);
}

/**
 * Parses the text of a quick filter: a part of a text, a value, or a number or date after `>`, `<`, `>=` or `<=`; dates
 * without one are the earliest. Returns undefined if it is empty.
 */
export function parseQuickFilter(
  text: string,
  column: FilteredColumn,
): { filter: Filter | undefined } | { problem: string } {
  const trimmed = text.trim();
  const { name: field, type } = column;
  if (trimmed === "") return { filter: undefined };
  if (type === "String" && field !== "objectId") {
    return { filter: { field, operator: "contains", value: trimmed } };
  }
  const isOrdered = type === "Number" || type === "Date";
  const prefix = isOrdered ? PREFIXES.find(([sign]) => trimmed.startsWith(sign)) : undefined;
  const operator = prefix?.[1] ?? (type === "Date" ? "least" : "is");
  const parsed = parseValue(trimmed.slice(prefix?.[0].length ?? 0), column);
  if (parsed.problem !== undefined) return parsed;
  return { filter: { field, operator, value: parsed.value } };
}

/** The text of the quick filter of a column, empty if there is none. */
export function quickFilterText(filters: readonly Filter[], column: FilteredColumn): string {
  const filter = filters.find((each) => isQuickFilter(each, column));
  if (!filter || "any" in filter) return "";
  const sign = PREFIXES.find(([, operator]) => operator === filter.operator)?.[0] ?? "";
  // Only dates are compared with `>=` if there is no sign.
  const isImplied = filter.operator === "is" && column.type !== "Date";
  return `${isImplied ? "" : sign}${editableText(filter.value, column)}`;
}

/**
 * The filters with another quick filter of a column, which replaces the one whose text is shown; further conditions on
 * the column stay.
 */
export function withQuickFilter(
  filters: readonly Filter[],
  column: FilteredColumn,
  filter: Filter | undefined,
): Filter[] {
  const shown = filters.findIndex((each) => isQuickFilter(each, column));
  const next = filter ? [filter] : [];
  return shown === -1 ? [...filters, ...next] : filters.toSpliced(shown, 1, ...next);
}

function isQuickFilter(filter: Filter, { name, type }: FilteredColumn): boolean {
  if ("any" in filter || filter.field !== name || filter.of !== undefined || filter.value === undefined)
    return false;
  if (type === "String") return filter.operator === (name === "objectId" ? "is" : "contains");
  return PREFIXES.some(([, operator]) => operator === filter.operator);
}
