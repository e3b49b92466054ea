import type { Principals } from "../../caller.ts";
import type { ClassSchema } from "../../schema/classSchema.ts";
import type { StoreQuery } from "../store.ts";
import { aclNeedle } from "./acl.ts";
import type { Dialect } from "./dialect.ts";
import { columnOf, type SqlParameter, shapeOf, whereSql } from "./where.ts";

export interface Statement {
  sql: string;
  parameters: SqlParameter[];
}

/** Makes statements from queries; the text is compiled once per shape and class version. */
export function createStatements(dialect: Dialect, maxShapes = 2_000) {
  /** Schemas are immutable: a changed one is a new object, whose shapes are compiled anew. */
  const texts = new WeakMap<ClassSchema, Map<string, string>>();

  function textFor(schema: ClassSchema, shape: string, compile: () => string): string {
    let shapes = texts.get(schema);
    if (!shapes || shapes.size >= maxShapes) {
      shapes = new Map();
      texts.set(schema, shapes);
    }
    const known = shapes.get(shape);
    if (known !== undefined) return known;
    const text = compile();
    shapes.set(shape, text);
    return text;
  }

  function find(query: StoreQuery): Statement {
    const { schema, where, order, principals } = query;
    const parameters: SqlParameter[] = [];
    const shape = shapeOf(where, parameters);
    const access = accessShape(principals, parameters);
    const orderShape = order.map((part) => `${part.descending ? "-" : ""}${part.path.join(".")}`).join();
    const sql = textFor(schema, `find\n${shape}\n${access}\n${orderShape}`, () => {
      const source = dialect.identifier(schema.table);
      return `SELECT doc FROM ${source} WHERE ${whereSql(where, schema, dialect)}${accessSql(principals, "read_acl", dialect)} ORDER BY ${orderSql(query, dialect)} LIMIT ? OFFSET ?`;
    });
    parameters.push(query.limit, query.skip);
    return { sql, parameters };
  }

  function count(query: StoreQuery): Statement {
    const { schema, where, principals } = query;
    const parameters: SqlParameter[] = [];
    const shape = shapeOf(where, parameters);
    const access = accessShape(principals, parameters);
    const sql = textFor(schema, `count\n${shape}\n${access}`, () => {
      const source = dialect.identifier(schema.table);
      return `SELECT count(*) AS n FROM ${source} WHERE ${whereSql(where, schema, dialect)}${accessSql(principals, "read_acl", dialect)}`;
    });
    return { sql, parameters };
  }

  function get(schema: ClassSchema, id: string, principals: Principals): Statement {
    const parameters: SqlParameter[] = [id];
    const access = accessShape(principals, parameters);
    const sql = textFor(schema, `get\n${access}`, () => {
      return `SELECT doc FROM ${dialect.identifier(schema.table)} WHERE id = ?${accessSql(principals, "read_acl", dialect)}`;
    });
    return { sql, parameters };
  }

  return { find, count, get };

  /** Ties are broken by the order of insertion, in the direction of the last key, so that an index serves both. */
  function orderSql(query: StoreQuery, dialect: Dialect): string {
    const parts = query.order.map(({ path, descending }) => {
      const typed = path.length === 1 ? query.schema.fields[path[0]]?.type : undefined;
      const value = columnOf(path) ?? dialect.value("doc", typed === "Date" ? [...path, "iso"] : path);
      return `${value}${descending ? " DESC" : ""}`;
    });
    const last = query.order.at(-1);
    return [...parts, last?.descending ? "seq DESC" : "seq"].join(", ");
  }
}

export type Statements = ReturnType<typeof createStatements>;

/** Up to this many principals are tested one by one, more by one list. */
const UNROLLED = 3;

function accessShape(principals: Principals, parameters: SqlParameter[]): string {
  if (principals === null) return "all";
  if (principals.length <= UNROLLED) {
    for (const principal of principals) parameters.push(aclNeedle(principal));
    return String(principals.length);
  }
  parameters.push(JSON.stringify(principals.map(aclNeedle)));
  return "many";
}

function accessSql(principals: Principals, column: string, dialect: Dialect): string {
  if (principals === null) return "";
  const tests = [`${column} IS NULL`];
  if (principals.length <= UNROLLED) for (const _ of principals) tests.push(dialect.aclHolds(column));
  else tests.push(dialect.aclHoldsAny(column));
  return ` AND (${tests.join(" OR ")})`;
}
