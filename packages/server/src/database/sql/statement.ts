import { ErrorCode, MAX_ARRAY_TESTS, ProtocolError } from "@purse/protocol";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import type { ClassSchema } from "../classSchema.ts";
import type { StoreGroup, StoreQuery } from "../store.ts";
import { compileReadAccess } from "./aclCondition.ts";
import { columnOf, orderKeysOf, typedColumnOf } from "./columns.ts";
import type { Dialect, SqlParameter } from "./dialect.ts";
import { FieldTarget } from "./fieldTarget.ts";
import type { SqlFragment, WhereContext } from "./sqlFragment.ts";
import { compileOrder, compileWhere, findTextSearch } from "./where.ts";

export interface Statement {
  sql: string;
  parameters: SqlParameter[];
}

/** Statements with longer shapes are not cached, since they are rarely repeated. */
const MAX_CACHED_SHAPE_LENGTH = 4_000;
/** Total number of characters of the cached shapes and statements of all classes. */
const MAX_CACHED_CHARACTERS = 20_000_000;

/** Creates statements from queries; the SQL is compiled once per shape and class version. */
export function createStatements(dialect: Dialect, maxShapes = 2_000) {
  /** Schemas are immutable: a changed schema is a new object with an empty cache. */
  let texts = new WeakMap<ClassSchema, Map<string, string>>();
  let cachedCharacters = 0;
  const numbers = new WeakMap<ClassSchema, number>();
  let lastSchemaNumber = 0;
  /** By the parameter list of a statement, which its nested queries share. */
  const arrayTests = new WeakMap<SqlParameter[], number>();

  function cachedSql(schema: ClassSchema, shape: string, compile: () => string): string {
    let shapes = texts.get(schema);
    if (!shapes || shapes.size >= maxShapes) {
      shapes = new Map();
      texts.set(schema, shapes);
    }
    const known = shapes.get(shape);
    if (known !== undefined) return known;
    const text = compile();
    if (shape.length > MAX_CACHED_SHAPE_LENGTH) return text;
    cachedCharacters += shape.length + text.length;
    // Clients determine the shapes, and there may be many classes, so the whole cache is cleared at once.
    if (cachedCharacters > MAX_CACHED_CHARACTERS) {
      texts = new WeakMap();
      cachedCharacters = 0;
    } else shapes.set(shape, text);
    return text;
  }

  function find(query: StoreQuery): Statement {
    const parameters: SqlParameter[] = dialect.pageParameters(Number.MAX_SAFE_INTEGER);
    const search = query.includeScore ? findTextSearch(query.where) : undefined;
    if (search) parameters.push(dialect.textQuery(search.search));
    const rows = compileRows(query, parameters);
    const sql = cachedSql(query.schema, `find ${search ? "scored" : ""}\n${rows.shape}`, () =>
      dialect.selectPage(
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
    const { schema, subjects } = query;
    const where = compileWhere(query.where, createContext(query, parameters));
    const access = compileReadAccess(subjects, parameters, dialect);
    const sql = cachedSql(
      schema,
      `count\n${where.shape}\n${access.shape}`,
      () =>
        `SELECT count(*) AS n FROM ${dialect.identifier(schema.table)} WHERE ${dialect.interruptCheck}${where.sql()}${access.sql()}`,
    );
    return { sql, parameters };
  }

  function get(schema: ClassSchema, id: string, subjects: AclSubjects): Statement {
    const parameters: SqlParameter[] = [id];
    const access = compileReadAccess(subjects, parameters, dialect);
    const sql = cachedSql(
      schema,
      `get\n${access.shape}`,
      () =>
        `SELECT ${dialect.document} FROM ${dialect.identifier(schema.table)} WHERE ${dialect.interruptCheck}id = ?${access.sql()}`,
    );
    return { sql, parameters };
  }

  function distinct(query: StoreQuery, path: readonly string[]): Statement {
    const parameters: SqlParameter[] = [];
    const value = distinctValue(path, query.schema);
    const rows = selectRows(query, parameters, () => `DISTINCT ${value}`);
    return { sql: `${rows.sql()} AND ${value} IS NOT NULL`, parameters };
  }

  function group(query: StoreQuery, group: StoreGroup): Statement {
    const { keys, dateLengths = [], marksMissing, aggregates } = group;
    const parameters: SqlParameter[] = [];
    const values = keys.map((path, i) => {
      const length = dateLengths[i];
      if (length === undefined) return groupKey(path, query.schema);
      const [date = "NULL"] = orderKeysOf(path, query.schema, dialect);
      return { value: `substr(${date}, 1, ${length})`, json: dialect.quote };
    });
    const marks = keys.map((path, i) => {
      const isMissing = dateLengths[i] === undefined && !columnOf(path);
      const exists = isMissing
        ? new FieldTarget(path, query.schema, dialect).exists
        : `${values[i]?.value} IS NOT NULL`;
      return { value: `(NOT (${exists}))`, json: dialect.quote };
    });
    const groups = marksMissing ? [...values, ...marks] : values;
    const numbers = aggregates.map((each) =>
      each.fn === "count" ? "count(*)" : aggregateOf(each.fn, numberOf(each.path, query.schema)),
    );
    // The inner query has the values only: where the planner expects many groups it sorts its rows, and a row with
    // JSON to write would carry the whole object through that sort.
    const columns = [
      ...groups.map(({ value }, i) => `${value} AS k${i}`),
      ...numbers.map((number, i) => `${number} AS n${i}`),
    ];
    const rows = selectRows(query, parameters, () => columns.join(", "));
    const sql = cachedSql(query.schema, `group ${columns.join()}\n${rows.shape}`, () => {
      const inner =
        groups.length === 0
          ? rows.sql()
          : `${rows.sql()} GROUP BY ${groups.map(({ value }) => value).join(", ")}`;
      const json = groups.map(({ json }, i) => json(`k${i}`));
      return `SELECT ${dialect.row(
        json,
        numbers.map((_, i) => `n${i}`),
      )} FROM (${inner}) AS grouped`;
    });
    return { sql, parameters };
  }

  function aggregateOf(fn: "sum" | "avg" | "min" | "max", number: string): string {
    return fn === "sum" ? dialect.sum(number) : `${fn}(${number})`;
  }

  /**
   * Returns the expression to group by, that of an index if the schema declares the type, and how JSON text is made of
   * its result.
   */
  function groupKey(
    path: [string, ...string[]],
    schema: ClassSchema,
  ): { value: string; json: (value: string) => string } {
    const column = columnOf(path);
    if (column) return { value: column, json: dialect.quote };
    const declared = path.length === 1 ? schema.fields[path[0]] : undefined;
    const typedColumn = typedColumnOf(path, schema, dialect);
    if (declared && typedColumn !== undefined) {
      return {
        value: typedColumn,
        json: (value) => dialect.quoteTyped(value, declared),
      };
    }
    const type = declared?.type;
    const [value] = dialect.orderKeys(path, type);
    if ((type === "String" || type === "Number") && value !== undefined) {
      return { value, json: dialect.quote };
    }
    // Missing values and null form one group.
    return { value: `coalesce(${dialect.json(path)}, 'null')`, json: (text) => text };
  }

  /** Returns the value at a path as a number, for aggregates. */
  function numberOf(path: [string, ...string[]], schema: ClassSchema): string {
    const isNumber = schema.fields[path[0]]?.type === "Number";
    return (isNumber ? typedColumnOf(path, schema, dialect) : undefined) ?? dialect.number(path);
  }

  /** Returns the value at a path as JSON text; NULL if it is missing. */
  function distinctValue(path: readonly string[], schema: ClassSchema): string {
    const column = columnOf(path);
    if (column) return dialect.quote(column);
    const declared = schema.fields[path[0] ?? ""];
    const value = typedColumnOf(path, schema, dialect);
    if (!declared || value === undefined) return dialect.json(path);
    // A typed column is also NULL if the field is null.
    return `CASE WHEN ${value} IS NULL THEN ${dialect.json(path)} ELSE ${dialect.quoteTyped(value, declared)} END`;
  }

  return { find, count, get, distinct, group };

  function createContext(query: StoreQuery, parameters: SqlParameter[]): WhereContext {
    return {
      schema: query.schema,
      dialect,
      parameters,
      countArrayTests(count) {
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
        return { shape: `${schemaNumber(inner.schema)} ${column} ${rows.shape}`, sql: rows.sql };
      },
    };
  }

  /** Selects the rows of a query, sorted and limited as the query requires. */
  function selectRows(query: StoreQuery, parameters: SqlParameter[], columns: () => string): SqlFragment {
    const rows = compileRows(query, parameters);
    const table = dialect.identifier(query.schema.table);
    return { shape: rows.shape, sql: () => `SELECT ${columns()} FROM ${table} ${rows.sql()}` };
  }

  /** Compiles the part of a select after the table. */
  function compileRows(query: StoreQuery, parameters: SqlParameter[]): SqlFragment {
    const { limit, skip } = query;
    const context = createContext(query, parameters);
    const where = compileWhere(query.where, context);
    const access = compileReadAccess(query.subjects, parameters, dialect);
    const isPaged = limit !== undefined || skip > 0;
    const order = isPaged ? compileOrder(query, context) : undefined;
    if (isPaged) parameters.push(limit ?? Number.MAX_SAFE_INTEGER, skip);
    return {
      shape: `${where.shape}\n${access.shape}\n${order?.shape ?? "unordered"}`,
      sql() {
        const rows = `WHERE ${dialect.interruptCheck}${where.sql()}${access.sql()}`;
        return order ? `${rows} ORDER BY ${order.sql()} LIMIT ? OFFSET ?` : rows;
      },
    };
  }

  function schemaNumber(schema: ClassSchema): number {
    const known = numbers.get(schema);
    if (known !== undefined) return known;
    lastSchemaNumber += 1;
    numbers.set(schema, lastSchemaNumber);
    return lastSchemaNumber;
  }
}

export type Statements = ReturnType<typeof createStatements>;
