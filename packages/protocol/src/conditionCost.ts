import type { Condition, FieldCondition } from "./condition.ts";

/** Cost of a regular expression or a text search: higher than that of all other conditions together. */
export const PATTERN_COST = 1_000_000;

/** A pattern that only matches a literal prefix, as the SDKs write it, costs as much as a comparison. */
const PREFIX = /^\^\\Q[^\\]*\\E$/;

/**
 * Estimates the cost of testing one value against a condition, in units of one comparison of simple values. Conditions
 * are tested in ascending order of cost, and expensive queries are scheduled separately.
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

/** Sorts conditions by ascending cost; equally expensive ones keep their order. */
export function sortByCost(conditions: readonly Condition[]): readonly Condition[] {
  if (conditions.length < 2) return conditions;
  const costs = new Map(conditions.map((condition) => [condition, conditionCost(condition)]));
  return conditions.toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0));
}
