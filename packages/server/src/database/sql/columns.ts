import type { OperandType } from "./dialect.ts";

const COLUMNS: Readonly<Record<string, string>> = {
  objectId: "id",
  createdAt: "created_at",
  updatedAt: "updated_at",
};

/** Returns the column of a field that is not stored in the document. */
export function columnOf(path: readonly string[]): string | undefined {
  const [field = ""] = path;
  return path.length === 1 && Object.hasOwn(COLUMNS, field) ? COLUMNS[field] : undefined;
}

/** Whether values of a column of `columnOf` can equal operands of a type: texts, and dates except for ids. */
export function columnTakes(column: string, type: OperandType): boolean {
  return type === "string" || (type === "date" && column !== COLUMNS.objectId);
}
