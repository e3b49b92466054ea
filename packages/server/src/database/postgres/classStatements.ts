import { createHash } from "node:crypto";
import type { ClassSchema, IndexDirection } from "../classSchema.ts";
import { orderKeysOf, typedColumnOf } from "../sql/columns.ts";
import type { Statement } from "../sql/statement.ts";
import { postgresDialect, textVector } from "./dialect.ts";
import { numberAt, quoteIdentifier } from "./valueExpressions.ts";

/**
 * Returns idempotent statements that create the table of a class. `doc` is the object in wire format; an ACL column is
 * NULL if everyone has the permission. `seq` is the order of insertion. Only `id` is unique, so that the table can be
 * distributed by it. `typedColumns` are further columns of a new table.
 */
export function tableStatements(schema: ClassSchema, typedColumns: readonly string[]): string[] {
  const table = quoteIdentifier(schema.table);
  const columns = [
    `seq bigserial, id text COLLATE "C" PRIMARY KEY, created_at text COLLATE "C" NOT NULL,
      updated_at text COLLATE "C" NOT NULL, read_acl text[], write_acl text[], secret text, doc jsonb NOT NULL`,
    ...typedColumns,
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (${columns.join(", ")})`,
    `CREATE INDEX IF NOT EXISTS ${indexName(`${schema.table}/created`)} ON ${table} (created_at)`,
    `CREATE INDEX IF NOT EXISTS ${indexName(`${schema.table}/updated`)} ON ${table} (updated_at)`,
  ];
}

/**
 * Returns an idempotent statement that creates the index of the order of insertion in a new table. Tables that
 * were created by earlier versions have `seq` as their primary key, and `id` as a unique column.
 */
export function insertionOrderStatement({ table }: ClassSchema): string {
  return `CREATE INDEX IF NOT EXISTS ${indexName(`${table}/seq`)} ON ${quoteIdentifier(table)} (seq)`;
}

/** Returns idempotent statements that create the indexes that the table of a class lacks. */
export function indexStatements(schema: ClassSchema): string[] {
  const table = quoteIdentifier(schema.table);
  const statements: string[] = [];
  for (const [field, { type }] of Object.entries(schema.fields)) {
    if (type !== "GeoPoint") continue;
    // Distance queries filter by a range of latitudes.
    const name = indexName(`${schema.table}/place/${field}`);
    statements.push(`CREATE INDEX IF NOT EXISTS ${name} ON ${table} ((${numberAt([field, "latitude"])}))`);
  }
  for (const [name, keys] of Object.entries(schema.indexes)) {
    const columns: string[] = [];
    for (const [field, direction] of Object.entries(keys)) {
      const ownName = indexName(`${schema.table}/index/${name}/${field}`);
      if (direction === "text") {
        statements.push(
          `CREATE INDEX IF NOT EXISTS ${ownName} ON ${table} USING gin (${textVector(field, "english")})`,
        );
      } else if (schema.fields[field]?.type === "Array") {
        statements.push(
          `CREATE INDEX IF NOT EXISTS ${ownName} ON ${table} USING gin ((doc -> '${field}') jsonb_path_ops)`,
        );
      } else columns.push(...indexExpressions(field, direction === -1, schema));
    }
    if (columns.length === 0) continue;
    statements.push(
      `CREATE INDEX IF NOT EXISTS ${indexName(`${schema.table}/index/${name}`)} ON ${table} (${columns.join(", ")})`,
    );
  }
  return statements;
}

/**
 * Returns the statements that drop indexes on fields in the JSON of the objects that have a typed column by now; queries
 * only use an index on the column.
 */
export function outdatedIndexStatements(from: ClassSchema, to: ClassSchema): string[] {
  const hasNewColumn = (field: string) => {
    const path = field.split(".");
    return typedColumnOf(path, to, postgresDialect) !== typedColumnOf(path, from, postgresDialect);
  };
  return Object.entries(from.indexes)
    .filter(([, keys]) => Object.keys(keys).some(hasNewColumn))
    .flatMap(([name, keys]) => dropIndexStatements(from, name, keys));
}

function dropIndexStatements(
  { table }: ClassSchema,
  name: string,
  keys: Record<string, IndexDirection>,
): string[] {
  const names = [name, ...Object.keys(keys).map((field) => `${name}/${field}`)];
  return names.map((each) => `DROP INDEX IF EXISTS ${indexName(`${table}/index/${each}`)}`);
}

/** Returns the statements that drop indexes that a class no longer has. */
export function unusedIndexStatements(from: ClassSchema, to: ClassSchema): string[] {
  return Object.entries(from.indexes)
    .filter(([name]) => !Object.hasOwn(to.indexes, name))
    .flatMap(([name, keys]) => dropIndexStatements(from, name, keys));
}

/** Returns the statements that remove fields that a class no longer has. */
export function removalStatements(from: ClassSchema, to: ClassSchema): Statement[] {
  const statements: Statement[] = [];
  for (const [field, type] of Object.entries(from.fields)) {
    if (Object.hasOwn(to.fields, field)) continue;
    statements.push(
      type.type === "Relation"
        ? {
            sql: "DELETE FROM purse_relations WHERE class_name = ? AND key = ?",
            parameters: [from.className, field],
          }
        : {
            sql: `UPDATE ${quoteIdentifier(from.table)} SET doc = doc - ?::text WHERE jsonb_exists(doc, ?)`,
            parameters: [field, field],
          },
    );
  }
  return statements;
}

/** PostgreSQL truncates names at 63 bytes, so longer ones get a hash as suffix. */
function indexName(name: string): string {
  if (name.length <= 63) return postgresDialect.identifier(name);
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return postgresDialect.identifier(`${name.slice(0, 50)}~${hash}`);
}

/** Returns the expressions that filters and orders on a field use. */
function indexExpressions(field: string, descending: boolean, schema: ClassSchema): string[] {
  const path = field.split(".");
  const values =
    schema.fields[field]?.type === "GeoPoint"
      ? [numberAt([...path, "latitude"])]
      : orderKeysOf(path, schema, postgresDialect);
  return values.map((value) => `(${value})${postgresDialect.direction(descending)}`);
}
