import {
  assertClassName,
  type Condition,
  distanceBetween,
  ErrorCode,
  hasPattern,
  isGeoPoint,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Place,
  ProtocolError,
  parsePath,
  parsePipeline,
  parseWhere,
  renameFields,
  type Stage,
} from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { StoreGroup } from "../store/store.ts";
import type { ObjectReader } from "./objectReader.ts";
import type { Pipelines } from "./pipeline.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

/** Most objects that a pipeline takes into memory. */
const MAX_OBJECTS = 100_000;
const EARTH_RADIUS_M = 6_378_100;

export interface Aggregates {
  /** Carries out a pipeline over the objects of a class that a request may read. `params` as they travel. */
  aggregate(request: RequestContext, className: string, params: JsonObject): Promise<JsonValue[]>;
}

export interface AggregateDependencies {
  access: ReadAccess;
  reader: ObjectReader;
  pipelines: Pipelines;
}

/** What is asked of a class beside the pipeline. */
const OTHER_PARAMETERS = ["distinct", "where", "hint", "explain", "comment", "readPreference"] as const;

export function createAggregates({ access, reader, pipelines }: AggregateDependencies): Aggregates {
  const aggregate: Aggregates["aggregate"] = async (request, className, params) => {
    // Hidden fields cannot be removed from what a pipeline computes.
    if (request.auth.kind !== "master") {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized: master key is required", 403);
    }
    assertClassName(className);
    const { pipeline, ...rest } = params;
    const asked: JsonObject = { ...rest };
    for (const name of OTHER_PARAMETERS) delete asked[name];
    // Stages come as a pipeline, or each as a parameter; in a query string all of them are text.
    const given = pipeline === undefined ? asked : pipeline;
    const stages = parsePipeline(parsedTexts(given));
    const scope = access.authorizeRead(request, className, "find");
    const where = conditionOf(parsedTexts(params.where ?? {}), scope?.schema);
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
    const stages = all.map(({ name, argument }) => ({ name, argument: ownNames(name, argument) }));
    let condition = where;
    let next = stages[0];
    // What the database can choose, order and count by itself never gets into memory.
    while (next?.name === "$match") {
      const own = matchOf(next.argument, schema);
      if (!own) break;
      condition = { kind: "and", conditions: [condition, own] };
      stages.shift();
      next = stages[0];
    }
    const group = next?.name === "$group" ? groupOf(next.argument, schema) : undefined;
    if (group) {
      const rows = await reader.group(scope, condition, group.group);
      return finish(
        scope,
        rows.map((row) => JSON.stringify(group.toObject(row.keys, row.figures))),
        stages.slice(1),
      );
    }
    if (next?.name === "$geoNear") {
      return finish(scope, await nearest(scope, condition, next.argument), stages.slice(1));
    }
    if (next?.name === "$count" && typeof next.argument === "string") {
      const count = await reader.count(scope, condition);
      return count === 0 ? [] : finish(scope, [JSON.stringify({ [next.argument]: count })], stages.slice(1));
    }
    const limit = next?.name === "$limit" ? Number(next.argument) : undefined;
    const most = limit !== undefined && Number.isInteger(limit) && limit > 0 ? limit : MAX_OBJECTS + 1;
    return finish(scope, await objectsOf(scope, condition, most), stages);
  }

  async function objectsOf(scope: ReadScope, where: Condition, limit: number): Promise<string[]> {
    const texts = await reader.find(scope, { where, limit: Math.min(limit, MAX_OBJECTS + 1) });
    if (texts.length > MAX_OBJECTS) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        `The pipeline takes in more than ${MAX_OBJECTS} objects: match fewer, or group them first.`,
      );
    }
    return texts;
  }

  async function finish({ request }: ReadScope, texts: string[], stages: Stage[]): Promise<JsonValue[]> {
    if (stages.length === 0) return texts.map((text): JsonValue => JSON.parse(text));
    if (stages.some(({ argument }) => hasPattern(argument))) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$regex can only stand in the first match");
    }
    const others: Record<string, string[]> = {};
    for (const from of lookedUp(stages)) {
      const scope = access.authorizeRead(request, from, "find");
      others[from] = scope ? await objectsOf(scope, EVERYTHING, MAX_OBJECTS + 1) : [];
    }
    return pipelines.run(
      texts,
      stages.map(({ name, argument }) => ({ [name]: argument })),
      others,
    );
  }

  async function nearest(scope: ReadScope, where: Condition, argument: JsonValue): Promise<string[]> {
    const { schema } = scope;
    const near = isJsonObject(argument) ? argument : {};
    const field = Object.keys(schema.fields).find((name) => schema.fields[name]?.type === "GeoPoint");
    const key = typeof near.key === "string" ? near.key : field;
    const { place, unit } = placeOf(near.near);
    const { distanceField, maxDistance, distanceMultiplier = 1 } = near;
    if (!key || typeof distanceField !== "string") {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$geoNear takes near, key and distanceField");
    }
    const own = isJsonObject(near.query) ? conditionOf(near.query, schema) : EVERYTHING;
    const condition: Condition = {
      kind: "and",
      conditions: [
        where,
        own,
        {
          kind: "near",
          path: parsePath(key),
          place,
          maxDistance: typeof maxDistance === "number" ? maxDistance / unit : undefined,
        },
      ],
    };
    const texts = await objectsOf(scope, condition, MAX_OBJECTS + 1);
    return texts.map((text) => {
      const object: JsonObject = JSON.parse(text);
      const at = object[key];
      const distance = isGeoPoint(at) ? distanceBetween(place, at) * unit : null;
      object[distanceField] = distance === null ? null : distance * Number(distanceMultiplier);
      return JSON.stringify(object);
    });
  }

  return { aggregate };
}

const EVERYTHING: Condition = { kind: "and", conditions: [] };

/** `_id` and MongoDB's own columns, as older clients and pipelines name them. */
function ownNames(stage: string, argument: JsonValue): JsonValue {
  if (stage !== "$lookup" || !isJsonObject(argument)) return renameFields(pointerTexts(argument), ownName);
  const named = (field: JsonValue | undefined) => (typeof field === "string" ? ownName(field) : null);
  const { localField, foreignField } = argument;
  return { ...argument, localField: named(localField), foreignField: named(foreignField) };
}

/** Reads texts; a pointer given to one of them is the text that MongoDB keeps: `Class$id`. */
const TEXT_OPERATORS: ReadonlySet<string> = new Set(
  "$concat $indexOfBytes $indexOfCP $split $strLenBytes $strLenCP $substr $substrBytes $substrCP".split(" "),
);

/** Expressions as MongoDB takes them: `$_p_author` among texts becomes the `Class$id` of the pointer in `author`. */
function pointerTexts(value: JsonValue, isText = false): JsonValue {
  if (typeof value === "string" && isText && value.startsWith("$_p_")) {
    const field = value.slice("$_p_".length);
    return { $concat: [`$${field}.className`, { $literal: "$" }, `$${field}.objectId`] };
  }
  if (Array.isArray(value)) return value.map((item) => pointerTexts(item, isText));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const texts = pointerTexts(inner, TEXT_OPERATORS.has(key));
      return SUBSTRINGS.has(key) ? ["$substrBytes", withinText(texts)] : [key, texts];
    }),
  );
}

const SUBSTRINGS: ReadonlySet<string> = new Set(["$substr", "$substrBytes"]);

/** What MongoDB takes and the pipelines here do not: values that are no text, ends beyond it, -1 for the rest of it. */
function withinText(operands: JsonValue): JsonValue {
  if (!Array.isArray(operands) || operands.length !== 3) return operands;
  const [value = null, start = null, length = null] = operands;
  const text = { $ifNull: [{ $toString: value }, ""] };
  const end = { $strLenBytes: text };
  const from = { $min: [start, end] };
  const rest = { $subtract: [end, from] };
  return [text, from, { $cond: [{ $lt: [length, 0] }, rest, { $min: [length, rest] }] }];
}

function ownName(field: string): string {
  const [head = "", ...rest] = field.split(".");
  const name = OWN_NAMES[head] ?? (head.startsWith("_p_") ? head.slice(3) : head);
  return [name, ...rest].join(".");
}

const OWN_NAMES: Readonly<Record<string, string>> = {
  objectId: "_id",
  _created_at: "createdAt",
  _updated_at: "updatedAt",
};

/** A match that the database can judge; undefined for what only a pipeline can. */
function matchOf(argument: JsonValue, schema: ClassSchema): Condition | undefined {
  try {
    return conditionOf(argument, schema);
  } catch (error) {
    if (error instanceof ProtocolError && !hasPattern(argument)) return undefined;
    throw error;
  }
}

function conditionOf(where: JsonValue, schema: ClassSchema | undefined): Condition {
  return parseWhere(isJsonObject(where) ? wireWhere(where, schema) : where);
}

/** In a pipeline dates may be plain text, and pointers plain ids: the schema says what they are. */
function wireWhere(where: JsonObject, schema: ClassSchema | undefined): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(where)) {
    if (Array.isArray(value) && key.startsWith("$")) {
      result[key] = value.map((inner) => (isJsonObject(inner) ? wireWhere(inner, schema) : inner));
      continue;
    }
    const name = key === "_id" ? "objectId" : key;
    const type = COLUMN_DATES.has(name) ? { type: "Date" as const } : schema?.fields[name];
    if (type?.type === "Date") result[name] = mapOperands(value, dateOf);
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

function dateOf(operand: JsonValue): JsonValue {
  if (typeof operand !== "string" || Number.isNaN(Date.parse(operand))) return operand;
  return { __type: "Date", iso: new Date(operand).toISOString() };
}

interface SqlGroup {
  group: StoreGroup;
  toObject(keys: JsonValue[], figures: (number | null)[]): JsonObject;
}

const FIGURES = { $sum: "sum", $avg: "avg", $min: "min", $max: "max" } as const;
const PLAIN_KEYS: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Pointer"]);

/** A group that the database can make: by plain fields, with figures of numbers. Undefined for all others. */
function groupOf(argument: JsonValue, schema: ClassSchema): SqlGroup | undefined {
  if (!isJsonObject(argument)) return undefined;
  const { _id, ...figures } = argument;
  const names = isJsonObject(_id) ? Object.entries(_id) : _id === null ? [] : [["", _id] as const];
  const keys = names.map(([, reference]) => plainField(reference, schema, PLAIN_KEYS));
  const group: StoreGroup = { keys: [], figures: [{ figure: "count" }] };
  for (const key of keys) {
    if (!key) return undefined;
    group.keys.push([key]);
  }
  const outputs: { name: string; at: number; factor: number; none: number | null }[] = [];
  for (const [name, accumulator] of Object.entries(figures)) {
    const entries = isJsonObject(accumulator) ? Object.entries(accumulator) : [];
    const [operator, operand] = entries[0] ?? [];
    if (entries.length !== 1 || operator === undefined || operand === undefined) return undefined;
    if (operator === "$count" || (operator === "$sum" && typeof operand === "number")) {
      outputs.push({ name, at: 0, factor: typeof operand === "number" ? operand : 1, none: 0 });
      continue;
    }
    const figure = Object.entries(FIGURES).find(([known]) => known === operator)?.[1];
    const field = plainField(operand, schema, NUMBERS);
    if (!figure || !field) return undefined;
    group.figures.push({ figure, path: [field] });
    outputs.push({ name, at: group.figures.length - 1, factor: 1, none: figure === "sum" ? 0 : null });
  }
  return {
    group,
    toObject(values, numbers) {
      const plain = values.map((value) => (isJsonObject(value) ? (value.objectId ?? null) : value));
      const object: JsonObject = {
        objectId: isJsonObject(_id)
          ? Object.fromEntries(names.map(([name], i) => [name, plain[i] ?? null]))
          : plain[0] === ""
            ? null
            : (plain[0] ?? null),
      };
      for (const { name, at, factor, none } of outputs) {
        const number = numbers[at] ?? none;
        object[name] = number === null ? null : number * factor;
      }
      return object;
    },
  };
}

const NUMBERS: ReadonlySet<string> = new Set(["Number"]);

function plainField(
  reference: JsonValue | undefined,
  schema: ClassSchema,
  types: ReadonlySet<string>,
): string | undefined {
  if (typeof reference !== "string" || !/^\$[A-Za-z]\w*$/.test(reference)) return undefined;
  const field = reference.slice(1);
  return types.has(schema.fields[field]?.type ?? "") ? field : undefined;
}

/** The classes that lookups read. Throws 102 for those that no pipeline may. */
function lookedUp(stages: Stage[]): string[] {
  return stages.flatMap(({ name, argument }): string[] => {
    if (name === "$facet" && isJsonObject(argument)) {
      return Object.values(argument).flatMap((inner) =>
        Array.isArray(inner)
          ? lookedUp(
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

/** MongoDB takes places as [longitude, latitude], in radians, or as GeoJSON, in metres. */
function placeOf(value: JsonValue | undefined): { place: Place; unit: number } {
  const coordinates = isJsonObject(value) && !isGeoPoint(value) ? value.coordinates : value;
  if (isGeoPoint(value)) return { place: value, unit: 1 };
  if (Array.isArray(coordinates) && coordinates.length === 2) {
    const [longitude, latitude] = coordinates;
    if (typeof longitude === "number" && typeof latitude === "number") {
      return { place: { latitude, longitude }, unit: isJsonObject(value) ? EARTH_RADIUS_M : 1 };
    }
  }
  throw new ProtocolError(ErrorCode.INVALID_QUERY, "$geoNear takes a place as near");
}

/** What a query string brings as text is JSON, a number, or text. */
function parsedTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, typeof inner === "string" ? parsedText(inner) : inner]),
  );
}

function parsedText(text: string): JsonValue {
  if (!/^[[{\d"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
