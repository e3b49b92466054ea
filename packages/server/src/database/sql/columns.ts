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

/**
 * Returns the SQL of the value of a field if it has a typed column. The SQL on the column of a pointer contains the name
 * of its class, which is that of the first value that a client saved and may be any text; such fields are read from the
 * document.
 */
export function typedColumnOf(
  path: readonly string[],
  { fields, columns }: ClassSchema,
  dialect: Dialect,
): string | undefined {
  const [name = ""] = path;
  if (path.length !== 1 || !columns || !Object.hasOwn(columns, name)) return undefined;
  const [field, column] = [fields[name], columns[name]];
  if (!field || column?.type !== field.type) return undefined;
  if (field.type === "Pointer" && !isPlainName(field.targetClass ?? "")) return undefined;
  const value = dialect.identifier(column.name);
  if (!column.isPartial) return value;
  return `coalesce(${[value, ...dialect.orderKeys(path, field.type)].join(", ")})`;
}

/** Whether a name can be part of SQL as it is. */
export function isPlainName(name: string): boolean {
  return /^\w+$/.test(name);
}

/** Returns the SQL of the keys by which a field is sorted and indexed. */
export function orderKeysOf(path: readonly string[], schema: ClassSchema, dialect: Dialect): string[] {
  const column = columnOf(path);
  if (column !== undefined) return [column];
  const typedColumn = typedColumnOf(path, schema, dialect);
  if (typedColumn !== undefined) return [typedColumn];
  const [field = ""] = path;
  return dialect.orderKeys(path, path.length === 1 ? schema.fields[field]?.type : undefined);
}
