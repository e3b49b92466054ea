import { ErrorCode, MAX_ARRAY_TESTS, ProtocolError } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import type { Principals } from "../principals.ts";
import type { StoreGroup, StoreQuery } from "../store.ts";
import { columnOf } from "./columns.ts";
import type { Compiled, WhereContext } from "./compiled.ts";
import type { Dialect, SqlParameter } from "./dialect.ts";
import { compileOrder, compileWhere, textIn } from "./where.ts";

export interface Statement {
  sql: string;
  parameters: SqlParameter[];
}

/** Shapes that are longer than this are compiled each time they come: nobody asks them often. */
const MAX_KEPT_SHAPE = 4_000;
/** Characters of the shapes and texts that are kept of all classes together. */
const MAX_KEPT_CHARACTERS = 20_000_000;

/** Makes statements from queries; the text is compiled once per shape and class version. */
export function createStatements(dialect: Dialect, maxShapes = 2_000) {
  /** Schemas are immutable: a changed one is a new object, whose shapes are compiled anew. */
  let texts = new WeakMap<ClassSchema, Map<string, string>>();
  let keptCharacters = 0;
  const numbers = new WeakMap<ClassSchema, number>();
  let schemasSeen = 0;
  /** By the parameters of a statement, which its nested queries share. */
  const arrayTests = new WeakMap<SqlParameter[], number>();

  function textFor(schema: ClassSchema, shape: string, compile: () => string): string {
    let shapes = texts.get(schema);
    if (!shapes || shapes.size >= maxShapes) {
      shapes = new Map();
      texts.set(schema, shapes);
    }
    const known = shapes.get(shape);
    if (known !== undefined) return known;
    const text = compile();
    if (shape.length > MAX_KEPT_SHAPE) return text;
    keptCharacters += shape.length + text.length;
    // Clients choose the shapes, and there may be many classes: all are dropped at once and compiled again when needed.
    if (keptCharacters > MAX_KEPT_CHARACTERS) {
      texts = new WeakMap();
      keptCharacters = 0;
    } else shapes.set(shape, text);
    return text;
  }

  function find(query: StoreQuery): Statement {
    const parameters: SqlParameter[] = dialect.pageParameters(Number.MAX_SAFE_INTEGER);
    const search = query.score ? textIn(query.where) : undefined;
    if (search) parameters.push(dialect.textQuery(search.search));
    const rows = rowsOf(query, parameters);
    const sql = textFor(query.schema, `find ${search ? "scored" : ""}\n${rows.shape}`, () =>
      dialect.page(
        search
          ? dialect.documentWithScore(dialect.textScore(query.schema, search.path[0], search.search))
          : dialect.document,
        dialect.identifier(query.schema.table),
        rows.sql(),
      ),
    );
    return { sql, parameters };
  }

  function count(query: StoreQuery): Statement {
    const parameters: SqlParameter[] = [];
    const { schema, principals } = query;
    const where = compileWhere(query.where, contextOf(query, parameters));
    const access = compileAccess(principals, parameters, dialect);
    const sql = textFor(
      schema,
      `count\n${where.shape}\n${access.shape}`,
      () =>
        `SELECT count(*) AS n FROM ${dialect.identifier(schema.table)} WHERE ${dialect.checkpoint}${where.sql()}${access.sql()}`,
    );
    return { sql, parameters };
  }

  function get(schema: ClassSchema, id: string, principals: Principals): Statement {
    const parameters: SqlParameter[] = [id];
    const access = compileAccess(principals, parameters, dialect);
    const sql = textFor(
      schema,
      `get\n${access.shape}`,
      () =>
        `SELECT ${dialect.document} FROM ${dialect.identifier(schema.table)} WHERE ${dialect.checkpoint}id = ?${access.sql()}`,
    );
    return { sql, parameters };
  }

  function distinct(query: StoreQuery, path: readonly string[]): Statement {
    const parameters: SqlParameter[] = [];
    const column = columnOf(path);
    const value = column ? dialect.quote(column) : dialect.json(path);
    const rows = selectRows(query, parameters, () => `DISTINCT ${value}`);
    return { sql: `${rows.sql()} AND ${value} IS NOT NULL`, parameters };
  }

  function group(query: StoreQuery, { keys, figures }: StoreGroup): Statement {
    const parameters: SqlParameter[] = [];
    const groups = keys.map((path) => groupKey(path, query.schema));
    const json = groups.map((key) => key.json);
    const numbers = figures.map((each) =>
      each.figure === "count" ? "count(*)" : `${each.figure}(${dialect.number(each.path)})`,
    );
    const shape = `group ${json.join()} ${numbers.join()}`;
    const rows = selectRows(query, parameters, () => dialect.row(json, numbers));
    const sql = textFor(query.schema, `${shape}\n${rows.shape}`, () =>
      groups.length === 0
        ? rows.sql()
        : `${rows.sql()} GROUP BY ${groups.map((key) => key.value).join(", ")}`,
    );
    return { sql, parameters };
  }

  /** What objects are put together by, and how it is told: as an index holds it where the schema says what it is. */
  function groupKey(path: [string, ...string[]], schema: ClassSchema): { value: string; json: string } {
    const column = columnOf(path);
    if (column) return { value: column, json: dialect.quote(column) };
    const type = path.length === 1 ? schema.fields[path[0]]?.type : undefined;
    const [value] = dialect.orderKeys(path, type);
    if ((type === "String" || type === "Number") && value !== undefined) {
      return { value, json: dialect.quote(value) };
    }
    // What is missing and what is null are one group.
    const json = `coalesce(${dialect.json(path)}, 'null')`;
    return { value: json, json };
  }

  return { find, count, get, distinct, group };

  function contextOf(query: StoreQuery, parameters: SqlParameter[]): WhereContext {
    return {
      schema: query.schema,
      dialect,
      parameters,
      useArrayTests(count) {
        const used = (arrayTests.get(parameters) ?? 0) + count;
        arrayTests.set(parameters, used);
        if (used <= MAX_ARRAY_TESTS) return;
        throw new ProtocolError(
          ErrorCode.INVALID_QUERY,
          `a where can hold ${MAX_ARRAY_TESTS} conditions on the items of arrays at most`,
        );
      },
      subqueries: query.subqueries,
      select: (inner, column) => {
        const rows = selectRows(inner, parameters, () => column);
        return { shape: `${numberOf(inner.schema)} ${column} ${rows.shape}`, sql: rows.sql };
      },
    };
  }

  /** A select of the rows of a query, in their order and within its limits where it has any. */
  function selectRows(query: StoreQuery, parameters: SqlParameter[], what: () => string): Compiled {
    const rows = rowsOf(query, parameters);
    const table = dialect.identifier(query.schema.table);
    return { shape: rows.shape, sql: () => `SELECT ${what()} FROM ${table} ${rows.sql()}` };
  }

  /** What follows the table in a select of the rows of a query. */
  function rowsOf(query: StoreQuery, parameters: SqlParameter[]): Compiled {
    const { limit, skip } = query;
    const context = contextOf(query, parameters);
    const where = compileWhere(query.where, context);
    const access = compileAccess(query.principals, parameters, dialect);
    const bounded = limit !== undefined || skip > 0;
    const order = bounded ? compileOrder(query, context) : undefined;
    if (bounded) parameters.push(limit ?? Number.MAX_SAFE_INTEGER, skip);
    return {
      shape: `${where.shape}\n${access.shape}\n${order?.shape ?? "unordered"}`,
      sql() {
        const rows = `WHERE ${dialect.checkpoint}${where.sql()}${access.sql()}`;
        return order ? `${rows} ORDER BY ${order.sql()} LIMIT ? OFFSET ?` : rows;
      },
    };
  }

  function numberOf(schema: ClassSchema): number {
    const known = numbers.get(schema);
    if (known !== undefined) return known;
    schemasSeen += 1;
    numbers.set(schema, schemasSeen);
    return schemasSeen;
  }
}

export type Statements = ReturnType<typeof createStatements>;

/** Up to this many principals are tested one by one, more by one list. */
const UNROLLED = 3;

function compileAccess(principals: Principals, parameters: SqlParameter[], dialect: Dialect): Compiled {
  if (principals === null) return { shape: "all", sql: () => "" };
  const column = "read_acl";
  if (principals.length <= UNROLLED) {
    for (const name of principals) parameters.push(dialect.principal(name));
    const tests = principals.map(() => ` OR ${dialect.aclHolds(column)}`);
    return {
      shape: String(principals.length),
      sql: () => ` AND (${column} IS NULL${tests.join("")})`,
    };
  }
  parameters.push(...dialect.principals(principals));
  return {
    shape: "many",
    sql: () => ` AND (${column} IS NULL OR ${dialect.aclHoldsAny(column)})`,
  };
}
