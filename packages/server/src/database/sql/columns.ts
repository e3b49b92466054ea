import type { ClassSchema } from "../classSchema.ts";
import type { Dialect, OperandType } from "./dialect.ts";

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

/** Returns the name of the typed column of a field, if it has one. */
export function typedColumnOf(path: readonly string[], { fields, columns }: ClassSchema): string | undefined {
  const [field = ""] = path;
  if (path.length !== 1 || !columns || !Object.hasOwn(columns, field)) return undefined;
  const column = columns[field];
  return column && column.type === fields[field]?.type ? column.name : undefined;
}

/** Returns the SQL of the keys by which a field is sorted and indexed. */
export function orderKeysOf(path: readonly string[], schema: ClassSchema, dialect: Dialect): string[] {
  const column = columnOf(path);
  if (column !== undefined) return [column];
  const typedColumn = typedColumnOf(path, schema);
  if (typedColumn !== undefined) return [dialect.identifier(typedColumn)];
  const [field = ""] = path;
  return dialect.orderKeys(path, path.length === 1 ? schema.fields[field]?.type : undefined);
}
