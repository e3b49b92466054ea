import type { JsonObject, JsonValue } from "@purse/protocol";
import type { DataField } from "./fields.ts";
import type { Condition, Filter, FilterOperator } from "./filters.ts";

const COMPARABLE_TYPES = new Set(["String", "Number", "Date"]);
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
