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
  parseList,
  parsePath,
  parsePipeline,
  type Stage,
} from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";
import type { AggregationWorker } from "./aggregationWorker.ts";
import { explainedQuery } from "./explainedQuery.ts";
import type { ObjectReader } from "./objectReader.ts";
import { toServerFieldNames } from "./pipelineFieldNames.ts";
import { toSqlGroup } from "./pipelineGroup.ts";
import { parseCondition, parseMatch } from "./pipelineMatch.ts";
import { parseTextParameters, parseTexts } from "./pipelineParameters.ts";
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
const OTHER_PARAMETERS = [
  "distinct",
  "where",
  "$where",
  "hint",
  "explain",
  "comment",
  "readPreference",
] as const;

export function createAggregates({ access, reader, aggregationWorker }: AggregateDependencies): Aggregates {
  const aggregate: Aggregates["aggregate"] = async (request, className, params) => {
    // Hidden fields cannot be removed from the result of a pipeline.
    assertMaster(request);
    assertClassName(className);
    const { pipeline, ...rest } = params;
    const stageParams: JsonObject = { ...rest };
    for (const name of OTHER_PARAMETERS) delete stageParams[name];
    // Stages are sent as a pipeline or as individual parameters; in a query string all of them are text.
    const pipelineParam = pipeline === undefined ? stageParams : pipeline;
    const stages = parsePipeline(parseTextParameters(pipelineParam));
    const scope = access.authorizeRead(request, className, "find");
    const where = parseCondition(parseTexts(params.where ?? params.$where ?? {}), scope?.schema);
    if (!scope) return [];
    if (params.distinct !== undefined)
      return distinct(scope, where, parseList(params.distinct, "distinct", 1)[0] ?? "");
    if (params.explain !== undefined && params.explain !== false) {
      const command = {
        aggregate: className,
        pipeline: stages.map(({ name, argument }) => ({ [name]: argument })),
      };
      return [explainedQuery(command, await reader.explain(scope, { where }), params)];
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
    // What the database can filter, sort and count itself is not loaded into memory.
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

  async function loadObjects(scope: ReadScope, where: Condition, limit: number): Promise<readonly string[]> {
    const texts = await reader.find(scope, { where, limit: Math.min(limit, MAX_PIPELINE_OBJECTS + 1) });
    if (texts.length > MAX_PIPELINE_OBJECTS) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        `The pipeline takes in more than ${MAX_PIPELINE_OBJECTS} objects: match fewer, or group them first.`,
      );
    }
    return texts;
  }

  async function runStages(
    { request }: ReadScope,
    texts: readonly string[],
    stages: Stage[],
  ): Promise<JsonValue[]> {
    if (stages.length === 0) return texts.map((text): JsonValue => JSON.parse(text));
    if (stages.some(({ argument }) => hasPattern(argument))) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$regex can only stand in the first match");
    }
    const lookupCollections: Record<string, readonly string[]> = {};
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
