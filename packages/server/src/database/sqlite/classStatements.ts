import type { ClassSchema } from "../classSchema.ts";
import type { Statement } from "../sql/statement.ts";
import { jsonPath, sqliteDialect, textIndexName, valueAt } from "./dialect.ts";

/**
 * Returns idempotent statements that create the table and indexes of a class or add what is missing. `doc` is the
 * object in wire format; an ACL column is NULL if everyone has the permission.
 */
export function classStatements(schema: ClassSchema): string[] {
  const quoteIdentifier = (name: string) => sqliteDialect.identifier(name);
  const table = quoteIdentifier(schema.table);
  const statements = [
    `CREATE TABLE IF NOT EXISTS ${table} (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
      read_acl TEXT, write_acl TEXT, secret TEXT, doc TEXT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${quoteIdentifier(`${schema.table}/created`)} ON ${table} (created_at)`,
    `CREATE INDEX IF NOT EXISTS ${quoteIdentifier(`${schema.table}/updated`)} ON ${table} (updated_at)`,
  ];
  for (const [field, { type }] of Object.entries(schema.fields)) {
    if (type !== "GeoPoint") continue;
    // Distance queries filter by a range of latitudes.
    statements.push(
      `CREATE INDEX IF NOT EXISTS ${quoteIdentifier(`${schema.table}/place/${field}`)} ON ${table} (${sqliteDialect.number([field, "latitude"])})`,
    );
  }
  for (const [name, keys] of Object.entries(schema.indexes)) {
    const columns: string[] = [];
    for (const [field, direction] of Object.entries(keys)) {
      if (direction === "text") statements.push(...textIndexStatements(schema, field));
      else
        columns.push(
          ...indexExpressions(field, schema).map((value) => (direction === -1 ? `${value} DESC` : value)),
        );
    }
    if (columns.length === 0) continue;
    statements.push(
      `CREATE INDEX IF NOT EXISTS ${quoteIdentifier(`${schema.table}/index/${name}`)} ON ${table} (${columns.join(", ")})`,
    );
  }
  return statements;
}

/** Returns the statements that drop fields and indexes that a class no longer has. */
export function removalStatements(from: ClassSchema, to: ClassSchema): Statement[] {
  const quoteIdentifier = sqliteDialect.identifier;
  const table = quoteIdentifier(from.table);
  const statements: Statement[] = [];
  for (const [name, keys] of Object.entries(from.indexes)) {
    if (Object.hasOwn(to.indexes, name)) continue;
    statements.push({
      sql: `DROP INDEX IF EXISTS ${quoteIdentifier(`${from.table}/index/${name}`)}`,
      parameters: [],
    });
    for (const [field, direction] of Object.entries(keys)) {
      if (direction === "text") statements.push(...dropTextIndex(from, field));
    }
  }
  for (const [field, type] of Object.entries(from.fields)) {
    if (Object.hasOwn(to.fields, field)) continue;
    if (type.type === "Relation") {
      const sql = "DELETE FROM purse_relations WHERE class_name = ? AND key = ?";
      statements.push({ sql, parameters: [from.className, field] });
    } else {
      const path = jsonPath([field]);
      const sql = `UPDATE ${table} SET doc = json_remove(doc, ${path}) WHERE json_type(doc, ${path}) IS NOT NULL`;
      statements.push({ sql, parameters: [] });
    }
  }
  return statements;
}

/** Returns the statements that drop all text indexes of a class. */
export function dropTextIndexes(schema: ClassSchema): Statement[] {
  return Object.values(schema.indexes).flatMap((keys) =>
    Object.entries(keys).flatMap(([field, direction]) =>
      direction === "text" ? dropTextIndex(schema, field) : [],
    ),
  );
}

function dropTextIndex(schema: ClassSchema, field: string): Statement[] {
  const name = textIndexName(schema, field);
  const triggers = ["insert", "delete", "update"].map(
    (event) => `DROP TRIGGER IF EXISTS ${sqliteDialect.identifier(`${name}/${event}`)}`,
  );
  const statements = [...triggers, `DROP TABLE IF EXISTS ${sqliteDialect.identifier(name)}`];
  return statements.map((sql) => ({ sql, parameters: [] }));
}

/** Returns the expressions that filters and orders on a field use. */
function indexExpressions(field: string, schema: ClassSchema): string[] {
  const path = field.split(".");
  switch (schema.fields[field]?.type) {
    case "GeoPoint":
      return [sqliteDialect.number([...path, "latitude"])];
    default:
      return sqliteDialect.orderKeys(path, schema.fields[field]?.type);
  }
}

/** Returns the statements that create a contentless full-text index of a field, maintained by triggers. */
function textIndexStatements(schema: ClassSchema, field: string): string[] {
  const quoteIdentifier = sqliteDialect.identifier;
  const table = quoteIdentifier(schema.table);
  const name = textIndexName(schema, field);
  const index = quoteIdentifier(name);
  const isText = (row: string) => `json_type(${row}.doc, ${jsonPath([field])}) = 'text'`;
  const add = `INSERT INTO ${index} (rowid, value) SELECT new.seq, ${valueAt([field], "new.doc")} WHERE ${isText("new")};`;
  const drop = `DELETE FROM ${index} WHERE rowid = old.seq;`;
  const changed = `${valueAt([field], "old.doc")} IS NOT ${valueAt([field], "new.doc")}`;
  const trigger = (event: string) =>
    `CREATE TRIGGER IF NOT EXISTS ${quoteIdentifier(`${name}/${event}`)} AFTER`;
  return [
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${index} USING fts5(value, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`,
    `INSERT INTO ${index} (rowid, value) SELECT seq, ${valueAt([field])} FROM ${table}
     WHERE json_type(doc, ${jsonPath([field])}) = 'text' AND NOT EXISTS (SELECT 1 FROM ${index})`,
    `${trigger("insert")} INSERT ON ${table} BEGIN ${add} END`,
    `${trigger("delete")} DELETE ON ${table} BEGIN ${drop} END`,
    `${trigger("update")} UPDATE OF doc ON ${table} WHEN ${changed} BEGIN ${drop} ${add} END`,
  ];
}
