import type { FieldCondition, SubQuery } from "@purse/protocol";
import type { ClassSchema } from "../classSchema.ts";
import type { StoreQuery } from "../store.ts";
import { columnOf } from "./columns.ts";
import type { SqlParameter } from "./dialect.ts";
import type { FieldTarget } from "./fieldTarget.ts";
import type { SqlFragment, WhereContext } from "./sqlFragment.ts";

/** Compiles `$inQuery` and `$notInQuery`: pointers to the objects that a sub-query finds. */
export function compileInQuery(
  condition: Extract<FieldCondition, { kind: "inQuery" }>,
  target: FieldTarget,
  context: WhereContext,
): SqlFragment {
  const { path, expression } = target;
  const field = path.length === 1 ? context.schema.fields[path[0]] : undefined;
  // The schema declares the target class, so it need not be compared.
  const targetClass = field?.type === "Pointer" ? field.targetClass : undefined;
  if (
    targetClass !== undefined &&
    context.subqueries?.get(condition.query)?.schema.className === targetClass
  ) {
    return compileSubQuery(condition, context, {
      column: "id",
      field: path[0],
      parameters: () => [],
      sql: (select) => expression.idIn(select),
    });
  }
  return compileSubQuery(condition, context, {
    column: "id",
    field: path[0],
    parameters: (found) => [found.schema.className],
    sql: (select) => target.anyItem((candidate) => candidate.pointsInto(select)),
  });
}

/** Compiles `$select` and `$dontSelect`: values that the objects of a sub-query have at a key. */
export function compileSelect(
  condition: Extract<FieldCondition, { kind: "select" }>,
  target: FieldTarget,
  context: WhereContext,
): SqlFragment {
  const { key, query } = condition;
  const { dialect } = context;
  const field = target.path.length === 1 ? context.schema.fields[target.path[0]] : undefined;
  // A text that a pointer is compared with is an id, as in Parse Server.
  if (field?.type === "Pointer" && isObjectId(key))
    return compileInQuery({ ...condition, kind: "inQuery" }, target, context);
  const keyColumn = columnOf(key);
  // Values inside of objects have no declared type.
  const keyType = key.length === 1 ? context.subqueries?.get(query)?.schema.fields[key[0]]?.type : undefined;
  const mayBeList = !keyColumn && (keyType === undefined || keyType === "Array");
  const scalar = keyColumn ? dialect.comparableColumn(keyColumn) : dialect.comparable(key);
  const compiled = compileSubQuery(condition, context, {
    column: mayBeList ? dialect.listable(key) : scalar,
    field: target.path[0],
    parameters: () => [],
    sql: (select) => {
      const values = mayBeList ? dialect.itemsOf(select) : select;
      return target.anyItem((candidate) => candidate.isInResult(values));
    },
  });
  return { shape: `${key.join(".")} of ${compiled.shape}`, sql: compiled.sql };
}

function isObjectId([name, ...rest]: readonly string[]): boolean {
  return name === "objectId" && rest.length === 0;
}

/** How the result of a sub-query is used. */
interface SubQueryCompiler {
  /** The selected column. */
  column: string;
  /** The field that the condition is on. */
  field: string | undefined;
  /** Parameters that precede those of the sub-query. */
  parameters(found: StoreQuery): SqlParameter[];
  sql(select: string): string;
}

function compileSubQuery(
  { query, negated }: { query: SubQuery; negated: boolean },
  context: WhereContext,
  use: SubQueryCompiler,
): SqlFragment {
  const found = context.subqueries?.get(query);
  // A sub-query on a class that the client may not read matches nothing.
  if (!found) return { shape: `nothing ${negated}`, sql: () => (negated ? "TRUE" : "FALSE") };
  context.parameters.push(...use.parameters(found));
  const select = context.select(found, use.column);
  return {
    shape: `sub ${negated} ${select.shape}`,
    sql() {
      const text = use.sql(select.sql());
      if (negated) return `(${text}) IS NOT TRUE`;
      // PostgreSQL cannot estimate the number of matches and, without an index, would choose a nested loop join.
      return isIndexed(context.schema, use.field) ? text : `(${text}) IS TRUE`;
    },
  };
}

function isIndexed({ indexes }: ClassSchema, field: string | undefined): boolean {
  return Object.values(indexes).some((index) => Object.keys(index)[0] === field);
}
