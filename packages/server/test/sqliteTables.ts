/* Classes in an SQLite database in memory, on which statements run within this process. */
import type { Condition, JsonObject, SubQuery } from "@purse/protocol";
import type { ClassSchema } from "../src/database/classSchema.ts";
import { createStatements, type Statement, type Statements } from "../src/database/sql/statement.ts";
import { aclColumns } from "../src/database/sqlite/aclColumns.ts";
import { classStatements } from "../src/database/sqlite/classStatements.ts";
import { openDatabase } from "../src/database/sqlite/connection.ts";
import { sqliteDialect } from "../src/database/sqlite/dialect.ts";
import { registerExpensiveFunctions } from "../src/database/sqlite/expensiveFunctions.ts";
import { migrate } from "../src/database/sqlite/migrations.ts";
import type { StoreQuery } from "../src/database/store.ts";

export interface SqliteTables {
  statements: Statements;
  /** Stores objects in the table of a class, which is created if necessary. */
  insert(schema: ClassSchema, objects: readonly JsonObject[]): void;
  /** Deletes all objects and members of relations of a class. */
  clear(schema: ClassSchema): void;
  /** Adds an object to the relation `key` of another one. */
  relate(schema: ClassSchema, key: string, ownerId: string, relatedId: string): void;
  /** Returns the first column of each row. */
  run(statement: Statement): (string | number)[];
  /** Returns the IDs of the objects that a query finds, in its order. */
  findIds(query: StoreQuery): string[];
}

export function openSqliteTables(): SqliteTables {
  const database = openDatabase(":memory:", { readonly: false });
  registerExpensiveFunctions(database, () => undefined);
  migrate(database);
  const statements = createStatements(sqliteDialect);
  const run = ({ sql, parameters }: Statement) =>
    database
      .prepare<(string | number)[], string | number>(sql)
      .pluck()
      .all(...parameters);
  return {
    statements,
    run,
    insert(schema, objects) {
      for (const statement of classStatements(schema)) database.exec(statement);
      const insert = database.prepare(
        `INSERT INTO ${sqliteDialect.identifier(schema.table)} (id, created_at, updated_at, read_acl, write_acl, doc)
         VALUES (?, ?, ?, ?, ?, ?)`,
      );
      for (const object of objects) {
        const { readAcl, writeAcl } = aclColumns(object);
        const { objectId, createdAt, updatedAt } = object;
        insert.run(objectId, createdAt, updatedAt, readAcl, writeAcl, JSON.stringify(object));
      }
    },
    clear(schema) {
      database.exec(`DELETE FROM ${sqliteDialect.identifier(schema.table)}`);
    },
    relate(schema, key, ownerId, relatedId) {
      database
        .prepare("INSERT INTO purse_relations (class_name, key, owner_id, related_id) VALUES (?, ?, ?, ?)")
        .run(schema.className, key, ownerId, relatedId);
    },
    findIds(query) {
      return run(statements.find(query)).map((text) => {
        const object: JsonObject = JSON.parse(String(text));
        return String(object.objectId);
      });
    },
  };
}

/** A query for the matching objects of a class, without limit and for the master key. */
export function queryOn(
  schema: ClassSchema,
  where: Condition,
  others: Partial<Omit<StoreQuery, "schema" | "where">> = {},
): StoreQuery {
  return { schema, where, order: [], limit: undefined, skip: 0, subjects: null, ...others };
}

/** The sub-queries of a where, at any depth. */
export function subQueriesOf(where: Condition): SubQuery[] {
  if ("conditions" in where) return where.conditions.flatMap(subQueriesOf);
  if (where.kind !== "inQuery" && where.kind !== "select") return [];
  return [where.query, ...subQueriesOf(where.query.where)];
}
