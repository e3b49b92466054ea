import { createHash } from "node:crypto";
import type { FieldType } from "@purse/protocol";
import type { ClassSchema, TypedColumn } from "../classSchema.ts";
import type { Sql } from "./session.ts";
import { booleanAt, numberAt, quoteIdentifier, textAt } from "./values.ts";

/*
 * Fields of scalar types are also stored in generated columns, so that filters, orders and aggregates need not take
 * the JSON of each object apart. PostgreSQL computes them from the object: processes of an older version, which do not
 * know the columns, can write objects. Columns of deleted fields remain, since other processes may still use them; a
 * field of the same name and type gets its column back.
 */

/** Maximum number of typed columns of a table; each costs a few microseconds per statement that inserts objects. */
const MAX_COLUMNS = 32;
/** Adding a column rewrites the table, during which it is locked: tables above this size only get them on request. */
const MAX_REWRITTEN_BYTES = 8 * 1024 * 1024;
/** Maximum wait for the lock of a table, in ms. Requests queue behind it meanwhile. */
const LOCK_TIMEOUT_MS = 100;

/** The SQL type of a field's column and how it is computed; undefined for types that have no columns. */
function definitionOf(field: string, { type }: FieldType): { sqlType: string; value: string } | undefined {
  switch (type) {
    case "String":
      return { sqlType: TEXT, value: textAt([field]) };
    case "Number":
      return { sqlType: "float8", value: numberAt([field]) };
    case "Boolean":
      return { sqlType: "boolean", value: booleanAt([field]) };
    case "Date":
      return { sqlType: TEXT, value: textAt([field, "iso"]) };
    case "Pointer":
      return { sqlType: TEXT, value: textAt([field, "objectId"]) };
    default:
      return undefined;
  }
}

const TEXT = 'text COLLATE "C"';

/** The names of columns contain the type, since a deleted field may be added again with another type. */
function columnName(field: string, { type }: FieldType): string {
  const name = `${field}:${type}`;
  if (name.length <= 63) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${field.slice(0, 40)}~${hash}:${type}`;
}

/**
 * Adds the columns that the fields of a class lack if its table is small and not in use for long, or in any case if
 * `rewritesLargeTable`. Returns the schema with the columns that exist now.
 */
export async function addTypedColumns(
  sql: Sql,
  schema: ClassSchema,
  { rewritesLargeTable }: { rewritesLargeTable: boolean },
): Promise<ClassSchema> {
  const existing = await existingColumns(sql, schema);
  const additions = missingColumns(schema, existing);
  if (additions.length > 0 && (rewritesLargeTable || (await isSmall(sql, schema)))) {
    const table = quoteIdentifier(schema.table);
    const alter = `ALTER TABLE ${table} ${additions.map(({ sql: text }) => text).join(", ")}`;
    await sql.run(rewritesLargeTable ? alter : ifUnlocked(alter), []);
    for (const name of await existingColumns(sql, schema)) existing.add(name);
  }
  return withColumns(schema, existing);
}

function missingColumns(schema: ClassSchema, existing: ReadonlySet<string>): { name: string; sql: string }[] {
  const indexedFields = new Set(Object.values(schema.indexes).flatMap((keys) => Object.keys(keys)));
  const fields = Object.entries(schema.fields).sort(
    ([a], [b]) => Number(indexedFields.has(b)) - Number(indexedFields.has(a)),
  );
  return fields
    .flatMap(([field, type]) => {
      const definition = definitionOf(field, type);
      const name = columnName(field, type);
      if (!definition || existing.has(name)) return [];
      const { sqlType, value } = definition;
      const text = `ADD COLUMN ${quoteIdentifier(name)} ${sqlType} GENERATED ALWAYS AS (${value}) STORED`;
      return [{ name, sql: text }];
    })
    .slice(0, Math.max(0, MAX_COLUMNS - existing.size));
}

function withColumns(schema: ClassSchema, existing: ReadonlySet<string>): ClassSchema {
  const columns: Record<string, TypedColumn> = {};
  for (const [field, type] of Object.entries(schema.fields)) {
    const name = columnName(field, type);
    if (existing.has(name)) columns[field] = { name, type: type.type };
  }
  return { ...schema, columns };
}

async function existingColumns(sql: Sql, { table }: ClassSchema): Promise<Set<string>> {
  const found = await sql.run(
    `SELECT attname FROM pg_attribute
     WHERE attrelid = to_regclass(?) AND attgenerated = 's' AND NOT attisdropped`,
    [quoteIdentifier(table)],
  );
  return new Set(found.map(([name]) => String(name)));
}

async function isSmall(sql: Sql, { table }: ClassSchema): Promise<boolean> {
  const [row] = await sql.run("SELECT pg_table_size(to_regclass(?))", [quoteIdentifier(table)]);
  return Number(row?.[0] ?? 0) <= MAX_REWRITTEN_BYTES;
}

/** Skips the statement if the table is in use: the columns are only an optimization, and can be added later. */
function ifUnlocked(statement: string): string {
  return `DO $columns$ DECLARE timeout text := current_setting('lock_timeout'); BEGIN
    PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true);
    ${statement};
    PERFORM set_config('lock_timeout', timeout, true);
  EXCEPTION WHEN lock_not_available THEN NULL; END $columns$`;
}
