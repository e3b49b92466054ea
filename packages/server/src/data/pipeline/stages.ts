import { isJsonObject, type JsonValue } from "@purse/protocol";
import { namedJson, newVariable } from "./evaluation.ts";
import { nameWithin, splitPath } from "./fieldPaths.ts";
import { bucket, bucketAuto, collecting, group, sortByCount } from "./grouping.ts";
import { graphLookup, lookup, unionWith } from "./joins.ts";
import { compileMatch } from "./match.ts";
import { PipelineError } from "./pipelineError.ts";
import { compileAddFields, compileProject, compileUnset } from "./projection.ts";
import { compileSortKeys, sortDocuments } from "./sortOrder.ts";
import { type CompileStage, mapping, runStages } from "./stage.ts";
import { Document, isNullish, typeName, type Value } from "./values.ts";
import { setWindowFields } from "./windows.ts";

function integerOf(argument: JsonValue, stage: string, min: number): number {
  if (typeof argument === "number" && Number.isSafeInteger(argument) && argument >= min) return argument;
  throw new PipelineError(`${stage} takes a whole number from ${min}`);
}

const match: CompileStage = (argument, compiler) => {
  const matches = compileMatch(argument, compiler);
  return function* (documents) {
    for (const document of documents) if (matches(document)) yield document;
  };
};

const limit: CompileStage = (argument) => {
  const count = integerOf(argument, "$limit", 1);
  return function* (documents) {
    let passed = 0;
    for (const document of documents) {
      yield document;
      passed += 1;
      if (passed === count) return;
    }
  };
};

const skip: CompileStage = (argument) => {
  const count = integerOf(argument, "$skip", 0);
  return function* (documents) {
    let skipped = 0;
    for (const document of documents) {
      if (skipped >= count) yield document;
      skipped += 1;
    }
  };
};

const sort: CompileStage = (argument) => {
  const keys = compileSortKeys(argument, "$sort");
  return collecting((documents) => sortDocuments(documents, keys));
};

/** Takes documents at random, each at most once. */
const sample: CompileStage = (argument) => {
  const { size = null } = namedJson(argument, "$sample", ["size"]);
  const count = integerOf(size, "$sample", 1);
  return collecting((documents) => {
    const pool = [...documents];
    const picked = Math.min(count, pool.length);
    for (let i = 0; i < picked; i++) {
      const other = i + Math.floor(Math.random() * (pool.length - i));
      const [first, second] = [pool[i], pool[other]];
      if (first && second) [pool[i], pool[other]] = [second, first];
    }
    return pool.slice(0, picked);
  });
};

const count: CompileStage = (argument) => {
  if (typeof argument !== "string" || !/^[^$.\0][^.\0]*$/.test(argument)) {
    throw new PipelineError("$count takes the name of a field");
  }
  return function* (documents) {
    let total = 0;
    for (const _ of documents) total += 1;
    if (total > 0) yield Object.assign(new Document(), { [argument]: total });
  };
};

const replaceRoot: CompileStage = (argument, compiler) => {
  const { newRoot = null } = namedJson(argument, "$replaceRoot", ["newRoot"]);
  return replaceWith(newRoot, compiler, { pipeline: () => [], readsClass: () => undefined });
};

const replaceWith: CompileStage = (argument, compiler) => {
  const evaluate = compiler.expression(argument);
  return mapping((document) => {
    const root = evaluate(document);
    if (root instanceof Document) return root;
    throw new PipelineError(`a document can only be replaced with an object, not with ${typeName(root)}`);
  });
};

const unwind: CompileStage = (argument) => {
  const named = typeof argument === "string" ? { path: argument } : argument;
  const {
    path,
    includeArrayIndex,
    preserveNullAndEmptyArrays = false,
  } = namedJson(named, "$unwind", ["path"], ["includeArrayIndex", "preserveNullAndEmptyArrays"]);
  if (typeof path !== "string" || !path.startsWith("$"))
    throw new PipelineError("$unwind takes a path with $");
  if (typeof preserveNullAndEmptyArrays !== "boolean") {
    throw new PipelineError("$unwind takes a boolean as preserveNullAndEmptyArrays");
  }
  if (
    includeArrayIndex !== undefined &&
    (typeof includeArrayIndex !== "string" || includeArrayIndex === "")
  ) {
    throw new PipelineError("$unwind takes the name of a field as includeArrayIndex");
  }
  const names = splitPath(path.slice(1));
  const indexNames = includeArrayIndex === undefined ? undefined : splitPath(includeArrayIndex);
  const result = (document: Document, index: bigint | null) =>
    indexNames ? withValue(document, indexNames, index) : document;
  return function* (documents) {
    for (const document of documents) {
      const value = valueAt(document, names);
      if (Array.isArray(value) && value.length > 0) {
        for (const [index, item] of value.entries()) {
          yield result(withValue(document, names, item), BigInt(index));
        }
      } else if (!Array.isArray(value) && !isNullish(value)) yield result(document, null);
      else if (preserveNullAndEmptyArrays) {
        yield result(Array.isArray(value) ? withValue(document, names, undefined) : document, null);
      }
    }
  };
};

/** Reads a path of objects; arrays have no fields. */
function valueAt(document: Document, names: readonly string[]): Value {
  return names.reduce<Value>(
    (value, name) => (value instanceof Document ? value[nameWithin(value, name)] : undefined),
    document,
  );
}

/** Returns a copy of a document with another value at a path of objects; without the field if it is undefined. */
function withValue(document: Document, [name = "", ...rest]: readonly string[], value: Value): Document {
  const copy = Object.assign(new Document(), document);
  const own = nameWithin(document, name);
  const inner = copy[own];
  if (rest.length > 0) copy[own] = withValue(inner instanceof Document ? inner : new Document(), rest, value);
  else if (value === undefined) delete copy[own];
  else copy[own] = value;
  return copy;
}

/** What the expression of `$redact` decides. */
const DECISIONS = { DESCEND: new Document(), KEEP: new Document(), PRUNE: new Document() };

const redact: CompileStage = (argument, compiler) => {
  const root = newVariable();
  const decide = compiler
    .with({
      ROOT: root,
      DESCEND: { ...newVariable(), value: DECISIONS.DESCEND },
      KEEP: { ...newVariable(), value: DECISIONS.KEEP },
      PRUNE: { ...newVariable(), value: DECISIONS.PRUNE },
    })
    .expression(argument);
  const redacted = (document: Document): Document | undefined => {
    const decision = decide(document);
    if (decision === DECISIONS.KEEP) return document;
    if (decision === DECISIONS.PRUNE) return undefined;
    if (decision !== DECISIONS.DESCEND) {
      throw new PipelineError("$redact takes an expression that returns $$DESCEND, $$PRUNE or $$KEEP");
    }
    const result = new Document();
    for (const name in document) {
      const value = redactedValue(document[name]);
      if (value !== undefined) result[name] = value;
    }
    return result;
  };
  const redactedValue = (value: Value): Value => {
    if (value instanceof Document) return redacted(value);
    if (!Array.isArray(value)) return value;
    return value.map(redactedValue).filter((item) => item !== undefined);
  };
  return function* (documents) {
    for (const document of documents) {
      root.value = document;
      const result = redacted(document);
      if (result) yield result;
    }
  };
};

const facet: CompileStage = (argument, compiler, context) => {
  if (!isJsonObject(argument) || Object.keys(argument).length === 0) {
    throw new PipelineError("$facet takes an object of pipelines");
  }
  const facets = Object.entries(argument).map(([name, stages]) => {
    if (name.startsWith("$") || name.includes(".")) {
      throw new PipelineError(`invalid name of a facet: ${name.slice(0, 64)}`);
    }
    return { name, stages: context.pipeline(stages, compiler) };
  });
  return function* (documents, readClass) {
    const input = [...documents];
    const result = new Document();
    for (const { name, stages } of facets) result[name] = [...runStages(stages, input, readClass)];
    yield result;
  };
};

/** The stages by name. `$geoNear` is not among them: only the database can run it, as the first stage. */
export const STAGES: Readonly<Record<string, CompileStage>> = {
  $addFields: (argument, compiler) => mapping(compileAddFields(argument, compiler, "$addFields")),
  $bucket: bucket,
  $bucketAuto: bucketAuto,
  $count: count,
  $facet: facet,
  $graphLookup: graphLookup,
  $group: group,
  $limit: limit,
  $lookup: lookup,
  $match: match,
  $project: (argument, compiler) => mapping(compileProject(argument, compiler)),
  $redact: redact,
  $replaceRoot: replaceRoot,
  $replaceWith: replaceWith,
  $sample: sample,
  $set: (argument, compiler) => mapping(compileAddFields(argument, compiler, "$set")),
  $setWindowFields: setWindowFields,
  $skip: skip,
  $sort: sort,
  $sortByCount: sortByCount,
  $unionWith: unionWith,
  $unset: (argument) => mapping(compileUnset(argument)),
  $unwind: unwind,
};
