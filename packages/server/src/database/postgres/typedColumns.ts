import { createHash } from "node:crypto";
import type { FieldType } from "@purse/protocol";
import type { ClassSchema, TypedColumn } from "../classSchema.ts";
import type { Sql } from "./session.ts";
import { SHORT_LOCK_TIMEOUT_MS } from "./shortLocks.ts";
import { booleanAt, numberAt, quoteIdentifier, uncollatedTextAt } from "./valueExpressions.ts";

/*
 * Fields of scalar types are also stored in generated columns, so that filters, orders and aggregates do not have to
 * parse the JSON of each object. PostgreSQL computes them from the object: processes of an older version, which do not
 * know the columns, can write objects. Columns of deleted fields remain, since other processes may still use them; a
 * field of the same name and type gets its column back.
 */

/** Maximum number of typed columns of a table; each costs about ten microseconds per statement that inserts objects. */
const MAX_COLUMNS = 20;
/** Maximum length of the strings of fields without an index in columns, in bytes. */
const MAX_STRING_BYTES = 256;
/** Adding a column rewrites the table, during which it is locked: larger tables only get them on request. */
const MAX_REWRITTEN_BYTES = 8 * 1024 * 1024;
/** The same when an index is added, which requires the master key and locks the table against writes in any case. */
const MAX_INDEXED_BYTES = 32 * 1024 * 1024;

/** A column that a field can have. */
interface Definition {
  column: TypedColumn;
  sqlType: string;
  /** How PostgreSQL computes it from the object. */
  value: string;
}

/**
 * Returns the columns that a field of a class can have, best first. Long strings would take their space twice, so the
 * column of a string is partial unless the field is indexed: indexes do not take long strings in any case.
 */
function definitionsOf(field: string, { type }: FieldType, isIndexed: boolean): Definition[] {
  const define = (sqlType: string, value: string): Definition => ({
    column: { name: columnName(field, type), type },
    sqlType,
    value,
  });
  switch (type) {
    case "String": {
      const text = uncollatedTextAt([field]);
      const partial: Definition = {
        column: { name: columnName(field, `${type}${MAX_STRING_BYTES}`), type, isPartial: true },
        sqlType: TEXT,
        value: `CASE WHEN octet_length(${text}) <= ${MAX_STRING_BYTES} THEN ${text} END`,
      };
      return isIndexed ? [define(TEXT, text), partial] : [partial];
    }
    case "Number":
      return [define("float8", numberAt([field]))];
    case "Boolean":
      return [define("boolean", booleanAt([field]))];
    case "Date":
      return [define(TEXT, uncollatedTextAt([field, "iso"]))];
    case "Pointer":
      return [define(TEXT, uncollatedTextAt([field, "objectId"]))];
    default:
      return [];
  }
}

const TEXT = 'text COLLATE "C"';

/** The names of columns contain the type, since a deleted field may be added again with another type. */
function columnName(field: string, type: string): string {
  const name = `${field}:${type}`;
  if (name.length <= 63) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${field.slice(0, 40)}~${hash}:${type}`;
}

export interface TypedColumnsOptions {
  /**
   * Whether to add columns regardless of the size of the table and whether it is in use, and to drop those that the
   * stored schema no longer uses.
   */
  rewritesLargeTable: boolean;
  /** Whether the change of the class adds an index. */
  addsIndex: boolean;
}

/**
 * Adds the columns that the fields of a class lack if its table is small and not in use for long. Returns the schema with
 * the columns that exist now.
 */
export async function addTypedColumns(
  sql: Sql,
  schema: ClassSchema,
  { rewritesLargeTable, addsIndex }: TypedColumnsOptions,
): Promise<ClassSchema> {
  const existing = await existingColumns(sql, schema);
  const unused = rewritesLargeTable ? unusedColumns(schema, existing) : [];
  for (const name of unused) existing.delete(name);
  const changes = [
    ...unused.map((name) => `DROP COLUMN ${quoteIdentifier(name)}`),
    ...missingColumns(schema, existing).map((definition) => `ADD COLUMN ${columnSql(definition)}`),
  ];
  if (changes.length === 0) return withColumns(schema, existing);
  const maxBytes = addsIndex ? MAX_INDEXED_BYTES : MAX_REWRITTEN_BYTES;
  if (!rewritesLargeTable && (await tableBytes(sql, schema)) > maxBytes) return withColumns(schema, existing);
  const alter = `ALTER TABLE ${quoteIdentifier(schema.table)} ${changes.join(", ")}`;
  await sql.run(rewritesLargeTable ? alter : ifUnlocked(alter), []);
  return withColumns(schema, await existingColumns(sql, schema));
}

/** Returns the columns for the fields of a new class, as in CREATE TABLE: adding them later would write its indexes twice. */
export function newTypedColumns(schema: ClassSchema): string[] {
  return missingColumns(schema, new Set()).map(columnSql);
}

function columnSql({ column, sqlType, value }: Definition): string {
  return `${quoteIdentifier(column.name)} ${sqlType} GENERATED ALWAYS AS (${value}) STORED`;
}

/** Other processes have known the stored schema for a while, so none of them uses the columns that it lacks. */
function unusedColumns(schema: ClassSchema, existing: ReadonlySet<string>): string[] {
  const columns = [schema, withColumns(schema, existing)].flatMap((each) =>
    Object.values(each.columns ?? {}),
  );
  const used = new Set(columns.map(({ name }) => name));
  return [...existing].filter((name) => !used.has(name));
}

function missingColumns(schema: ClassSchema, existing: ReadonlySet<string>): Definition[] {
  const indexed = indexedFields(schema);
  const fields = Object.entries(schema.fields).sort(
    ([a], [b]) => Number(indexed.has(b)) - Number(indexed.has(a)),
  );
  return fields
    .flatMap(([field, type]) => {
      const [best] = definitionsOf(field, type, indexed.has(field));
      return best && !existing.has(best.column.name) && !hasFullColumn(field, type, existing) ? [best] : [];
    })
    .slice(0, Math.max(0, MAX_COLUMNS - existing.size));
}

/** Fields whose values are in an index, other than for text search. */
export function indexedFields({ indexes }: ClassSchema): Set<string> {
  const keys = Object.values(indexes).flatMap((index) => Object.entries(index));
  return new Set(keys.flatMap(([field, direction]) => (direction === "text" ? [] : [field])));
}

function hasFullColumn(field: string, type: FieldType, existing: ReadonlySet<string>): boolean {
  const [full] = definitionsOf(field, type, true);
  return full !== undefined && existing.has(full.column.name);
}

function withColumns(schema: ClassSchema, existing: ReadonlySet<string>): ClassSchema {
  const columns: Record<string, TypedColumn> = {};
  for (const [field, type] of Object.entries(schema.fields)) {
    const best = definitionsOf(field, type, true).find(({ column }) => existing.has(column.name));
    if (best) columns[field] = best.column;
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

async function tableBytes(sql: Sql, { table }: ClassSchema): Promise<number> {
  const [row] = await sql.run("SELECT pg_table_size(to_regclass(?))", [quoteIdentifier(table)]);
  return Number(row?.[0] ?? 0);
}

/** Skips the statement if the table is in use: the columns are only an optimization, and can be added later. */
function ifUnlocked(statement: string): string {
  return `DO $columns$ DECLARE timeout text := current_setting('lock_timeout'); BEGIN
    PERFORM set_config('lock_timeout', '${SHORT_LOCK_TIMEOUT_MS}', true);
    ${statement};
    PERFORM set_config('lock_timeout', timeout, true);
  EXCEPTION WHEN lock_not_available THEN NULL; END $columns$`;
}
