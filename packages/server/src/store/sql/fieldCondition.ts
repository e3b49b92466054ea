import type { FieldCondition, FieldTypeName, Operand, SubQuery } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { literalOf } from "../regex.ts";
import type { StoreQuery } from "../store.ts";
import { columnOf } from "./columns.ts";
import type { Compiled, WhereContext } from "./compiled.ts";
import type { Cell, Dialect, OperandType, SqlOperator, SqlParameter } from "./dialect.ts";
import { areaParameters, areaSql, nearParameters, nearSql } from "./geo.ts";
import { joined } from "./joined.ts";
import { exactPattern } from "./textSearch.ts";

const OPERATORS: Readonly<Record<"lt" | "lte" | "gt" | "gte", SqlOperator>> = {
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};

/** The place of a condition: where its value is found, and what the schema says of it. */
interface Target {
  path: readonly string[];
  type: FieldTypeName | undefined;
  cell: Cell;
  isColumn: boolean;
}

export function compileField(condition: FieldCondition, context: WhereContext): Compiled {
  const { schema, dialect } = context;
  const { path } = condition;
  const [field] = path;
  const column = columnOf(path);
  const declared = Object.hasOwn(schema.fields, field) ? schema.fields[field]?.type : undefined;
  if (declared === "Relation" && path.length === 1) return compileRelation(field, condition, context);
  const type = path.length === 1 ? declared : undefined;
  const target: Target = {
    path,
    type,
    cell: column ? dialect.column(column) : dialect.field(path, type),
    isColumn: column !== undefined,
  };
  const compiled = compileTarget(condition, target, context);
  return { shape: `${path.join(".")} ${compiled.shape}`, sql: compiled.sql };
}

function compileTarget(condition: FieldCondition, target: Target, context: WhereContext): Compiled {
  const { parameters, dialect } = context;
  const { cell, path, type } = target;
  context.useArrayTests(arrayTestsOf(condition, target));
  switch (condition.kind) {
    case "exists":
      return {
        shape: `exists ${condition.exists}`,
        sql: () => (condition.exists ? cell.exists : `NOT (${cell.exists})`),
      };
    case "eq":
    case "ne": {
      const { operand, kind } = condition;
      parameters.push(...operandParameters(operand));
      const equal = () => equalsSql(operand, target, dialect);
      return {
        shape: `${kind} ${operand.type}${isWhole(operand) ? " whole" : ""}`,
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
        sql: () => ofItems(target, dialect, (tested) => tested.compares(operator, operandType)),
      };
    }
    case "in":
    case "nin": {
      const any = compileIn(condition.operands, target, context);
      return {
        shape: `${condition.kind} ${any.shape}`,
        sql: () => (condition.kind === "in" ? any.sql() : `(${any.sql()}) IS NOT TRUE`),
      };
    }
    case "all": {
      const values = condition.operands.flatMap((each) =>
        each.type === "string" || each.type === "number" ? each.value : [],
      );
      const others = condition.operands.filter(({ type }) => type !== "string" && type !== "number");
      if (values.length > 0) parameters.push(...dialect.allValues(values));
      for (const operand of others) parameters.push(...operandParameters(operand));
      return {
        shape: `all ${values.length > 0 ? "values " : ""}${others.map((operand) => operand.type).join("|")}`,
        sql: () =>
          conjunction([
            cell.isArray,
            ...(values.length > 0 ? [dialect.arrayHoldsAll(path)] : []),
            ...others.map(
              (operand) =>
                dialect.arrayHolds(path, operand.type) ??
                dialect.anyItem(path, dialect.item.equals(operand.type)),
            ),
          ]),
      };
    }
    case "containedBy": {
      const groups = groupOperands(condition.operands, parameters);
      return {
        shape: `containedBy ${groups.join("|")}`,
        sql: () => conjunction([cell.isArray, dialect.everyItem(path, anyOf(groups, dialect.item))]),
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
            cell.isArray,
            ...condition.patterns.map(() => dialect.anyItem(path, dialect.item.fits())),
          ]),
      };
    }
    case "inQuery": {
      const field = path.length === 1 ? context.schema.fields[path[0] ?? ""] : undefined;
      // The schema says where a pointer leads: it need not be asked of each.
      const leadsTo = field?.type === "Pointer" ? field.targetClass : undefined;
      if (leadsTo !== undefined && context.subqueries?.get(condition.query)?.schema.className === leadsTo) {
        return compileSubQuery(condition, context, {
          column: "id",
          field: path[0],
          parameters: () => [],
          sql: (select) => cell.idIn(select),
        });
      }
      return compileSubQuery(condition, context, {
        column: "id",
        field: path[0],
        parameters: (found) => [found.schema.className],
        sql: (select) => ofItems(target, dialect, (tested) => tested.pointsInto(select)),
      });
    }
    case "select": {
      const keyColumn = columnOf(condition.key);
      const value = keyColumn ? dialect.comparableColumn(keyColumn) : dialect.comparable(condition.key);
      const compiled = compileSubQuery(condition, context, {
        column: value,
        field: path[0],
        parameters: () => [],
        sql: (select) => ofItems(target, dialect, (tested) => tested.isAmong(select)),
      });
      return { shape: `${condition.key.join(".")} of ${compiled.shape}`, sql: compiled.sql };
    }
    case "text":
      return compileText(condition, target, context);
    case "near": {
      parameters.push(...nearParameters(condition.place, condition.maxDistance));
      const limited = condition.maxDistance !== undefined;
      if (type !== "GeoPoint") return never(condition.kind, limited ? 8 : 0);
      return { shape: `near ${limited}`, sql: () => nearSql(path, limited, dialect) };
    }
    case "geoWithin": {
      const { area } = condition;
      const added = areaParameters(area);
      parameters.push(...added);
      if (type !== "GeoPoint") return never(`${condition.kind} ${area.type}`, added.length);
      return { shape: `within ${area.type}`, sql: () => areaSql(path, area.type, dialect) };
    }
    case "geoIntersects":
      parameters.push(condition.place.latitude, condition.place.longitude);
      if (type !== "Polygon") return never(condition.kind, 2);
      return { shape: "intersects", sql: () => dialect.polygonHolds(path) };
  }
}

/** How many times a condition goes through the items of an array. */
function arrayTestsOf(condition: FieldCondition, { type }: Target): number {
  if (condition.kind === "exists") return 0;
  if (condition.kind === "allRegex") return condition.patterns.length;
  if (condition.kind === "all") {
    const isValue = (each: Operand) => each.type === "string" || each.type === "number";
    const others = condition.operands.filter((each) => !isValue(each)).length;
    return others + (others < condition.operands.length ? 1 : 0);
  }
  return type === "Array" || condition.kind === "containedBy" ? 1 : 0;
}

const NEVER: Compiled = { shape: "never", sql: () => "FALSE" };

/** What nothing can fulfil, whose parameters have been collected already. */
function never(kind: string, parameters: number): Compiled {
  const unused = Array.from({ length: parameters }, () => "CAST(? AS TEXT) IS NULL");
  return { shape: `never ${kind}`, sql: () => conjunction(["FALSE", ...unused]) };
}

function conjunction(parts: string[]): string {
  return joined(parts, " AND ");
}

/** A test of the value; where the value is an array, of one of its items. */
function ofItems(target: Target, dialect: Dialect, test: (cell: Cell) => string): string {
  return target.type === "Array" ? dialect.anyItem(target.path, test(dialect.item)) : test(target.cell);
}

/** Equality; an array also equals what one of its items equals. */
function equalsSql(operand: Operand, target: Target, dialect: Dialect): string {
  const { path, type, cell, isColumn } = target;
  if (operand.type === "null") return cell.isNull;
  if (type === "Array" && !isWhole(operand)) {
    return dialect.arrayHolds(path, operand.type) ?? dialect.anyItem(path, dialect.item.equals(operand.type));
  }
  // What lies below a declared field has no type: it may be an array.
  if (!isColumn && type === undefined && (operand.type === "string" || operand.type === "number")) {
    return dialect.isOrHolds(path, operand.type);
  }
  return cell.equals(operand.type);
}

/** An array is compared as a whole. */
function isWhole(operand: Operand): boolean {
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

function compileIn(operands: Operand[], target: Target, context: WhereContext): Compiled {
  const groups = groupOperands(operands, context.parameters);
  return {
    shape: groups.join("|"),
    sql: () => ofItems(target, context.dialect, (tested) => anyOf(groups, tested)),
  };
}

function anyOf(groups: OperandType[], cell: Cell): string {
  if (groups.length === 0) return "FALSE";
  const tests = groups.map((type) => (type === "null" ? cell.isNull : cell.isIn(type)));
  return joined(tests, " OR ");
}

/** Operands of one kind share one parameter, a JSON array; pointers are told apart by class. Answers the kinds. */
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
): Compiled {
  const literal = flags === "" ? literalOf(source) : undefined;
  if (literal?.start && !literal.end && literal.text !== "" && target.type !== "Array") {
    // What begins with a text lies between it and the last text that does: an index serves.
    parameters.push(literal.text, `${literal.text}\u{10FFFF}`);
    return { shape: "startsWith", sql: () => target.cell.between() };
  }
  parameters.push(...dialect.pattern(source, flags));
  return { shape: "regex", sql: () => ofItems(target, dialect, (tested) => tested.fits()) };
}

/** What becomes of the answer of a sub-query. */
interface SubQueryUse {
  /** What of each object found is answered. */
  column: string;
  /** The field that is asked about. */
  field: string | undefined;
  /** Those that stand before the sub-query's own. */
  parameters(found: StoreQuery): SqlParameter[];
  sql(select: string): string;
}

function compileSubQuery(
  { query, negated }: { query: SubQuery; negated: boolean },
  context: WhereContext,
  use: SubQueryUse,
): Compiled {
  const found = context.subqueries?.get(query);
  // Whoever may not ask the other class finds nothing in it.
  if (!found) return { shape: `nothing ${negated}`, sql: () => (negated ? "TRUE" : "FALSE") };
  context.parameters.push(...use.parameters(found));
  const select = context.select(found, use.column);
  return {
    shape: `sub ${negated} ${select.shape}`,
    sql() {
      const text = use.sql(select.sql());
      if (negated) return `(${text}) IS NOT TRUE`;
      // PostgreSQL cannot guess how many objects fit, and without an index would rather compare each with each.
      return isIndexed(context.schema, use.field) ? text : `(${text}) IS TRUE`;
    },
  };
}

function isIndexed({ indexes }: ClassSchema, field: string | undefined): boolean {
  return Object.values(indexes).some((index) => Object.keys(index)[0] === field);
}

/** Relations live beside the objects: a condition on one asks which objects own the members. */
function compileRelation(key: string, condition: FieldCondition, context: WhereContext): Compiled {
  const { parameters, dialect, schema } = context;
  const owners = (members: string) =>
    `id IN (SELECT owner_id FROM purse_relations WHERE ${dialect.relationCheckpoint}class_name = ? AND key = ? AND ${members})`;
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
): Compiled {
  if (target.type !== "String") return NEVER;
  parameters.push(dialect.textQuery(search));
  const exact = exactPattern(search);
  if (exact) parameters.push(...dialect.pattern(exact.source, exact.flags));
  return {
    shape: `text ${dialect.textShape(search)} ${exact !== undefined}`,
    sql() {
      const fits = dialect.textFits(schema, path[0], search);
      return exact ? conjunction([fits, target.cell.fits()]) : fits;
    },
  };
}
