import { createHash } from "node:crypto";
import type { ClassSchema, IndexDirection } from "../classSchema.ts";
import { orderKeysOf, typedColumnOf } from "../sql/columns.ts";
import type { Statement } from "../sql/statement.ts";
import { CHANGE_LOG_TABLES } from "./changeLogLayout.ts";
import { postgresDialect, textVector } from "./dialect.ts";
import { LEASES_TABLES } from "./leases.ts";
import { PREVIOUS_CHANGE_LOG_TABLES } from "./previousChangeLog.ts";
import { WRITE_SESSIONS_TABLE } from "./transactions.ts";
import { numberAt, quoteIdentifier } from "./values.ts";
import { WRITE_POSITIONS_TABLE } from "./writePositions.ts";

/** Its columns are those that rate-limiter-flexible expects. */
export const RATE_LIMITS_TABLE = "purse_rate_limits";

/**
 * Migrations of the internal tables. Each runs once. `purse_layout` contains the number of completed ones, and the number
 * that a version has to know to use the database.
 */
export const MIGRATIONS: readonly string[][] = [
  [
    `CREATE TABLE purse_classes (class_name text COLLATE "C" PRIMARY KEY, schema text NOT NULL)`,
    `CREATE TABLE purse_claims (
      scope text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL,
      expires_at bigint, PRIMARY KEY (scope, value))`,
    "CREATE INDEX purse_claims_owner ON purse_claims (scope, owner)",
    "CREATE INDEX purse_claims_expiry ON purse_claims (expires_at) WHERE expires_at IS NOT NULL",
    `CREATE TABLE purse_relations (
      class_name text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, owner_id text COLLATE "C" NOT NULL,
      related_id text COLLATE "C" NOT NULL, PRIMARY KEY (class_name, key, owner_id, related_id))`,
    "CREATE INDEX purse_relations_related ON purse_relations (class_name, key, related_id)",
    // Expression indexes require an immutable function.
    `CREATE FUNCTION purse_without_accents(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
     $$ SELECT regexp_replace(normalize(value, NFD), '[\u0300-\u036f]', '', 'g') $$`,
  ],
  [
    `CREATE TABLE purse_counts (
      scope text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, n integer NOT NULL, until bigint NOT NULL,
      PRIMARY KEY (scope, value))`,
  ],
  PREVIOUS_CHANGE_LOG_TABLES,
  [
    WRITE_SESSIONS_TABLE,
    ...LEASES_TABLES,
    `CREATE TABLE purse_requests (
      key text COLLATE "C" PRIMARY KEY, content text NOT NULL, owner text NOT NULL, running_until bigint NOT NULL,
      expires_at bigint NOT NULL, repeatable boolean NOT NULL, answer text)`,
    "CREATE INDEX purse_requests_expiry ON purse_requests (expires_at)",
  ],
  // Lost with a crash of the database, which is acceptable for windows of minutes, and much cheaper.
  [
    `CREATE UNLOGGED TABLE ${RATE_LIMITS_TABLE} (
      key text COLLATE "C" PRIMARY KEY, points integer NOT NULL, expire bigint NOT NULL) WITH (fillfactor = 50)`,
  ],
  ["CREATE SEQUENCE purse_notifications"],
  CHANGE_LOG_TABLES,
  [WRITE_POSITIONS_TABLE],
];

/**
 * Versions that know this number of migrations can use the database: later ones only add what they do not need. A
 * migration that removes or changes something sets it to its own number, one release after its code stopped using that.
 */
export const COMPATIBLE_MIGRATIONS = 6;

/**
 * Returns idempotent statements that create the table of a class. `doc` is the object in wire format; an ACL column is
 * NULL if everyone has the permission.
 */
export function tableStatements(schema: ClassSchema): string[] {
  const table = quoteIdentifier(schema.table);
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (
      seq bigserial PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, created_at text COLLATE "C" NOT NULL,
      updated_at text COLLATE "C" NOT NULL, read_acl text[], write_acl text[], secret text, doc jsonb NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${indexName(`${schema.table}/created`)} ON ${table} (created_at)`,
    `CREATE INDEX IF NOT EXISTS ${indexName(`${schema.table}/updated`)} ON ${table} (updated_at)`,
  ];
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
    .filter(([name]) => !(name in to.indexes))
    .flatMap(([name, keys]) => dropIndexStatements(from, name, keys));
}

/** Returns the statements that remove fields that a class no longer has. */
export function removalStatements(from: ClassSchema, to: ClassSchema): Statement[] {
  const statements: Statement[] = [];
  for (const [field, type] of Object.entries(from.fields)) {
    if (field in to.fields) continue;
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
