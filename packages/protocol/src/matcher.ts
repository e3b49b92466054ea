import type { Comparison, Condition, FieldCondition, Operand, SubQuery, TextSearch } from "./condition.ts";
import { sortByCost } from "./conditionCost.ts";
import { type Coordinates, distanceBetween } from "./distance.ts";
import { ErrorCode, ProtocolError } from "./errors.ts";
import { isGeoPoint, isPolygon, isWireFile } from "./fieldTypes.ts";
import { areaContains, polygonContains } from "./geo.ts";
import {
  anyItem,
  createPathReader,
  hasValue,
  isNullValue,
  listOf,
  type PathValue,
  TraversedValues,
} from "./pathValues.ts";
import {
  isPointer,
  isWireDate,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  jsonKey,
  timeOf,
  type WirePointer,
} from "./wireValues.ts";

/** Tests objects in wire format (objectId, createdAt and updatedAt at the top level as ISO text). */
export type Matcher = (object: JsonObject) => boolean;

export interface MatcherOptions {
  /** Compiles a regular expression that runs in bounded time. Throws 102 if it is invalid. */
  regex(source: string, flags: string): (text: string) => boolean;
  /** Whether an object is in a relation. Called for `$relatedTo` conditions. */
  relatedTo?(condition: Extract<Condition, { kind: "relatedTo" }>, objectId: string): boolean;
  /** Returns the objects that a sub-query finds. Without this option, sub-queries are rejected. */
  subQuery?(query: SubQuery): readonly JsonObject[];
  /** Compiles a text search. Without this option, text searches are rejected. */
  text?(search: TextSearch): (text: string) => boolean;
}

/**
 * Compiles a where into a predicate that agrees with the result of the database for the same where. Throws 102 for
 * conditions that a single object cannot decide (sub-queries, text searches) unless the options provide them.
 */
export function compileMatcher(where: Condition, options: MatcherOptions): Matcher {
  switch (where.kind) {
    case "and": {
      const matchers = sortByCost(where.conditions).map((condition) => compileMatcher(condition, options));
      return (object) => matchers.every((matches) => matches(object));
    }
    case "or": {
      const matchers = sortByCost(where.conditions).map((condition) => compileMatcher(condition, options));
      return (object) => matchers.some((matches) => matches(object));
    }
    case "nor": {
      const matchers = sortByCost(where.conditions).map((condition) => compileMatcher(condition, options));
      return (object) => !matchers.some((matches) => matches(object));
    }
    case "relatedTo":
      return (object) => options.relatedTo?.(where, String(object.objectId)) ?? false;
    default:
      return compileField(where, options);
  }
}

function compileField(original: FieldCondition, options: MatcherOptions): Matcher {
  const condition = withTextTimes(original);
  const read = createPathReader(condition.path);
  switch (condition.kind) {
    case "exists":
      return (object) => hasValue(read(object)) === condition.exists;
    case "regex": {
      const test = options.regex(condition.source, condition.flags);
      return (object) => anyItem(read(object), (item) => typeof item === "string" && test(item));
    }
    case "in":
    case "nin": {
      const { kind } = condition;
      const operands = new OperandSet(condition.operands);
      const isIn = orItsId(condition.path, (value) => operands.equalsAny(value));
      return (object) => isIn(read(object)) === (kind === "in");
    }
    case "all":
      return (object) => {
        const value = read(object);
        const list = listOf(value);
        if (!list) return false;
        const items = new Set(list);
        return condition.operands.every((operand) => {
          if (operand.type === "null") return isNullValue(value);
          return isPrimitive(operand)
            ? items.has(operand.value)
            : list.some((item) => equalsItem(item, operand));
        });
      };
    case "containedBy": {
      const operands = new OperandSet(condition.operands);
      return (object) => {
        const list = listOf(read(object));
        return list?.every((item) => operands.equalsItem(item)) ?? false;
      };
    }
    case "near": {
      const { point, maxDistance = Number.POSITIVE_INFINITY } = condition;
      return (object) => testGeoPoint(read(object), (other) => distanceBetween(point, other) <= maxDistance);
    }
    case "geoWithin":
      return (object) => testGeoPoint(read(object), (point) => areaContains(condition.area, point));
    case "geoIntersects":
      return (object) => {
        const value = read(object);
        return isPolygon(value) && polygonContains(value.coordinates, condition.point);
      };
    case "inQuery": {
      const { query, negated } = condition;
      const found = new Set(
        subQueryObjects(query, options).map(
          ({ className = query.className, objectId }) => `${className}/${objectId}`,
        ),
      );
      return (object) =>
        anyItem(
          read(object),
          (item) => isPointer(item) && found.has(`${item.className}/${item.objectId}`),
        ) !== negated;
    }
    case "select": {
      const readKey = createPathReader(condition.key);
      const keys = new Set(
        subQueryObjects(condition.query, options).flatMap((object) => selectedKeys(readKey(object))),
      );
      const { key, query, path } = condition;
      const isOfIds = path.length === 1 && key.length === 1 && key[0] === "objectId";
      const isFound = (value: PathValue) =>
        isOfIds && isPointer(value)
          ? value.className === query.className && keys.has(jsonKey(value.objectId))
          : anyItem(value, (item) => keys.has(jsonKey(item)));
      return (object) => isFound(read(object)) !== condition.negated;
    }
    case "text": {
      const test = options.text?.(condition.search);
      if (!test) throw unsupportedLiveError("$text");
      return (object) => anyItem(read(object), (item) => typeof item === "string" && test(item));
    }
    case "eq":
    case "ne": {
      const { kind, operand } = condition;
      const isEqual = orItsId(condition.path, (value) => equals(value, operand));
      return (object) => isEqual(read(object)) === (kind === "eq");
    }
    default: {
      const { kind, operand } = condition;
      return (object) => anyItem(read(object), (item) => compares(item, kind, operand));
    }
  }
}

/** Texts that a pointer is compared with are ids, as in Parse Server; pointers in arrays and objects are not. */
function orItsId(
  path: readonly string[],
  test: (value: PathValue) => boolean,
): (value: PathValue) => boolean {
  if (path.length > 1) return test;
  return (value) => test(value) || (isPointer(value) && test(value.objectId));
}

/** Objects have `createdAt` and `updatedAt` as ISO text, which conditions compare with dates. */
function withTextTimes(condition: FieldCondition): FieldCondition {
  const [field, ...rest] = condition.path;
  if ((field !== "createdAt" && field !== "updatedAt") || rest.length > 0) return condition;
  if ("operands" in condition) return { ...condition, operands: condition.operands.map(textOfTime) };
  return "operand" in condition ? { ...condition, operand: textOfTime(condition.operand) } : condition;
}

function textOfTime(operand: Operand): Operand {
  return operand.type === "date" ? { type: "string", value: operand.value } : operand;
}

function subQueryObjects(query: SubQuery, options: MatcherOptions): readonly JsonObject[] {
  if (options.subQuery) return options.subQuery(query);
  throw unsupportedLiveError("a sub-query");
}

/** The keys of the values that `$select` compares with: items in place of arrays, none for paths through arrays. */
function selectedKeys(value: PathValue): string[] {
  if (value === undefined || value instanceof TraversedValues) return [];
  return Array.isArray(value) ? value.map(jsonKey) : [jsonKey(value)];
}

function unsupportedLiveError(feature: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, `${feature} cannot be followed live`);
}

function testGeoPoint(value: PathValue, test: (point: Coordinates) => boolean): boolean {
  return isGeoPoint(value) && test(value);
}

type PrimitiveOperand = Extract<Operand, { type: "string" | "number" | "boolean" }>;

function isPrimitive(operand: Operand): operand is PrimitiveOperand {
  return operand.type === "string" || operand.type === "number" || operand.type === "boolean";
}

/** A list of operands, indexed so that a value need not be compared with each of them. */
class OperandSet {
  readonly #primitives = new Set<JsonValue>();
  readonly #dates = new Set<string>();
  readonly #pointers = new Set<string>();
  readonly #files = new Set<string>();
  /** Nulls, objects and arrays. */
  readonly #others: Operand[] = [];

  constructor(operands: readonly Operand[]) {
    for (const operand of operands) {
      if (isPrimitive(operand)) this.#primitives.add(operand.value);
      else if (operand.type === "date") this.#dates.add(operand.value);
      else if (operand.type === "pointer") this.#pointers.add(pointerKey(operand.value));
      else if (operand.type === "file") this.#files.add(operand.value);
      else this.#others.push(operand);
    }
  }

  /** Whether a value, or an item of an array value, equals one of the operands. */
  equalsAny(value: PathValue): boolean {
    return (
      this.#others.some((operand) => equals(value, operand)) || anyItem(value, (item) => this.#contains(item))
    );
  }

  equalsItem(item: JsonValue): boolean {
    return this.#contains(item) || this.#others.some((operand) => equalsItem(item, operand));
  }

  #contains(item: JsonValue): boolean {
    if (this.#primitives.has(item)) return true;
    if (this.#dates.size > 0) {
      const time = isoTime(item);
      if (time !== undefined && this.#dates.has(time)) return true;
    }
    if (this.#pointers.size > 0 && isPointer(item)) return this.#pointers.has(pointerKey(item));
    return this.#files.size > 0 && isWireFile(item) && this.#files.has(item.name);
  }
}

function pointerKey({ className, objectId }: WirePointer): string {
  return `${className}/${objectId}`;
}

function equals(value: PathValue, operand: Operand): boolean {
  if (operand.type === "null") return isNullValue(value);
  if (value instanceof TraversedValues) return value.values.some((each) => equals(each, operand));
  if (value === undefined) return false;
  if (operand.type === "json" && Array.isArray(operand.value)) return jsonEqual(value, operand.value);
  return anyItem(value, (item) => equalsItem(item, operand));
}

function equalsItem(item: JsonValue, operand: Operand): boolean {
  switch (operand.type) {
    case "null":
      return item === null;
    case "date":
      return isoTime(item) === operand.value;
    case "pointer":
      return (
        isPointer(item) &&
        item.objectId === operand.value.objectId &&
        item.className === operand.value.className
      );
    case "file":
      return isWireFile(item) && item.name === operand.value;
    case "json":
      return jsonEqual(item, operand.value);
    default:
      return item === operand.value;
  }
}

/** Returns the ISO time of a date. */
function isoTime(item: JsonValue): string | undefined {
  return isWireDate(item) ? new Date(timeOf(item)).toISOString() : undefined;
}

function compares(item: JsonValue, comparison: Exclude<Comparison, "eq" | "ne">, operand: Operand): boolean {
  if (operand.type === "number" && typeof item === "number") return ordered(item, operand.value, comparison);
  if (operand.type === "string" && typeof item === "string") return ordered(item, operand.value, comparison);
  if (operand.type === "boolean" && typeof item === "boolean") {
    return ordered(Number(item), Number(operand.value), comparison);
  }
  if (operand.type === "date") {
    const time = isoTime(item);
    return time !== undefined && ordered(time, operand.value, comparison);
  }
  return false;
}

function ordered<T extends string | number>(
  a: T,
  b: T,
  comparison: Exclude<Comparison, "eq" | "ne">,
): boolean {
  switch (comparison) {
    case "lt":
      return a < b;
    case "lte":
      return a <= b;
    case "gt":
      return a > b;
    case "gte":
      return a >= b;
  }
}
