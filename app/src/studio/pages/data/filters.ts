import type { JsonObject, JsonValue } from "@purse/protocol";
import type { Column } from "./columns.ts";

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

/** One condition on a field, or on a field of the row that a pointer leads to. */
export interface Condition {
  field: string;
  /** Of the class that `field` points to. */
  of?: string;
  operator: FilterOperator;
  /** Of the field's type; none for `there` and `missing`. */
  value?: JsonValue;
}

/** A condition, or some of which a row fulfils one at least; a row fulfils all filters. */
export type Filter = Condition | { any: Condition[] };

const COMPARABLE_TYPES = new Set(["String", "Number", "Date"]);
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

/** What can be asked of a column, the usual one first. */
export function operatorsOf({ type }: Pick<Column, "type">): FilterOperator[] {
  const equality: FilterOperator[] =
    COMPARABLE_TYPES.has(type) || type === "Boolean" || type === "Pointer" ? ["is", "isNot"] : [];
  const comparison: FilterOperator[] = COMPARABLE_TYPES.has(type) ? ["less", "most", "more", "least"] : [];
  const textual: FilterOperator[] = type === "String" ? ["contains", "begins"] : [];
  return [...equality, ...textual, ...comparison, "there", "missing"];
}

export function needsValue(operator: FilterOperator): boolean {
  return operator !== "there" && operator !== "missing";
}

export function conditionsOf(filter: Filter): Condition[] {
  return "any" in filter ? filter.any : [filter];
}

/** As the Parse protocol asks. `targetOf` answers the class that a field points to. */
export function toWhere(
  filters: readonly Filter[],
  targetOf: (field: string) => string | undefined = () => undefined,
): JsonObject | undefined {
  const toCondition = (condition: Condition): JsonObject => {
    const { field, of } = condition;
    if (of === undefined) return { [field]: toConstraint(condition) };
    const className = targetOf(field) ?? "";
    return { [field]: { $inQuery: { className, where: { [of]: toConstraint(condition) } } } };
  };
  const all = filters.map((filter): JsonObject => {
    const conditions = conditionsOf(filter).map(toCondition);
    return conditions.length === 1 ? (conditions[0] ?? {}) : { $or: conditions };
  });
  return all.length > 1 ? { $and: all } : all[0];
}

/** Whether a filter asks the class alone: others are not told live. */
export function usesOnlyOwnFields(filter: Filter): boolean {
  return conditionsOf(filter).every(({ of }) => of === undefined);
}

function toConstraint({ operator, value = null }: Condition): JsonValue {
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
      return { $regex: escapeRegExp(value), $options: "i" };
    case "begins":
      return { $regex: `^${escapeRegExp(value)}` };
    case "there":
      return { $exists: true };
    case "missing":
      return { $exists: false };
  }
}

/** A text as the part of a pattern that matches it alone. */
export function escapeRegExp(value: JsonValue): string {
  return String(value).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Of the address; what is no filter is left out. */
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
