import type { JsonObject, JsonValue } from "@purse/protocol";
import type { DataField } from "./fields.ts";

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

/** Operators of a column, the default first. */
export function operatorsOf({ type }: Pick<DataField, "type">): FilterOperator[] {
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

/** Converts filters to a Parse `where`. `targetOf` returns the target class of a field. */
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

/** Whether a filter uses only fields of its class; others get no live updates. */
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

/** Escapes text for a regular expression. */
export function escapeRegExp(value: JsonValue): string {
  return String(value).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

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
