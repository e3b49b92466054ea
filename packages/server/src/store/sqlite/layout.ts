import type Database from "better-sqlite3";
import type { ClassSchema } from "../../schema/classSchema.ts";
import type { Statement } from "../sql/statement.ts";
import { jsonPath, sqliteDialect, textIndexName, valueAt } from "./dialect.ts";

/** The tables that are not classes. Versioned by `user_version`; each step runs once. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE purse_classes (class_name TEXT PRIMARY KEY, schema TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE purse_claims (
    scope TEXT NOT NULL, value TEXT NOT NULL, owner TEXT NOT NULL, expires_at INTEGER,
    PRIMARY KEY (scope, value)
  ) WITHOUT ROWID;
  CREATE INDEX purse_claims_owner ON purse_claims (scope, owner);
  CREATE INDEX purse_claims_expiry ON purse_claims (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE purse_relations (
    class_name TEXT NOT NULL, key TEXT NOT NULL, owner_id TEXT NOT NULL, related_id TEXT NOT NULL,
    PRIMARY KEY (class_name, key, owner_id, related_id)
  ) WITHOUT ROWID;
  CREATE INDEX purse_relations_related ON purse_relations (class_name, key, related_id);
  `,
  `
  CREATE TABLE purse_counts (
    scope TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, until INTEGER NOT NULL,
    PRIMARY KEY (scope, value)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE purse_requests (
    key TEXT PRIMARY KEY, content TEXT NOT NULL, owner TEXT NOT NULL, running_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, repeatable INTEGER NOT NULL, answer TEXT
  ) WITHOUT ROWID;
  CREATE INDEX purse_requests_expiry ON purse_requests (expires_at);
  `,
];

/** The layout that this version knows. */
export const LAYOUT_VERSION = MIGRATIONS.length;

export function migrate(database: Database.Database): void {
  const version = Number(database.pragma("user_version", { simple: true }));
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The database was written by a newer Purse (layout ${version}, this one knows ${MIGRATIONS.length})`,
    );
  }
  database.transaction(() => {
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.pragma(`user_version = ${MIGRATIONS.length}`);
  })();
}

/**
 * The statements that bring a class's table and indexes up to its schema; all may run again.
 * `doc` is the object as it travels; an ACL column is NULL where everyone has the permission.
 */
export function classStatements(schema: ClassSchema): string[] {
  const quoted = (name: string) => sqliteDialect.identifier(name);
  const table = quoted(schema.table);
  const statements = [
    `CREATE TABLE IF NOT EXISTS ${table} (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
      read_acl TEXT, write_acl TEXT, secret TEXT, doc TEXT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${quoted(`${schema.table}/created`)} ON ${table} (created_at)`,
    `CREATE INDEX IF NOT EXISTS ${quoted(`${schema.table}/updated`)} ON ${table} (updated_at)`,
  ];
  for (const [field, { type }] of Object.entries(schema.fields)) {
    if (type !== "GeoPoint") continue;
    // What is near is looked for between two latitudes.
    statements.push(
      `CREATE INDEX IF NOT EXISTS ${quoted(`${schema.table}/place/${field}`)} ON ${table} (${sqliteDialect.number([field, "latitude"])})`,
    );
  }
  for (const [name, keys] of Object.entries(schema.indexes)) {
    const columns: string[] = [];
    for (const [field, direction] of Object.entries(keys)) {
      if (direction === "text") statements.push(...textIndexStatements(schema, field));
      else
        columns.push(
          ...indexedValues(field, schema).map((value) => (direction === -1 ? `${value} DESC` : value)),
        );
    }
    if (columns.length === 0) continue;
    statements.push(
      `CREATE INDEX IF NOT EXISTS ${quoted(`${schema.table}/index/${name}`)} ON ${table} (${columns.join(", ")})`,
    );
  }
  return statements;
}

/** The statements that take away what a class has had and shall not have any more. */
export function removalStatements(from: ClassSchema, to: ClassSchema): Statement[] {
  const quoted = sqliteDialect.identifier;
  const table = quoted(from.table);
  const statements: Statement[] = [];
  for (const [name, keys] of Object.entries(from.indexes)) {
    if (name in to.indexes) continue;
    statements.push({ sql: `DROP INDEX IF EXISTS ${quoted(`${from.table}/index/${name}`)}`, parameters: [] });
    for (const [field, direction] of Object.entries(keys)) {
      if (direction === "text") statements.push(...dropTextIndex(from, field));
    }
  }
  for (const [field, type] of Object.entries(from.fields)) {
    if (field in to.fields) continue;
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

/** The statements that take away all text indexes of a class. */
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

/** What conditions and orders on a field speak of. */
function indexedValues(field: string, schema: ClassSchema): string[] {
  const path = field.split(".");
  switch (schema.fields[field]?.type) {
    case "GeoPoint":
      return [sqliteDialect.number([...path, "latitude"])];
    default:
      return sqliteDialect.orderKeys(path, schema.fields[field]?.type);
  }
}

/** A full-text index of a field, kept by triggers; it holds no text itself. */
function textIndexStatements(schema: ClassSchema, field: string): string[] {
  const quoted = sqliteDialect.identifier;
  const table = quoted(schema.table);
  const name = textIndexName(schema, field);
  const index = quoted(name);
  const isText = (row: string) => `json_type(${row}.doc, ${jsonPath([field])}) = 'text'`;
  const add = `INSERT INTO ${index} (rowid, value) SELECT new.seq, ${valueAt([field], "new.doc")} WHERE ${isText("new")};`;
  const drop = `DELETE FROM ${index} WHERE rowid = old.seq;`;
  const changed = `${valueAt([field], "old.doc")} IS NOT ${valueAt([field], "new.doc")}`;
  const trigger = (event: string) => `CREATE TRIGGER IF NOT EXISTS ${quoted(`${name}/${event}`)} AFTER`;
  return [
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${index} USING fts5(value, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`,
    `INSERT INTO ${index} (rowid, value) SELECT seq, ${valueAt([field])} FROM ${table}
     WHERE json_type(doc, ${jsonPath([field])}) = 'text' AND NOT EXISTS (SELECT 1 FROM ${index})`,
    `${trigger("insert")} INSERT ON ${table} BEGIN ${add} END`,
    `${trigger("delete")} DELETE ON ${table} BEGIN ${drop} END`,
    `${trigger("update")} UPDATE OF doc ON ${table} WHEN ${changed} BEGIN ${drop} ${add} END`,
  ];
}
