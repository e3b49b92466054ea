import type { JsonValue } from "@purse/protocol";

export type FilterOperator =
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

/** A condition on a field, or on a field of a pointer's target. */
export interface Condition {
  field: string;
  /** Field of the class that `field` points to. */
  of?: string;
  operator: FilterOperator;
  /** Value of the field's type; undefined for `there` and `missing`. */
  value?: JsonValue;
}

/** A condition, or several joined by "or". Filters are joined by "and". */
export type Filter = Condition | { any: Condition[] };

const OPERATORS: ReadonlySet<string> = new Set([
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
] satisfies FilterOperator[]);

/** Parses filters of the URL; invalid ones are omitted. */
export function parseFilters(value: unknown): Filter[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const filters = value.filter(isFilter);
  return filters.length > 0 ? filters : undefined;
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== "object" || value === null) return false;
  const { any }: { any?: unknown } = value;
  return Array.isArray(any) ? any.length > 1 && any.every(isCondition) : isCondition(value);
}

function isCondition(value: unknown): value is Condition {
  if (typeof value !== "object" || value === null) return false;
  const { field, of, operator }: { field?: unknown; of?: unknown; operator?: unknown } = value;
  if (typeof field !== "string" || typeof operator !== "string" || !OPERATORS.has(operator)) return false;
  return of === undefined || typeof of === "string";
}
