import {
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type Expression,
  type OperationNode,
  OperatorNode,
  ParensNode,
  type QueryCompiler,
  ReferenceNode,
  type SqlBool,
  sql,
} from "kysely";
import { compileQuery } from "../indexQuery.ts";
import type { ListTable } from "../tables.ts";
import { EVENT_LAYOUTS } from "./eventTables.ts";

/**
 * Returns the name of the copy of a table from which the rows with a condition are read in the order of their positions:
 * the columns before the position are those that the condition compares with one value each. A copy that lacks a column of
 * the condition is not used. Returns the table itself, which is in the order of positions, if no copy begins with a column
 * that is compared.
 */
export function findOrder(compiler: QueryCompiler, table: ListTable, condition: Expression<SqlBool>): string {
  const { columns, orders } = EVENT_LAYOUTS[table];
  const { text } = compileQuery(compiler, sql`${condition}`);
  const words = new Set(text.match(/\w+/g));
  const used = Object.keys(columns).filter((column) => words.has(column));
  const compared = new Set(comparedColumns(condition.toOperationNode()));
  let best: FoundOrder = { name: table, compared: 0, isComplete: false };
  for (const [order, { columns: copied, by }] of Object.entries(orders)) {
    if (!used.every((column) => copied.includes(column))) continue;
    const keys = by.slice(0, by.indexOf("position"));
    const missing = keys.findIndex((column) => !compared.has(column));
    const found: FoundOrder = {
      name: `${table}_${order}`,
      compared: missing < 0 ? keys.length : missing,
      isComplete: missing < 0,
    };
    const isBetter = found.isComplete === best.isComplete ? found.compared > best.compared : found.isComplete;
    if (isBetter && found.compared > 0) best = found;
  }
  return best.name;
}

interface FoundOrder {
  name: string;
  /** Columns before the position that the condition compares, and whether it compares all of them. */
  compared: number;
  isComplete: boolean;
}

/** The columns that all rows with a condition have one of a few values of. */
function comparedColumns(node: OperationNode): string[] {
  if (ParensNode.is(node)) return comparedColumns(node.node);
  if (AndNode.is(node)) return [...comparedColumns(node.left), ...comparedColumns(node.right)];
  if (!BinaryOperationNode.is(node) || !OperatorNode.is(node.operator)) return [];
  const { leftOperand: left, operator } = node;
  if (operator.operator !== "=" && operator.operator !== "in") return [];
  return ReferenceNode.is(left) && ColumnNode.is(left.column) ? [left.column.column.name] : [];
}
