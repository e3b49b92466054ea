import type { FieldType } from "@purse/protocol";
import type { OperandType, SqlOperator, ValueExpression } from "../sql/dialect.ts";
import { BOOLEANS, classNameLiteral, NUMBERS, TEXTS } from "./valueExpressions.ts";

/** The types of operands that the columns of a field type are compared with. */
const OPERAND_TYPES: Readonly<Partial<Record<FieldType["type"], OperandType>>> = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Date: "date",
  Pointer: "pointer",
};

/**
 * Creates the expressions of a field with a typed column. They use the column where it has all that is needed, and
 * `document`, the expressions of the field in the JSON of the object, otherwise. The results are the same.
 */
export function typedColumnExpression(
  column: string,
  { type, targetClass }: FieldType,
  document: ValueExpression,
): ValueExpression {
  const own = OPERAND_TYPES[type];
  const parameter = own === "boolean" ? "?::text::boolean" : "?";
  const list = own === "boolean" ? BOOLEANS : own === "number" ? NUMBERS : TEXTS;
  // The column has the id of a pointer; all of them have the class that the schema declares.
  const isTarget = own === "pointer" ? `?::text = ${classNameLiteral(targetClass)} AND ` : "";
  // The column is also NULL if the field is null, so the document distinguishes that from a missing field.
  const isNull = own === "string" ? `${column} IS NULL` : `(${column} IS NULL AND ${document.isNull})`;
  return {
    ...document,
    isNull,
    exists: `(${column} IS NOT NULL OR ${document.exists})`,
    equals(operand) {
      if (operand === "null") return isNull;
      return operand === own ? `(${isTarget}${column} = ${parameter})` : document.equals(operand);
    },
    isIn: (operand) => (operand === own ? `(${isTarget}${column} = ANY(${list}))` : document.isIn(operand)),
    compares: (operator: SqlOperator, operand) =>
      operand === own ? `${column} ${operator} ${parameter}` : document.compares(operator, operand),
    matches: () => (own === "string" ? `${column} ~ ?` : document.matches()),
    between: () => (own === "string" ? `(${column} >= ? AND ${column} < ?)` : document.between()),
    pointsInto: (select) =>
      own === "pointer" ? `(${isTarget}${column} IN (${select}))` : document.pointsInto(select),
    idIn: (select) => (own === "pointer" ? `${column} IN (${select})` : document.idIn(select)),
  };
}
