import {
  assertClassName,
  type Condition,
  type Coordinates,
  distanceBetween,
  ErrorCode,
  hasPattern,
  isGeoPoint,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parsePath,
  parsePipeline,
  parseWhere,
  renameFields,
  type Stage,
} from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { StoreGroup } from "../../database/store.ts";
import type { AggregationWorker } from "./aggregationWorker.ts";
import type { ObjectReader } from "./objectReader.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

/** Maximum number of objects that a pipeline loads into memory. */
const MAX_PIPELINE_OBJECTS = 100_000;
const EARTH_RADIUS_M = 6_378_100;

export interface Aggregates {
  /** Runs an aggregation pipeline over the objects of a class that a request may read. `params` are in wire format. */
  aggregate(request: RequestContext, className: string, params: JsonObject): Promise<JsonValue[]>;
}

export interface AggregateDependencies {
  access: ReadAccess;
  reader: ObjectReader;
  aggregationWorker: AggregationWorker;
}

/** Parameters of the request other than the pipeline. */
const OTHER_PARAMETERS = ["distinct", "where", "hint", "explain", "comment", "readPreference"] as const;

export function createAggregates({ access, reader, aggregationWorker }: AggregateDependencies): Aggregates {
  const aggregate: Aggregates["aggregate"] = async (request, className, params) => {
    // Hidden fields cannot be removed from the result of a pipeline.
    if (request.auth.kind !== "master") {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized: master key is required", 403);
    }
    assertClassName(className);
    const { pipeline, ...rest } = params;
    const stageParams: JsonObject = { ...rest };
    for (const name of OTHER_PARAMETERS) delete stageParams[name];
    // Stages are sent as a pipeline or as individual parameters; in a query string all of them are text.
    const pipelineParam = pipeline === undefined ? stageParams : pipeline;
    const stages = parsePipeline(parseTextParameters(pipelineParam));
    const scope = access.authorizeRead(request, className, "find");
    const where = parseCondition(parseTextParameters(params.where ?? {}), scope?.schema);
    if (!scope) return [];
    if (params.distinct !== undefined) return distinct(scope, where, String(params.distinct));
    if (params.explain !== undefined && params.explain !== false) {
      return [await reader.explain(scope, { where })];
    }
    return run(scope, where, stages);
  };

  async function distinct(scope: ReadScope, where: Condition, key: string): Promise<JsonValue[]> {
    const values = await reader.distinct(scope, where, parsePath(key));
    const seen = new Map<string, JsonValue>();
    for (const value of values.flat()) {
      if (value !== null) seen.set(JSON.stringify(value), value);
    }
    return [...seen.values()];
  }

  async function run(scope: ReadScope, where: Condition, all: Stage[]): Promise<JsonValue[]> {
    const { schema } = scope;
    const stages = all.map(({ name, argument }) => ({ name, argument: toServerFieldNames(name, argument) }));
    let condition = where;
    let next = stages[0];
    // Whatever the database can filter, sort and count itself is not loaded into memory.
    while (next?.name === "$match") {
      const ownCondition = parseMatch(next.argument, schema);
      if (!ownCondition) break;
      condition = { kind: "and", conditions: [condition, ownCondition] };
      stages.shift();
      next = stages[0];
    }
    const group = next?.name === "$group" ? toSqlGroup(next.argument, schema) : undefined;
    if (group) {
      const rows = await reader.group(scope, condition, group.group);
      return runStages(
        scope,
        rows.map((row) => JSON.stringify(group.toObject(row.keys, row.aggregates))),
        stages.slice(1),
      );
    }
    if (next?.name === "$geoNear") {
      return runStages(scope, await runGeoNear(scope, condition, next.argument), stages.slice(1));
    }
    if (next?.name === "$count" && typeof next.argument === "string") {
      const count = await reader.count(scope, condition);
      return count === 0
        ? []
        : runStages(scope, [JSON.stringify({ [next.argument]: count })], stages.slice(1));
    }
    const limit = next?.name === "$limit" ? Number(next.argument) : undefined;
    const maxObjects =
      limit !== undefined && Number.isInteger(limit) && limit > 0 ? limit : MAX_PIPELINE_OBJECTS + 1;
    return runStages(scope, await loadObjects(scope, condition, maxObjects), stages);
  }

  async function loadObjects(scope: ReadScope, where: Condition, limit: number): Promise<string[]> {
    const texts = await reader.find(scope, { where, limit: Math.min(limit, MAX_PIPELINE_OBJECTS + 1) });
    if (texts.length > MAX_PIPELINE_OBJECTS) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        `The pipeline takes in more than ${MAX_PIPELINE_OBJECTS} objects: match fewer, or group them first.`,
      );
    }
    return texts;
  }

  async function runStages({ request }: ReadScope, texts: string[], stages: Stage[]): Promise<JsonValue[]> {
    if (stages.length === 0) return texts.map((text): JsonValue => JSON.parse(text));
    if (stages.some(({ argument }) => hasPattern(argument))) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$regex can only stand in the first match");
    }
    const lookupCollections: Record<string, string[]> = {};
    for (const from of lookupClasses(stages)) {
      const scope = access.authorizeRead(request, from, "find");
      lookupCollections[from] = scope ? await loadObjects(scope, EVERYTHING, MAX_PIPELINE_OBJECTS + 1) : [];
    }
    return aggregationWorker.run(
      texts,
      stages.map(({ name, argument }) => ({ [name]: argument })),
      lookupCollections,
    );
  }

  async function runGeoNear(scope: ReadScope, where: Condition, argument: JsonValue): Promise<string[]> {
    const { schema } = scope;
    const near = isJsonObject(argument) ? argument : {};
    const field = Object.keys(schema.fields).find((name) => schema.fields[name]?.type === "GeoPoint");
    const key = typeof near.key === "string" ? near.key : field;
    const { point, unit } = parseNearPoint(near.near);
    const { distanceField, maxDistance, distanceMultiplier = 1 } = near;
    if (!key || typeof distanceField !== "string") {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$geoNear takes near, key and distanceField");
    }
    const ownCondition = isJsonObject(near.query) ? parseCondition(near.query, schema) : EVERYTHING;
    const condition: Condition = {
      kind: "and",
      conditions: [
        where,
        ownCondition,
        {
          kind: "near",
          path: parsePath(key),
          point,
          maxDistance: typeof maxDistance === "number" ? maxDistance / unit : undefined,
        },
      ],
    };
    const texts = await loadObjects(scope, condition, MAX_PIPELINE_OBJECTS + 1);
    return texts.map((text) => {
      const object: JsonObject = JSON.parse(text);
      const at = object[key];
      const distance = isGeoPoint(at) ? distanceBetween(point, at) * unit : null;
      object[distanceField] = distance === null ? null : distance * Number(distanceMultiplier);
      return JSON.stringify(object);
    });
  }

  return { aggregate };
}

const EVERYTHING: Condition = { kind: "and", conditions: [] };

/** Renames `_id` and MongoDB's internal columns, as older clients and pipelines use them. */
function toServerFieldNames(stage: string, argument: JsonValue): JsonValue {
  if (stage !== "$lookup" || !isJsonObject(argument))
    return renameFields(expandPointerTexts(argument), toServerFieldName);
  const toName = (field: JsonValue | undefined) =>
    typeof field === "string" ? toServerFieldName(field) : null;
  const { localField, foreignField } = argument;
  return { ...argument, localField: toName(localField), foreignField: toName(foreignField) };
}

/** Operators on texts. A pointer operand becomes the text that MongoDB stores: `Class$id`. */
const TEXT_OPERATORS: ReadonlySet<string> = new Set(
  "$concat $indexOfBytes $indexOfCP $split $strLenBytes $strLenCP $substr $substrBytes $substrCP".split(" "),
);

/** Replaces `$_p_author` in text expressions with the `Class$id` of the pointer in `author`, as in MongoDB. */
function expandPointerTexts(value: JsonValue, isText = false): JsonValue {
  if (typeof value === "string" && isText && value.startsWith("$_p_")) {
    const field = value.slice("$_p_".length);
    return { $concat: [`$${field}.className`, { $literal: "$" }, `$${field}.objectId`] };
  }
  if (Array.isArray(value)) return value.map((item) => expandPointerTexts(item, isText));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const texts = expandPointerTexts(inner, TEXT_OPERATORS.has(key));
      return SUBSTRING_OPERATORS.has(key) ? ["$substrBytes", clampSubstring(texts)] : [key, texts];
    }),
  );
}

const SUBSTRING_OPERATORS: ReadonlySet<string> = new Set(["$substr", "$substrBytes"]);

/**
 * Supports substring operands that MongoDB accepts and the aggregation library does not: non-text values, ends beyond
 * the text, -1 for the remainder.
 */
function clampSubstring(operands: JsonValue): JsonValue {
  if (!Array.isArray(operands) || operands.length !== 3) return operands;
  const [value = null, start = null, length = null] = operands;
  const text = { $ifNull: [{ $toString: value }, ""] };
  const end = { $strLenBytes: text };
  const from = { $min: [start, end] };
  const rest = { $subtract: [end, from] };
  return [text, from, { $cond: [{ $lt: [length, 0] }, rest, { $min: [length, rest] }] }];
}

function toServerFieldName(field: string): string {
  const [head = "", ...rest] = field.split(".");
  const name = SERVER_FIELD_NAMES[head] ?? (head.startsWith("_p_") ? head.slice(3) : head);
  return [name, ...rest].join(".");
}

const SERVER_FIELD_NAMES: Readonly<Record<string, string>> = {
  objectId: "_id",
  _created_at: "createdAt",
  _updated_at: "updatedAt",
};

/** Converts a match to a condition for the database; undefined if only the aggregation worker can evaluate it. */
function parseMatch(argument: JsonValue, schema: ClassSchema): Condition | undefined {
  try {
    return parseCondition(argument, schema);
  } catch (error) {
    if (error instanceof ProtocolError && !hasPattern(argument)) return undefined;
    throw error;
  }
}

function parseCondition(where: JsonValue, schema: ClassSchema | undefined): Condition {
  return parseWhere(isJsonObject(where) ? toWireWhere(where, schema) : where);
}

/** Pipelines may contain dates as plain text and pointers as plain ids; converts them based on the schema. */
function toWireWhere(where: JsonObject, schema: ClassSchema | undefined): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(where)) {
    if (Array.isArray(value) && key.startsWith("$")) {
      result[key] = value.map((inner) => (isJsonObject(inner) ? toWireWhere(inner, schema) : inner));
      continue;
    }
    const name = key === "_id" ? "objectId" : key;
    const type = COLUMN_DATES.has(name) ? { type: "Date" as const } : schema?.fields[name];
    if (type?.type === "Date") result[name] = mapOperands(value, toWireDate);
    else if (type?.type === "Pointer") {
      const className = type.targetClass ?? "";
      result[name] = mapOperands(value, (operand) => {
        if (typeof operand !== "string") return operand;
        const prefix = `${className}$`;
        const objectId = operand.startsWith(prefix) ? operand.slice(prefix.length) : operand;
        return { __type: "Pointer", className, objectId };
      });
    } else result[name] = value;
  }
  return result;
}

const COLUMN_DATES: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);

function mapOperands(value: JsonValue, map: (operand: JsonValue) => JsonValue): JsonValue {
  if (!isJsonObject(value) || !Object.keys(value).some((key) => key.startsWith("$"))) return map(value);
  return Object.fromEntries(
    Object.entries(value).map(([operator, operand]) => [
      operator,
      Array.isArray(operand) ? operand.map(map) : map(operand),
    ]),
  );
}

function toWireDate(operand: JsonValue): JsonValue {
  if (typeof operand !== "string" || Number.isNaN(Date.parse(operand))) return operand;
  return { __type: "Date", iso: new Date(operand).toISOString() };
}

interface SqlGroup {
  group: StoreGroup;
  toObject(keys: JsonValue[], aggregates: (number | null)[]): JsonObject;
}

const SQL_AGGREGATES = { $sum: "sum", $avg: "avg", $min: "min", $max: "max" } as const;
const GROUPABLE_TYPES: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Pointer"]);

/** Converts a group stage to SQL if it groups by plain fields and aggregates numbers; otherwise returns undefined. */
function toSqlGroup(argument: JsonValue, schema: ClassSchema): SqlGroup | undefined {
  if (!isJsonObject(argument)) return undefined;
  const { _id, ...accumulators } = argument;
  const names = isJsonObject(_id) ? Object.entries(_id) : _id === null ? [] : [["", _id] as const];
  const keys = names.map(([, reference]) => fieldReference(reference, schema, GROUPABLE_TYPES));
  const group: StoreGroup = { keys: [], aggregates: [{ fn: "count" }] };
  for (const key of keys) {
    if (!key) return undefined;
    group.keys.push([key]);
  }
  const outputs: { name: string; at: number; factor: number; emptyValue: number | null }[] = [];
  for (const [name, accumulator] of Object.entries(accumulators)) {
    const entries = isJsonObject(accumulator) ? Object.entries(accumulator) : [];
    const [operator, operand] = entries[0] ?? [];
    if (entries.length !== 1 || operator === undefined || operand === undefined) return undefined;
    if (operator === "$count" || (operator === "$sum" && typeof operand === "number")) {
      outputs.push({ name, at: 0, factor: typeof operand === "number" ? operand : 1, emptyValue: 0 });
      continue;
    }
    const fn = Object.entries(SQL_AGGREGATES).find(([known]) => known === operator)?.[1];
    const field = fieldReference(operand, schema, NUMERIC_TYPES);
    if (!fn || !field) return undefined;
    group.aggregates.push({ fn, path: [field] });
    outputs.push({
      name,
      at: group.aggregates.length - 1,
      factor: 1,
      emptyValue: fn === "sum" ? 0 : null,
    });
  }
  return {
    group,
    toObject(values, numbers) {
      const keyValues = values.map((value) => (isJsonObject(value) ? (value.objectId ?? null) : value));
      const object: JsonObject = {
        objectId: isJsonObject(_id)
          ? Object.fromEntries(names.map(([name], i) => [name, keyValues[i] ?? null]))
          : keyValues[0] === ""
            ? null
            : (keyValues[0] ?? null),
      };
      for (const { name, at, factor, emptyValue } of outputs) {
        const number = numbers[at] ?? emptyValue;
        object[name] = number === null ? null : number * factor;
      }
      return object;
    },
  };
}

const NUMERIC_TYPES: ReadonlySet<string> = new Set(["Number"]);

function fieldReference(
  reference: JsonValue | undefined,
  schema: ClassSchema,
  types: ReadonlySet<string>,
): string | undefined {
  if (typeof reference !== "string" || !/^\$[A-Za-z]\w*$/.test(reference)) return undefined;
  const field = reference.slice(1);
  return types.has(schema.fields[field]?.type ?? "") ? field : undefined;
}

/** Returns the classes that lookup stages read. Throws 102 for classes that pipelines may not read. */
function lookupClasses(stages: Stage[]): string[] {
  return stages.flatMap(({ name, argument }): string[] => {
    if (name === "$facet" && isJsonObject(argument)) {
      return Object.values(argument).flatMap((inner) =>
        Array.isArray(inner)
          ? lookupClasses(
              inner.flatMap((stage) =>
                isJsonObject(stage)
                  ? Object.entries(stage).map(([key, value]) => ({ name: key, argument: value }))
                  : [],
              ),
            )
          : [],
      );
    }
    if (name !== "$lookup") return [];
    const from = isJsonObject(argument) ? argument.from : undefined;
    if (typeof from !== "string" || (from.startsWith("_") && from !== "_User" && from !== "_Role")) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$lookup takes the name of a class as from");
    }
    return [from];
  });
}

/** Parses a point in one of MongoDB's formats: [longitude, latitude] in radians, or GeoJSON in meters. */
function parseNearPoint(value: JsonValue | undefined): { point: Coordinates; unit: number } {
  const coordinates = isJsonObject(value) && !isGeoPoint(value) ? value.coordinates : value;
  if (isGeoPoint(value)) return { point: value, unit: 1 };
  if (Array.isArray(coordinates) && coordinates.length === 2) {
    const [longitude, latitude] = coordinates;
    if (typeof longitude === "number" && typeof latitude === "number") {
      return { point: { latitude, longitude }, unit: isJsonObject(value) ? EARTH_RADIUS_M : 1 };
    }
  }
  throw new ProtocolError(ErrorCode.INVALID_QUERY, "$geoNear takes a place as near");
}

/** Parses a parameter of a query string, which is JSON, a number, or text. */
function parseTextParameters(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === "string" ? parseTextParameter(inner) : inner,
    ]),
  );
}

function parseTextParameter(text: string): JsonValue {
  if (!/^[[{\d"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
