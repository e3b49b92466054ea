import type { JsonObject, JsonValue } from "@purse/protocol";
import type { Column } from "./columns.ts";

export type Operator =
  | "is"
  | "isNot"
  | "less"
  | "most"
  | "more"
  | "least"
  | "contains"
  | "begins"
  | "there"
  | "missing";

/** One condition; a row fulfils all of them. */
export interface Filter {
  field: string;
  operator: Operator;
  /** Of the field's type; none for `there` and `missing`. */
  value?: JsonValue;
}

const COMPARED = new Set(["String", "Number", "Date"]);
const KNOWN: ReadonlySet<string> = new Set([
  "is",
  "isNot",
  "less",
  "most",
  "more",
  "least",
  "contains",
  "begins",
  "there",
  "missing",
] satisfies Operator[]);

/** What can be asked of a column, the usual one first. */
export function operatorsOf({ type }: Pick<Column, "type">): Operator[] {
  const same: Operator[] =
    COMPARED.has(type) || type === "Boolean" || type === "Pointer" ? ["is", "isNot"] : [];
  const sizes: Operator[] = COMPARED.has(type) ? ["less", "most", "more", "least"] : [];
  const texts: Operator[] = type === "String" ? ["contains", "begins"] : [];
  return [...same, ...texts, ...sizes, "there", "missing"];
}

export function needsValue(operator: Operator): boolean {
  return operator !== "there" && operator !== "missing";
}

/** As the Parse protocol asks. */
export function whereOf(filters: readonly Filter[]): JsonObject | undefined {
  const all = filters.map((filter): JsonObject => ({ [filter.field]: conditionOf(filter) }));
  return all.length > 1 ? { $and: all } : all[0];
}

function conditionOf({ operator, value = null }: Filter): JsonValue {
  switch (operator) {
    case "is":
      return value;
    case "isNot":
      return { $ne: value };
    case "less":
      return { $lt: value };
    case "most":
      return { $lte: value };
    case "more":
      return { $gt: value };
    case "least":
      return { $gte: value };
    case "contains":
      return { $regex: literal(value), $options: "i" };
    case "begins":
      return { $regex: `^${literal(value)}` };
    case "there":
      return { $exists: true };
    case "missing":
      return { $exists: false };
  }
}

function literal(value: JsonValue): string {
  return String(value).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Of the address; what is no filter is left out. */
export function filtersIn(value: unknown): Filter[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const filters = value.filter(isFilter);
  return filters.length > 0 ? filters : undefined;
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== "object" || value === null) return false;
  const { field, operator }: { field?: unknown; operator?: unknown } = value;
  return typeof field === "string" && typeof operator === "string" && KNOWN.has(operator);
}
