import {
  isJsonObject,
  isReservedKey,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  reservedKeyError,
} from "@purse/protocol";
import type { Compiler } from "./evaluation.ts";
import { PipelineError } from "./pipelineError.ts";
import type { Document } from "./values.ts";

/** One stage of a pipeline, named as in MongoDB: `$group`. */
export interface Stage {
  name: string;
  argument: JsonValue;
}

/** Returns all objects of a class that the request may read. */
export type ReadClass = (className: string) => readonly Document[];

/** Runs a stage over the documents that the previous one returns. */
export type RunStage = (documents: Iterable<Document>, readClass: ReadClass) => Iterable<Document>;

/** What the stages with pipelines of their own need to compile. */
export interface StageContext {
  /** Compiles a pipeline within a stage. */
  pipeline(stages: JsonValue, compiler: Compiler): RunStage[];
  /** Notes that a stage reads a class. Throws for classes that pipelines may not read. */
  readsClass(className: string): void;
}

export type CompileStage = (argument: JsonValue, compiler: Compiler, context: StageContext) => RunStage;

/** Maximum number of stages in a pipeline. */
const MAX_STAGES = 50;

/**
 * Parses a pipeline from the wire: a list of stages or an object of them, with or without `$` before their names. Throws
 * 102 for other values, 105 for reserved keys.
 */
export function parsePipeline(value: unknown): Stage[] {
  const list = Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? Object.entries(value).map(([name, argument]) => ({ [name]: argument }))
      : undefined;
  if (!list) throw new PipelineError("pipeline must be an array or an object");
  if (list.length > MAX_STAGES) throw new PipelineError(`a pipeline takes ${MAX_STAGES} stages at most`);
  assertKeys(list);
  return list.map(parseStage);
}

function parseStage(stage: unknown): Stage {
  const keys = isJsonObject(stage) ? Object.keys(stage) : [];
  const [key] = keys;
  if (!isJsonObject(stage) || key === undefined || keys.length !== 1) {
    throw new PipelineError(
      `Pipeline stages should only have one key but found ${keys.join(", ").slice(0, 200)}.`,
    );
  }
  const argument = stage[key] ?? null;
  if (key === "group" || key === "$group")
    return { name: "$group", argument: parseGroup(argument, key === "group") };
  return { name: key.startsWith("$") ? key : `$${key}`, argument };
}

/** Older clients name the group's key `objectId`. */
function parseGroup(value: JsonValue, isLegacy: boolean): JsonObject {
  if (!isJsonObject(value)) throw new PipelineError("group takes an object");
  const { objectId, ...rest } = value;
  if (objectId !== undefined && !isLegacy) {
    throw new PipelineError("Cannot use 'objectId' in aggregation stage $group.");
  }
  if (objectId !== undefined) return { _id: objectId, ...rest };
  if (!("_id" in rest)) throw new PipelineError("Invalid parameter for query: group. Missing key _id");
  return rest;
}

/** Throws 105 for keys that reach the prototypes of objects, and for values that nest too deeply. */
function assertKeys(value: JsonValue, depth = 0): void {
  if (depth > MAX_DEPTH) throw new PipelineError(`stages nest deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) for (const item of value) assertKeys(item, depth + 1);
  else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (key.split(".").some(isReservedKey)) throw reservedKeyError(key);
      assertKeys(inner, depth + 1);
    }
  }
}

/** Runs stages one after the other. */
export function runStages(
  stages: readonly RunStage[],
  documents: Iterable<Document>,
  readClass: ReadClass,
): Iterable<Document> {
  return stages.reduce((results, run) => run(results, readClass), documents);
}

/** A stage that changes each document on its own. */
export function mapping(change: (document: Document) => Document): RunStage {
  return function* (documents) {
    for (const document of documents) yield change(document);
  };
}
