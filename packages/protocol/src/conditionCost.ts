import type { Condition, FieldCondition } from "./where.ts";

/** What a regular expression, or a text search, counts for: more than everything else together. */
export const PATTERN_COST = 1_000_000;

/** Begins with a plain text, as the SDKs write it: a comparison. */
const PREFIX = /^\^\\Q[^\\]*\\E$/;

/**
 * What it costs to test an object, for each value that is looked at, in comparisons of two simple values. Conditions
 * are tested in the order of their costs, and expensive ones where they hold nobody up.
 */
export function conditionCost(where: Condition): number {
  if ("conditions" in where) return where.conditions.reduce((sum, each) => sum + conditionCost(each), 1);
  return where.kind === "relatedTo" ? 10 : fieldCost(where);
}

function fieldCost(condition: FieldCondition): number {
  switch (condition.kind) {
    case "exists":
      return 1;
    case "in":
    case "nin":
    case "all":
    case "containedBy":
      return condition.operands.reduce((sum, { type }) => sum + (type === "json" ? 20 : 1), 1);
    case "regex":
      return condition.flags === "" && PREFIX.test(condition.source) ? 1 : PATTERN_COST;
    case "allRegex":
      return PATTERN_COST * Math.max(1, condition.patterns.length);
    case "text":
      return PATTERN_COST;
    case "inQuery":
    case "select":
      return 100;
    case "near":
      return 10;
    case "geoWithin":
      return condition.area.type === "polygon" ? 10 + condition.area.points.length : 10;
    case "geoIntersects":
      return 50;
    default:
      return condition.operand.type === "json" ? 20 : 1;
  }
}

/** Cheap ones first, else in the order in which they were given. */
export function inOrderOfCost(conditions: readonly Condition[]): readonly Condition[] {
  if (conditions.length < 2) return conditions;
  const costs = new Map(conditions.map((condition) => [condition, conditionCost(condition)]));
  return conditions.toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0));
}
