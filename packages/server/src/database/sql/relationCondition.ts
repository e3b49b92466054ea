import type { FieldCondition } from "@purse/protocol";
import { NEVER, type SqlFragment, type WhereContext } from "./sqlFragment.ts";

/** Relations are stored in a separate table, so the condition tests which objects own the members. */
export function compileRelation(key: string, condition: FieldCondition, context: WhereContext): SqlFragment {
  const { parameters, dialect, schema } = context;
  const owners = (members: string) =>
    `id IN (SELECT owner_id FROM purse_relations WHERE ${dialect.relationInterruptCheck}class_name = ? AND key = ? AND ${members})`;
  switch (condition.kind) {
    case "exists":
      return condition.exists ? { shape: "always", sql: () => "TRUE" } : NEVER;
    case "eq":
    case "ne":
    case "in":
    case "nin": {
      const operands = "operands" in condition ? condition.operands : [condition.operand];
      const ids = operands.flatMap((operand) => (operand.type === "pointer" ? [operand.value.objectId] : []));
      parameters.push(schema.className, key, JSON.stringify(ids));
      const negated = condition.kind === "ne" || condition.kind === "nin";
      return {
        shape: `${key} related ${negated}`,
        sql: () => `${negated ? "NOT " : ""}${owners(dialect.textIn("related_id"))}`,
      };
    }
    case "inQuery": {
      const found = context.subqueries?.get(condition.query);
      if (!found) return condition.negated ? { shape: "always", sql: () => "TRUE" } : NEVER;
      parameters.push(schema.className, key);
      const select = context.select(found, "id");
      return {
        shape: `${key} relatedIn ${condition.negated} ${select.shape}`,
        sql: () => `${condition.negated ? "NOT " : ""}${owners(`related_id IN (${select.sql()})`)}`,
      };
    }
    default:
      return NEVER;
  }
}
