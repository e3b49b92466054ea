import {
  assertClassName,
  type Condition,
  type Coordinates,
  distanceBetween,
  ErrorCode,
  isExplained,
  isGeoPoint,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseList,
  parsePath,
} from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";
import { MAX_ANSWER_BYTES } from "../../core/limits/answerSize.ts";
import { currentAnswer } from "../../core/limits/requestScope.ts";
import { PipelineError } from "../pipeline/pipelineError.ts";
import { parsePipeline, type Stage } from "../pipeline/stage.ts";
import type { AggregationWorker } from "./aggregationWorker.ts";
import { explainedQuery } from "./explainedQuery.ts";
import type { ObjectReader } from "./objectReader.ts";
import { withoutExtendedJson } from "./pipelineExtendedJson.ts";
import { groupResult, toSqlGroup } from "./pipelineGroup.ts";
import { parseCondition, splitMatch } from "./pipelineMatch.ts";
import { parseTextParameters, parseTexts } from "./pipelineParameters.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

/** Maximum number of objects that a pipeline loads into memory. */
const MAX_PIPELINE_OBJECTS = 100_000;
const EARTH_RADIUS_M = 6_378_100;

export interface Aggregates {
  /**
   * Runs an aggregation pipeline over the objects of a class that a request may read, and returns the JSON text of each
   * result: its numbers may have more digits than a double. `params` are in wire format. Rejects with 116 if the results
   * are too large.
   */
  aggregate(request: RequestContext, className: string, params: JsonObject): Promise<readonly string[]>;
}

export interface AggregateDependencies {
  access: ReadAccess;
  reader: ObjectReader;
  aggregationWorker: AggregationWorker;
  maxAnswerBytes?: number;
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

/** The operators of pipelines are only loaded once a pipeline is requested. */
const loadCompiler = () => import("../pipeline/pipeline.ts");

export function createAggregates({
  access,
  reader,
  aggregationWorker,
  maxAnswerBytes = MAX_ANSWER_BYTES,
}: AggregateDependencies): Aggregates {
  const aggregate: Aggregates["aggregate"] = async (request, className, params) => {
    const texts = await resultsOf(request, className, params);
    await currentAnswer(maxAnswerBytes).reserve(texts.reduce((sum, { length }) => sum + length + 1, 0));
    return texts;
  };

  const resultsOf: Aggregates["aggregate"] = async (request, className, params) => {
    // Hidden fields cannot be removed from the result of a pipeline.
    assertMaster(request);
    assertClassName(className);
    const { pipeline, ...rest } = params;
    const stageParams: JsonObject = { ...rest };
    for (const name of OTHER_PARAMETERS) delete stageParams[name];
    // Stages are sent as a pipeline or as individual parameters; in a query string all of them are text.
    const sent = parseTextParameters(pipeline === undefined ? stageParams : pipeline);
    const stages = asInvalidQuery(() => parsePipeline(withoutExtendedJson(sent)));
    const scope = access.authorizeRead(request, className, "find");
    const where = parseCondition(parseTexts(params.where ?? params.$where ?? {}), scope?.schema);
    const explained = async (command: JsonObject, of: ReadScope) => [
      JSON.stringify(explainedQuery(command, await reader.explain(of, { where }), params)),
    ];
    if (params.distinct !== undefined) {
      if (stages.length > 0)
        throw new ProtocolError(ErrorCode.INVALID_QUERY, "distinct cannot be combined with stages");
      const [key = ""] = parseList(params.distinct, "distinct", 1);
      if (!scope) return [];
      if (isExplained(params)) return explained({ distinct: className, key }, scope);
      const values = await distinct(scope, where, key);
      return values.map((value) => JSON.stringify(value));
    }
    const plan = await planPipeline(stages, scope, where);
    if (!scope) return [];
    if (isExplained(params)) {
      const pipeline = stages.map(({ name, argument }) => ({ [name]: argument }));
      return explained({ aggregate: className, pipeline }, scope);
    }
    return run(scope, plan);
  };

  async function distinct(scope: ReadScope, where: Condition, key: string): Promise<JsonValue[]> {
    const values = await reader.distinct(scope, where, parsePath(key));
    const seen = new Map<string, JsonValue>();
    for (const value of values.flat()) {
      if (value !== null) seen.set(JSON.stringify(value), value);
    }
    return [...seen.values()];
  }

  /** Divides a pipeline into a condition for the database and the stages that follow, and compiles these. */
  async function planPipeline(
    all: readonly Stage[],
    scope: ReadScope | undefined,
    where: Condition,
  ): Promise<Plan> {
    const { compilePipeline } = await loadCompiler();
    const stages = [...all];
    let condition = where;
    let first = stages[0];
    // What the database can filter, sort and count itself is not loaded into memory.
    while (first?.name === "$match" && isJsonObject(first.argument)) {
      const { condition: own, rest } = splitMatch(first.argument, scope?.schema);
      condition = { kind: "and", conditions: [condition, own] };
      stages.shift();
      if (rest) {
        stages.unshift({ name: "$match", argument: rest });
        break;
      }
      first = stages[0];
    }
    const near = first?.name === "$geoNear" && stages[0] === first ? stages.shift() : undefined;
    const { classes } = asInvalidQuery(() => compilePipeline(stages));
    return { condition, near: near?.argument, stages, classes };
  }

  async function run(
    scope: ReadScope,
    { condition, near, stages, classes }: Plan,
  ): Promise<readonly string[]> {
    const lookupCollections: Record<string, readonly string[]> = {};
    const load = async (texts: readonly string[], following: readonly Stage[]) => {
      if (following.length === 0) return texts;
      for (const from of classes) {
        const foreign = access.authorizeRead(scope.request, from, "find");
        lookupCollections[from] = foreign
          ? await loadObjects(foreign, EVERYTHING, MAX_PIPELINE_OBJECTS + 1)
          : [];
      }
      return aggregationWorker.run(texts, following, lookupCollections);
    };
    if (near !== undefined) return load(await runGeoNear(scope, condition, near), stages);
    const [first, ...others] = stages;
    const group = first?.name === "$group" ? toSqlGroup(first.argument, scope.schema) : undefined;
    if (group) {
      const objects = await runGroup(scope, condition, group);
      if (others.length === 0) return objects.map((object) => JSON.stringify(groupResult(object)));
      return load(
        objects.map((object) => JSON.stringify(object)),
        others,
      );
    }
    if (first?.name === "$count" && typeof first.argument === "string") {
      const count = await reader.count(scope, condition);
      return count === 0 ? [] : load([JSON.stringify({ [first.argument]: count })], others);
    }
    const limit = first?.name === "$limit" ? Number(first.argument) : MAX_PIPELINE_OBJECTS + 1;
    return load(await loadObjects(scope, condition, limit), stages);
  }

  async function runGroup(
    scope: ReadScope,
    condition: Condition,
    group: NonNullable<ReturnType<typeof toSqlGroup>>,
  ): Promise<JsonObject[]> {
    const rows = await reader.group(scope, condition, group.statement);
    const exact = group.exactStatement(rows);
    return (exact ? await reader.group(scope, condition, exact) : rows).map(group.toObject);
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

interface Plan {
  condition: Condition;
  /** The argument of a `$geoNear` before the stages. */
  near: JsonValue | undefined;
  stages: readonly Stage[];
  /** The classes that the stages read. */
  classes: readonly string[];
}

const EVERYTHING: Condition = { kind: "and", conditions: [] };

/** Runs a function; errors of the pipeline become errors 102. */
function asInvalidQuery<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    throw new ProtocolError(ErrorCode.INVALID_QUERY, error.message.slice(0, 300));
  }
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
