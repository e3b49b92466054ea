import { areaCrosses, type FieldCondition, type Operand } from "@purse/protocol";
import { literalOf } from "../../core/regex.ts";
import type { SqlOperator } from "./dialect.ts";
import { FieldTarget } from "./fieldTarget.ts";
import { areaParameters, areaSql, nearParameters, nearSql } from "./geo.ts";
import { joinBalanced } from "./joinBalanced.ts";
import { anyOf, groupOperands, isArrayOperand, isContainable, operandParameters } from "./operands.ts";
import { compileRelation } from "./relationCondition.ts";
import { NEVER, type SqlFragment, type WhereContext } from "./sqlFragment.ts";
import { compileInQuery, compileSelect } from "./subQueryCondition.ts";
import { exactPattern } from "./textSearch.ts";

const OPERATORS: Readonly<Record<"lt" | "lte" | "gt" | "gte", SqlOperator>> = {
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};

export function compileField(original: FieldCondition, context: WhereContext): SqlFragment {
  const { schema, dialect } = context;
  const { path } = original;
  const [field] = path;
  const fieldType =
    path.length === 1 && Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
  const condition = fieldType?.type === "Pointer" ? withPointers(original, fieldType.targetClass) : original;
  if (fieldType?.type === "Relation") return compileRelation(field, condition, context);
  const compiled = compileTarget(condition, new FieldTarget(path, schema, dialect), context);
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

function compileTarget(condition: FieldCondition, target: FieldTarget, context: WhereContext): SqlFragment {
  const { parameters, dialect } = context;
  const { path, type } = target;
  context.countArrayTests(arrayTestCount(condition, target));
  switch (condition.kind) {
    case "exists":
      return {
        shape: `exists ${condition.exists}`,
        sql: () => (condition.exists ? target.exists : `NOT (${target.exists})`),
      };
    case "eq":
    case "ne": {
      const { operand, kind } = condition;
      const mayEqual = kind === "eq" ? target.mayEqual(operand) : undefined;
      if (mayEqual) parameters.push(mayEqual.parameter);
      parameters.push(...operandParameters(operand));
      const equal = () => conjunction([...(mayEqual ? [mayEqual.test] : []), target.equals(operand)]);
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
        sql: () => target.anyItem((candidate) => candidate.compares(operator, operandType)),
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
            target.isList,
            ...(values.length > 0 ? [target.listContainsAll()] : []),
            ...others.map(({ type }) => (type === "null" ? target.isNull : target.listContains(type))),
          ]),
      };
    }
    case "containedBy": {
      const groups = groupOperands(condition.operands, parameters);
      return {
        shape: `containedBy ${groups.join("|")}`,
        sql: () => conjunction([target.isList, target.everyListItem(anyOf(groups, dialect.item))]),
      };
    }
    case "regex":
      return compileRegexCondition(condition.source, condition.flags, target, context);
    case "inQuery":
      return compileInQuery(condition, target, context);
    case "select":
      return compileSelect(condition, target, context);
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
      const crosses = areaCrosses(area);
      return {
        shape: `within ${area.type} ${crosses}`,
        sql: () => areaSql(path, area.type, crosses, dialect),
      };
    }
    case "geoIntersects":
      parameters.push(condition.point.latitude, condition.point.longitude);
      if (type !== "Polygon") return never(condition.kind, 2);
      return { shape: "intersects", sql: () => dialect.polygonContains(path) };
  }
}

/** Returns how many times a condition iterates over array items. */
function arrayTestCount(condition: FieldCondition, { type, path, steps }: FieldTarget): number {
  if (condition.kind === "exists") return steps ? 1 : 0;
  if (condition.kind === "all") {
    const others = condition.operands.filter((each) => !isContainable(each)).length;
    return others + (others < condition.operands.length ? 1 : 0);
  }
  if (steps) {
    const operands = "operands" in condition ? condition.operands : [];
    // Whether the value is null is tested separately.
    return operands.length > 1 && operands.some((each) => each.type === "null") ? 2 : 1;
  }
  const isEquality = condition.kind === "eq" || condition.kind === "ne";
  if (path.length > 1 && isEquality && isContainable(condition.operand)) return 0;
  return type === "Array" || path.length > 1 || condition.kind === "containedBy" ? 1 : 0;
}

/** A condition that is never satisfied, for parameters that have been collected already. */
function never(kind: string, parameters: number): SqlFragment {
  const unused = Array.from({ length: parameters }, () => "CAST(? AS TEXT) IS NULL");
  return { shape: `never ${kind} ${parameters}`, sql: () => conjunction(["FALSE", ...unused]) };
}

function conjunction(terms: string[]): string {
  return joinBalanced(terms, " AND ");
}

function compileIn(operands: Operand[], target: FieldTarget, context: WhereContext): SqlFragment {
  const groups = groupOperands(operands, context.parameters);
  const values = groups.filter((type) => type !== "null");
  return {
    shape: groups.join("|"),
    sql() {
      const isIn = target.anyItem((candidate) => anyOf(values, candidate));
      return values.length < groups.length ? `(${target.isNull} OR ${isIn})` : isIn;
    },
  };
}

function compileRegexCondition(
  source: string,
  flags: string,
  target: FieldTarget,
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
  return { shape: "regex", sql: () => target.anyItem((candidate) => candidate.matches()) };
}

function compileText(
  { path, search }: Extract<FieldCondition, { kind: "text" }>,
  target: FieldTarget,
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
