import type { Operand } from "@purse/protocol";
import type { OperandType, SqlParameter, ValueExpression } from "./dialect.ts";
import { joinBalanced } from "./joinBalanced.ts";

/** Whether the databases have a fast way to find the operand in a value that may be an array. */
export function isContainable(operand: Operand): operand is Extract<Operand, { type: "string" | "number" }> {
  return operand.type === "string" || operand.type === "number";
}

/** Whether the operand is an array, which is compared as a whole. */
export function isArrayOperand(operand: Operand): boolean {
  return operand.type === "json" && Array.isArray(operand.value);
}

/** Returns the parameters of `ValueExpression.equals` and `compares`. */
export function operandParameters(operand: Operand): SqlParameter[] {
  switch (operand.type) {
    case "null":
      return [];
    case "pointer":
      return [operand.value.className, operand.value.objectId];
    case "json":
      return [JSON.stringify(operand.value)];
    case "boolean":
      return [String(operand.value)];
    default:
      return [operand.value];
  }
}

/** Tests whether a value equals an operand of one of the groups of `groupOperands`. */
export function anyOf(groups: OperandType[], expression: ValueExpression): string {
  if (groups.length === 0) return "FALSE";
  const tests = groups.map((type) => (type === "null" ? expression.isNull : expression.isIn(type)));
  return joinBalanced(tests, " OR ");
}

/**
 * Combines operands of the same type into one JSON array parameter; pointers are separated by class. Returns the types.
 */
export function groupOperands(operands: Operand[], parameters: SqlParameter[]): OperandType[] {
  const groups = new Map<string, { type: OperandType; className?: string; values: unknown[] }>();
  for (const operand of operands) {
    const className = operand.type === "pointer" ? operand.value.className : undefined;
    const key = className === undefined ? operand.type : `${operand.type}:${className}`;
    const value =
      operand.type === "null" ? null : operand.type === "pointer" ? operand.value.objectId : operand.value;
    const text = operand.type === "boolean" ? String(value) : value;
    const group = groups.get(key);
    if (group) group.values.push(text);
    else
      groups.set(key, { type: operand.type, values: [text], ...(className !== undefined && { className }) });
  }
  const sorted = [...groups.values()].sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  for (const { type, className, values } of sorted) {
    if (type === "null") continue;
    if (className !== undefined) parameters.push(className);
    parameters.push(JSON.stringify(values));
  }
  return sorted.map(({ type }) => type);
}
