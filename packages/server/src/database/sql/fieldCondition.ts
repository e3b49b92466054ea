import type { FieldCondition, FieldTypeName, Operand, SubQuery } from "@purse/protocol";
import { literalOf } from "../../core/regex.ts";
import type { ClassSchema } from "../classSchema.ts";
import type { StoreQuery } from "../store.ts";
import { columnOf, typedColumnOf } from "./columns.ts";
import type { Dialect, OperandType, SqlOperator, SqlParameter, ValueExpression } from "./dialect.ts";
import { areaParameters, areaSql, nearParameters, nearSql } from "./geo.ts";
import { joinBalanced } from "./joinBalanced.ts";
import type { SqlFragment, WhereContext } from "./sqlFragment.ts";
import { exactPattern } from "./textSearch.ts";

const OPERATORS: Readonly<Record<"lt" | "lte" | "gt" | "gte", SqlOperator>> = {
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};

/** The target of a condition: its SQL expression and its declared type. */
interface Target {
  path: readonly string[];
  type: FieldTypeName | undefined;
  expression: ValueExpression;
  isColumn: boolean;
}

export function compileField(original: FieldCondition, context: WhereContext): SqlFragment {
  const { schema, dialect } = context;
  const { path } = original;
  const [field] = path;
  const column = columnOf(path);
  const fieldType = Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
  const declared = fieldType?.type;
  const condition =
    declared === "Pointer" && path.length === 1 ? withPointers(original, fieldType?.targetClass) : original;
  if (declared === "Relation" && path.length === 1) return compileRelation(field, condition, context);
  const own = path.length === 1 ? fieldType : undefined;
  const target: Target = {
    path,
    type: own?.type,
    expression: column
      ? dialect.column(column)
      : dialect.field(path, own, typedColumnOf(path, schema, dialect)),
    isColumn: column !== undefined,
  };
  const compiled = compileTarget(condition, target, context);
  return { shape: `${path.join(".")} ${compiled.shape}`, sql: compiled.sql };
}

/** Texts that a pointer is compared with are ids of its target class, as in Parse Server. */
function withPointers(condition: FieldCondition, targetClass: string | undefined): FieldCondition {
  if (targetClass === undefined) return condition;
  const toPointer = (operand: Operand): Operand =>
    operand.type === "string"
      ? { type: "pointer", value: { __type: "Pointer", className: targetClass, objectId: operand.value } }
      : operand;
  if (condition.kind === "eq" || condition.kind === "ne")
    return { ...condition, operand: toPointer(condition.operand) };
  if (condition.kind === "in" || condition.kind === "nin")
    return { ...condition, operands: condition.operands.map(toPointer) };
  return condition;
}

function compileTarget(condition: FieldCondition, target: Target, context: WhereContext): SqlFragment {
  const { parameters, dialect } = context;
  const { expression, path, type } = target;
  context.countArrayTests(arrayTestCount(condition, target));
  switch (condition.kind) {
    case "exists":
      return {
        shape: `exists ${condition.exists}`,
        sql: () => (condition.exists ? expression.exists : `NOT (${expression.exists})`),
      };
    case "eq":
    case "ne": {
      const { operand, kind } = condition;
      parameters.push(...operandParameters(operand));
      const equal = () => equalsSql(operand, target, dialect);
      return {
        shape: `${kind} ${operand.type}${isArrayOperand(operand) ? " whole" : ""}`,
        sql: () => (kind === "eq" ? equal() : `(${equal()}) IS NOT TRUE`),
      };
    }
    case "lt":
    case "lte":
    case "gt":
    case "gte": {
      const { operand } = condition;
      const operator = OPERATORS[condition.kind];
      const { type: operandType } = operand;
      if (
        operandType !== "string" &&
        operandType !== "number" &&
        operandType !== "boolean" &&
        operandType !== "date"
      ) {
        return NEVER;
      }
      parameters.push(...operandParameters(operand));
      return {
        shape: `${condition.kind} ${operandType}`,
        sql: () => testItems(target, dialect, (candidate) => candidate.compares(operator, operandType)),
      };
    }
    case "in":
    case "nin": {
      const inFragment = compileIn(condition.operands, target, context);
      return {
        shape: `${condition.kind} ${inFragment.shape}`,
        sql: () => (condition.kind === "in" ? inFragment.sql() : `(${inFragment.sql()}) IS NOT TRUE`),
      };
    }
    case "all": {
      const values = condition.operands.flatMap((each) =>
        each.type === "string" || each.type === "number" ? each.value : [],
      );
      const others = condition.operands.filter(({ type }) => type !== "string" && type !== "number");
      if (values.length > 0) parameters.push(...dialect.arrayContainsAllParameters(values));
      for (const operand of others) parameters.push(...operandParameters(operand));
      return {
        shape: `all ${values.length > 0 ? "values " : ""}${others.map((operand) => operand.type).join("|")}`,
        sql: () =>
          conjunction([
            expression.isArray,
            ...(values.length > 0 ? [dialect.arrayContainsAll(path)] : []),
            ...others.map(
              (operand) =>
                dialect.arrayContains(path, operand.type) ??
                dialect.anyItem(path, dialect.item.equals(operand.type)),
            ),
          ]),
      };
    }
    case "containedBy": {
      const groups = groupOperands(condition.operands, parameters);
      return {
        shape: `containedBy ${groups.join("|")}`,
        sql: () => conjunction([expression.isArray, dialect.everyItem(path, anyOf(groups, dialect.item))]),
      };
    }
    case "regex":
      return compileRegexCondition(condition.source, condition.flags, target, context);
    case "allRegex": {
      for (const { source, flags } of condition.patterns) parameters.push(...dialect.pattern(source, flags));
      return {
        shape: `allRegex ${condition.patterns.length}`,
        sql: () =>
          conjunction([
            expression.isArray,
            ...condition.patterns.map(() => dialect.anyItem(path, dialect.item.matches())),
          ]),
      };
    }
    case "inQuery": {
      const field = path.length === 1 ? context.schema.fields[path[0] ?? ""] : undefined;
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
        sql: (select) => testItems(target, dialect, (candidate) => candidate.pointsInto(select)),
      });
    }
    case "select": {
      const { key, query } = condition;
      const keyColumn = columnOf(key);
      // Values inside of objects have no declared type.
      const keyType =
        key.length === 1 ? context.subqueries?.get(query)?.schema.fields[key[0]]?.type : undefined;
      const mayBeList = !keyColumn && (keyType === undefined || keyType === "Array");
      const scalar = keyColumn ? dialect.comparableColumn(keyColumn) : dialect.comparable(key);
      const compiled = compileSubQuery(condition, context, {
        column: mayBeList ? dialect.listable(key) : scalar,
        field: path[0],
        parameters: () => [],
        sql: (select) => {
          const values = mayBeList ? dialect.itemsOf(select) : select;
          return testItems(target, dialect, (candidate) => candidate.isInResult(values));
        },
      });
      return { shape: `${condition.key.join(".")} of ${compiled.shape}`, sql: compiled.sql };
    }
    case "text":
      return compileText(condition, target, context);
    case "near": {
      parameters.push(...nearParameters(condition.point, condition.maxDistance));
      const hasMaxDistance = condition.maxDistance !== undefined;
      if (type !== "GeoPoint") return never(condition.kind, hasMaxDistance ? 8 : 0);
      return { shape: `near ${hasMaxDistance}`, sql: () => nearSql(path, hasMaxDistance, dialect) };
    }
    case "geoWithin": {
      const { area } = condition;
      const areaValues = areaParameters(area);
      parameters.push(...areaValues);
      if (type !== "GeoPoint") return never(`${condition.kind} ${area.type}`, areaValues.length);
      return { shape: `within ${area.type}`, sql: () => areaSql(path, area.type, dialect) };
    }
    case "geoIntersects":
      parameters.push(condition.point.latitude, condition.point.longitude);
      if (type !== "Polygon") return never(condition.kind, 2);
      return { shape: "intersects", sql: () => dialect.polygonContains(path) };
  }
}

/** Returns how many times a condition iterates over array items. */
function arrayTestCount(condition: FieldCondition, { type, path }: Target): number {
  if (condition.kind === "exists") return 0;
  if (condition.kind === "allRegex") return condition.patterns.length;
  if (condition.kind === "all") {
    const others = condition.operands.filter((each) => !isContainable(each)).length;
    return others + (others < condition.operands.length ? 1 : 0);
  }
  const isEquality = condition.kind === "eq" || condition.kind === "ne";
  if (path.length > 1 && isEquality && isContainable(condition.operand)) return 0;
  return type === "Array" || path.length > 1 || condition.kind === "containedBy" ? 1 : 0;
}

const NEVER: SqlFragment = { shape: "never", sql: () => "FALSE" };

/** A condition that is never satisfied, for parameters that have been collected already. */
function never(kind: string, parameters: number): SqlFragment {
  const unused = Array.from({ length: parameters }, () => "CAST(? AS TEXT) IS NULL");
  return { shape: `never ${kind} ${parameters}`, sql: () => conjunction(["FALSE", ...unused]) };
}

function conjunction(terms: string[]): string {
  return joinBalanced(terms, " AND ");
}

/** Tests the value, or each item if the value is an array. Values inside of objects have no declared type. */
function testItems(target: Target, dialect: Dialect, test: (expression: ValueExpression) => string): string {
  const { path, type, expression } = target;
  if (type === "Array") return dialect.anyItem(path, test(dialect.item));
  return path.length > 1 ? dialect.anyItemOrValue(path, test(dialect.item)) : test(expression);
}

/** Tests equality; an array also equals a value that one of its items equals. */
function equalsSql(operand: Operand, target: Target, dialect: Dialect): string {
  const { path, type, expression, isColumn } = target;
  if (operand.type === "null") return expression.isNull;
  if (type === "Array" && !isArrayOperand(operand)) {
    return (
      dialect.arrayContains(path, operand.type) ?? dialect.anyItem(path, dialect.item.equals(operand.type))
    );
  }
  // Values inside of objects have no declared type and may be arrays.
  if (!isColumn && type === undefined && isContainable(operand)) {
    return dialect.equalsOrContains(path, operand.type);
  }
  return isArrayOperand(operand)
    ? expression.equals(operand.type)
    : testItems(target, dialect, (candidate) => candidate.equals(operand.type));
}

/** Whether the databases have a fast way to find the operand in a value that may be an array. */
function isContainable(operand: Operand): operand is Extract<Operand, { type: "string" | "number" }> {
  return operand.type === "string" || operand.type === "number";
}

/** Whether the operand is an array, which is compared as a whole. */
function isArrayOperand(operand: Operand): boolean {
  return operand.type === "json" && Array.isArray(operand.value);
}

function operandParameters(operand: Operand): SqlParameter[] {
  switch (operand.type) {
    case "null":
      return [];
    case "pointer":
      return [operand.value.className, operand.value.objectId];
    case "json":
      return [JSON.stringify(operand.value)];
    case "boolean":
      return [String(operand.value)];
    default:
      return [operand.value];
  }
}

function compileIn(operands: Operand[], target: Target, context: WhereContext): SqlFragment {
  const groups = groupOperands(operands, context.parameters);
  const values = groups.filter((type) => type !== "null");
  return {
    shape: groups.join("|"),
    sql() {
      const isIn = testItems(target, context.dialect, (candidate) => anyOf(values, candidate));
      // null stands for a missing field as a whole, not for an item.
      return values.length < groups.length ? `(${target.expression.isNull} OR ${isIn})` : isIn;
    },
  };
}

function anyOf(groups: OperandType[], expression: ValueExpression): string {
  if (groups.length === 0) return "FALSE";
  const tests = groups.map((type) => (type === "null" ? expression.isNull : expression.isIn(type)));
  return joinBalanced(tests, " OR ");
}

/**
 * Combines operands of the same type into one JSON array parameter; pointers are separated by class. Returns the types.
 */
function groupOperands(operands: Operand[], parameters: SqlParameter[]): OperandType[] {
  const groups = new Map<string, { type: OperandType; className?: string; values: unknown[] }>();
  for (const operand of operands) {
    const className = operand.type === "pointer" ? operand.value.className : undefined;
    const key = className === undefined ? operand.type : `${operand.type}:${className}`;
    const value =
      operand.type === "null" ? null : operand.type === "pointer" ? operand.value.objectId : operand.value;
    const text = operand.type === "boolean" ? String(value) : value;
    const group = groups.get(key);
    if (group) group.values.push(text);
    else
      groups.set(key, { type: operand.type, values: [text], ...(className !== undefined && { className }) });
  }
  const sorted = [...groups.values()].sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  for (const { type, className, values } of sorted) {
    if (type === "null") continue;
    if (className !== undefined) parameters.push(className);
    parameters.push(JSON.stringify(values));
  }
  return sorted.map(({ type }) => type);
}

function compileRegexCondition(
  source: string,
  flags: string,
  target: Target,
  { parameters, dialect }: WhereContext,
): SqlFragment {
  const literal = flags === "" ? literalOf(source) : undefined;
  if (
    literal?.start &&
    !literal.end &&
    literal.text !== "" &&
    target.type !== "Array" &&
    target.path.length === 1
  ) {
    // A prefix search is a range search, for which an index can be used.
    parameters.push(literal.text, `${literal.text}\u{10FFFF}`);
    return { shape: "startsWith", sql: () => target.expression.between() };
  }
  parameters.push(...dialect.pattern(source, flags));
  return { shape: "regex", sql: () => testItems(target, dialect, (candidate) => candidate.matches()) };
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

/** Relations are stored in a separate table, so the condition tests which objects own the members. */
function compileRelation(key: string, condition: FieldCondition, context: WhereContext): SqlFragment {
  const { parameters, dialect, schema } = context;
  const owners = (members: string) =>
    `id IN (SELECT owner_id FROM purse_relations WHERE ${dialect.relationInterruptCheck}class_name = ? AND key = ? AND ${members})`;
  switch (condition.kind) {
    case "exists":
      return condition.exists ? { shape: "always", sql: () => "TRUE" } : NEVER;
    case "eq":
    case "ne":
    case "in":
    case "nin": {
      const operands = "operands" in condition ? condition.operands : [condition.operand];
      const ids = operands.flatMap((operand) => (operand.type === "pointer" ? [operand.value.objectId] : []));
      parameters.push(schema.className, key, JSON.stringify(ids));
      const negated = condition.kind === "ne" || condition.kind === "nin";
      return {
        shape: `${key} related ${negated}`,
        sql: () => `${negated ? "NOT " : ""}${owners(dialect.textIn("related_id"))}`,
      };
    }
    case "inQuery": {
      const found = context.subqueries?.get(condition.query);
      if (!found) return condition.negated ? { shape: "always", sql: () => "TRUE" } : NEVER;
      parameters.push(schema.className, key);
      const select = context.select(found, "id");
      return {
        shape: `${key} relatedIn ${condition.negated} ${select.shape}`,
        sql: () => `${condition.negated ? "NOT " : ""}${owners(`related_id IN (${select.sql()})`)}`,
      };
    }
    default:
      return NEVER;
  }
}

function compileText(
  { path, search }: Extract<FieldCondition, { kind: "text" }>,
  target: Target,
  { parameters, dialect, schema }: WhereContext,
): SqlFragment {
  if (target.type !== "String") return NEVER;
  parameters.push(dialect.textQuery(search));
  const exact = exactPattern(search);
  if (exact) parameters.push(...dialect.pattern(exact.source, exact.flags));
  return {
    shape: `text ${dialect.textShape(search)} ${exact !== undefined}`,
    sql() {
      const matches = dialect.textMatches(schema, path[0], search);
      return exact ? conjunction([matches, target.expression.matches()]) : matches;
    },
  };
}
