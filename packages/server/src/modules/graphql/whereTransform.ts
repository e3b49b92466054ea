import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  ProtocolError,
} from "@purse/protocol";
import { objectIdOf } from "./globalId.ts";
import type { FieldsOf } from "./selection.ts";

const COMPOUNDS: Readonly<Record<string, string>> = { OR: "$or", AND: "$and", NOR: "$nor" };

const OPERATORS: Readonly<Record<string, string>> = {
  equalTo: "$eq",
  notEqualTo: "$ne",
  lessThan: "$lt",
  lessThanOrEqualTo: "$lte",
  greaterThan: "$gt",
  greaterThanOrEqualTo: "$gte",
  in: "$in",
  notIn: "$nin",
  exists: "$exists",
  inQueryKey: "$select",
  notInQueryKey: "$dontSelect",
  containedBy: "$containedBy",
  contains: "$all",
  matchesRegex: "$regex",
  options: "$options",
  text: "$text",
  nearSphere: "$nearSphere",
  maxDistance: "$maxDistance",
  maxDistanceInRadians: "$maxDistanceInRadians",
  maxDistanceInMiles: "$maxDistanceInMiles",
  maxDistanceInKilometers: "$maxDistanceInKilometers",
  within: "$within",
  geoWithin: "$geoWithin",
  geoIntersects: "$geoIntersects",
};

/** Translates the `where` of a query of a class into the conditions of the Parse protocol. Throws 102. */
export function toWhere(input: JsonObject, className: string, fieldsOf: FieldsOf): JsonObject {
  const where: JsonObject = {};
  const fields = fieldsOf(className);
  for (const [name, condition] of Object.entries(input)) {
    const compound = ownValue(COMPOUNDS, name);
    if (compound !== undefined) {
      const list = Array.isArray(condition) ? condition : [condition];
      where[compound] = list.map((each) => toWhere(objectIn(each, name), className, fieldsOf));
      continue;
    }
    // The raw form of the protocol, in subqueries.
    if (name.startsWith("$") || !isJsonObject(condition)) {
      if (condition === null) throw invalid(name);
      where[name] = condition;
      continue;
    }
    const type = fields?.[name];
    if (name === "id") merge(where, "objectId", withObjectIds(toOperators(condition, fieldsOf), className));
    else if (type?.type === "Pointer" || type?.type === "Relation") {
      merge(where, name, toRelationOperators(condition, type.type, type.targetClass ?? "", fieldsOf));
    } else if (type?.type === "Object") addObjectConditions(where, name, condition, fieldsOf);
    else merge(where, name, toOperators(condition, fieldsOf));
  }
  return where;
}

function invalid(name: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, `The condition ${name} is not valid.`);
}

function objectIn(value: JsonValue | undefined, name: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(name);
}

function merge(where: JsonObject, field: string, operators: JsonObject): void {
  const others = where[field];
  where[field] = isJsonObject(others) ? { ...others, ...operators } : operators;
}

function toOperators(condition: JsonObject, fieldsOf: FieldsOf): JsonObject {
  return Object.fromEntries(
    Object.entries(condition).map(([name, value]) => [
      ownValue(OPERATORS, name) ?? name,
      toOperand(name, value, fieldsOf),
    ]),
  );
}

function toOperand(name: string, value: JsonValue, fieldsOf: FieldsOf): JsonValue {
  switch (name) {
    case "inQueryKey":
    case "notInQueryKey":
      return toSelect(objectIn(value, name), fieldsOf);
    case "text": {
      const search = objectIn(objectIn(value, name).search, "search");
      return { $search: Object.fromEntries(Object.entries(search).map(([key, each]) => [`$${key}`, each])) };
    }
    case "nearSphere":
      return geoPoint(value);
    case "within": {
      const box = objectIn(objectIn(value, name).box, "box");
      return { $box: [geoPoint(box.bottomLeft), geoPoint(box.upperRight)] };
    }
    case "geoWithin": {
      const { polygon, centerSphere } = objectIn(value, name);
      if (Array.isArray(polygon)) return { $polygon: polygon.map(geoPoint) };
      const { center, distance } = objectIn(centerSphere, name);
      if (typeof distance !== "number") throw invalid(name);
      return { $centerSphere: [geoPoint(center), distance] };
    }
    case "geoIntersects":
      return { $point: geoPoint(objectIn(value, name).point) };
    default:
      return value;
  }
}

function geoPoint(value: JsonValue | undefined): JsonObject {
  return { ...objectIn(value, "point"), __type: "GeoPoint" };
}

function toSelect({ query, key }: JsonObject, fieldsOf: FieldsOf): JsonObject {
  const { className, where } = objectIn(query, "query");
  if (typeof className !== "string" || typeof key !== "string") throw invalid("query");
  return { query: { className, where: toWhere(objectIn(where, "where"), className, fieldsOf) }, key };
}

/** Conditions may name objects by their global ids. */
function withObjectIds(operators: JsonObject, className: string): JsonObject {
  const convert = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return objectIdOf(className, value);
    return Array.isArray(value) ? value.map(convert) : value;
  };
  return Object.fromEntries(Object.entries(operators).map(([name, value]) => [name, convert(value)]));
}

function toRelationOperators(
  condition: JsonObject,
  type: "Pointer" | "Relation",
  className: string,
  fieldsOf: FieldsOf,
): JsonObject {
  const operators: JsonObject = {};
  for (const [name, value] of Object.entries(condition)) {
    if (name === "have" || name === "haveNot") {
      const where = toWhere(objectIn(value, name), className, fieldsOf);
      operators[name === "have" ? "$inQuery" : "$notInQuery"] = { where, className };
    } else if (name === "exists" && type === "Relation") {
      const where = { objectId: { $exists: true } };
      operators[value === true ? "$inQuery" : "$notInQuery"] ??= { where, className };
    } else if (name === "exists") operators.$exists = value;
    else operators[name] = value;
  }
  return operators;
}

/** `{equalTo: {key: "a.b", value: 1}}` becomes a condition on `field.a.b`. */
function addObjectConditions(
  where: JsonObject,
  field: string,
  condition: JsonObject,
  fieldsOf: FieldsOf,
): void {
  for (const [name, value] of Object.entries(condition)) {
    const operator = ownValue(OPERATORS, name);
    const entries = Array.isArray(value) ? value : [value];
    const keyed = entries.filter((each) => isJsonObject(each) && typeof each.key === "string");
    if (operator === undefined || keyed.length !== entries.length || entries.length === 0) {
      merge(where, field, toOperators({ [name]: value }, fieldsOf));
      continue;
    }
    const byKey = new Map<string, JsonValue[]>();
    for (const each of keyed) {
      const { key, value: operand } = objectIn(each, name);
      byKey.set(String(key), [...(byKey.get(String(key)) ?? []), operand ?? null]);
    }
    for (const [key, operands] of byKey) {
      const operand = Array.isArray(value) ? operands : (operands[0] ?? null);
      merge(where, `${field}.${key}`, { [operator]: operand });
    }
  }
}
