import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { type Compiler, type Evaluate, namedJson, type Variable } from "./evaluation.ts";
import { splitPath } from "./fieldPaths.ts";
import { compileMatch } from "./match.ts";
import { valueCollector } from "./matchPaths.ts";
import { assertVariableName, compileVariables } from "./operators/logic.ts";
import { PipelineError } from "./pipelineError.ts";
import {
  type CompileStage,
  parsePipeline,
  type ReadClass,
  type RunStage,
  runStages,
  type StageContext,
} from "./stage.ts";
import { Document, type Key, keyOf, type Value } from "./values.ts";

function textArgument(argument: JsonObject, key: string, stage: string): string {
  const value = argument[key];
  if (typeof value === "string" && value !== "") return value;
  throw new PipelineError(`${stage} takes a string as ${key}`);
}

/** The name of a field that a stage adds: `as` of `$lookup`. Dots would set a field of an object. */
function newField(
  argument: JsonObject,
  key: string,
  stage: string,
): (document: Document, value: Value) => Document {
  const path = splitPath(textArgument(argument, key, stage));
  return (document, value) => withPath(document, path, value);
}

/** Returns a copy of a document with a value at a path; values that are no objects on the way are replaced. */
function withPath(document: Document, [name = "", ...rest]: readonly string[], value: Value): Document {
  const copy = Object.assign(new Document(), document);
  const inner = copy[name];
  if (rest.length === 0) copy[name] = value;
  else copy[name] = withPath(inner instanceof Document ? inner : new Document(), rest, value);
  return copy;
}

/** Documents by the values at a path, items of arrays included. Missing values are null. */
class PathIndex {
  readonly #documents: readonly Document[];
  readonly #positions = new Map<Key, number[]>();

  constructor(documents: readonly Document[], path: string) {
    this.#documents = documents;
    const collect = valueCollector(splitPath(path));
    for (const [position, document] of documents.entries()) {
      const keys = new Set<Key>();
      const values = collect(document);
      if (values.length === 0) keys.add(null);
      for (const value of values) {
        keys.add(keyOf(value ?? null));
        if (Array.isArray(value)) for (const item of value) keys.add(keyOf(item));
      }
      for (const key of keys) {
        const positions = this.#positions.get(key);
        if (positions) positions.push(position);
        else this.#positions.set(key, [position]);
      }
    }
  }

  /** The documents that have one of the values, in their order. */
  find(values: readonly Value[]): Document[] {
    const [only] = values;
    if (values.length === 1) return this.#at(this.#positions.get(keyOf(only)) ?? []);
    const positions = new Set(values.flatMap((value) => this.#positions.get(keyOf(value)) ?? []));
    return this.#at([...positions].sort((a, b) => a - b));
  }

  #at(positions: readonly number[]): Document[] {
    return positions
      .map((position) => this.#documents[position])
      .filter((document) => document !== undefined);
  }
}

/** Returns a function that collects the values of a local field of a join: items in place of arrays, null if missing. */
function localValues(path: string): (document: Document) => Value[] {
  const collect = valueCollector(splitPath(path));
  return (document) => {
    const values = collect(document);
    if (values.length === 0) return [null];
    return values.flatMap((value) => (Array.isArray(value) ? value : [value ?? null]));
  };
}

export const lookup: CompileStage = (argument, compiler, context) => {
  const named = namedJson(
    argument,
    "$lookup",
    ["from", "as"],
    ["localField", "foreignField", "let", "pipeline"],
  );
  const from = textArgument(named, "from", "$lookup");
  context.readsClass(from);
  const setField = newField(named, "as", "$lookup");
  const isEquality = "localField" in named || "foreignField" in named;
  if (!isEquality && !("pipeline" in named)) {
    throw new PipelineError("$lookup takes localField and foreignField, a pipeline, or all of them");
  }
  if ("let" in named && !("pipeline" in named)) throw new PipelineError("$lookup takes let with a pipeline");
  const local = isEquality ? localValues(textArgument(named, "localField", "$lookup")) : undefined;
  const foreignField = isEquality ? textArgument(named, "foreignField", "$lookup") : undefined;
  const inner =
    named.pipeline === undefined ? undefined : compileInner(named.let, named.pipeline, compiler, context);
  return function* (documents, readClass) {
    const objects = readClass(from);
    const index = foreignField === undefined ? undefined : new PathIndex(objects, foreignField);
    const start = inner?.start(readClass, index ? undefined : objects);
    for (const document of documents) {
      const equal = index && local ? index.find(local(document)) : objects;
      yield setField(document, start ? start(document, equal) : [...equal]);
    }
  };
};

interface InnerPipeline {
  /** Prepares the pipeline. `objects` are what it runs over each time; undefined if that differs by document. */
  start(
    readClass: ReadClass,
    objects: readonly Document[] | undefined,
  ): (document: Document, objects: readonly Document[]) => Document[];
}

/**
 * Compiles the pipeline of a `$lookup`. The stages before the first one that uses a variable run once, and a first
 * comparison of a field with a variable is answered from an index.
 */
function compileInner(
  variables: JsonValue | undefined,
  stages: JsonValue,
  compiler: Compiler,
  context: StageContext,
): InnerPipeline {
  const bindings = compileVariables(variables ?? {}, (expression) => compiler.expression(expression));
  for (const { key } of bindings) assertVariableName(key);
  const innerCompiler = compiler.with(
    Object.fromEntries(bindings.map(({ key, variable }) => [key, variable])),
  );
  const outer = [...innerCompiler.variables.values()];
  const uses = () => outer.reduce((sum, variable) => sum + variable.uses, 0);
  const list = parsePipeline(stages).map(({ name, argument }): JsonObject => ({ [name]: argument }));
  let constantStages = 0;
  const compiled: RunStage[] = [];
  for (const stage of list) {
    const before = uses();
    for (const run of context.pipeline([stage], innerCompiler)) compiled.push(run);
    if (constantStages === compiled.length - 1 && uses() === before) constantStages = compiled.length;
  }
  const [constant, varying] = [compiled.slice(0, constantStages), compiled.slice(constantStages)];
  const comparison = fieldComparison(list[constantStages], innerCompiler);

  const bind = (document: Document) => {
    const values = bindings.map(({ evaluate }) => evaluate(document));
    bindings.forEach(({ variable }, i) => {
      variable.value = values[i];
    });
  };
  return {
    start(readClass, objects) {
      if (objects === undefined) {
        return (document, equal) => {
          bind(document);
          return [...runStages(compiled, equal, readClass)];
        };
      }
      const shared = [...runStages(constant, objects, readClass)];
      if (varying.length === 0) return () => [...shared];
      const index = comparison && new ExactIndex(shared, comparison.field);
      return (document) => {
        bind(document);
        const found = index && comparison ? index.find(comparison.value(document)) : shared;
        return [...runStages(varying, found, readClass)];
      };
    },
  };
}

/** Documents by the value of an expression, which is compared as a whole. */
class ExactIndex {
  readonly #documents = new Map<Key, Document[]>();

  constructor(documents: readonly Document[], field: Evaluate) {
    for (const document of documents) {
      const key = keyOf(field(document));
      const known = this.#documents.get(key);
      if (known) known.push(document);
      else this.#documents.set(key, [document]);
    }
  }

  find(value: Value): readonly Document[] {
    return this.#documents.get(keyOf(value)) ?? [];
  }
}

interface Comparison {
  field: Evaluate;
  /** Does not depend on the document that is compared. */
  value: Evaluate;
}

/** Finds a comparison `{ $eq: ["$field", "$$variable"] }` that all matches of a `$match` satisfy. */
function fieldComparison(stage: JsonObject | undefined, compiler: Compiler): Comparison | undefined {
  const match = stage?.$match;
  const terms = isJsonObject(match) && match.$expr !== undefined ? conjunctionOf(match.$expr) : [];
  for (const term of terms) {
    const operands = isJsonObject(term) && Array.isArray(term.$eq) && term.$eq.length === 2 ? term.$eq : [];
    const field = operands.find((operand) => typeof operand === "string" && /^\$[^$]/.test(operand));
    const value = operands.find((operand) => isOuterVariable(operand, compiler.variables));
    if (field !== undefined && value !== undefined) {
      return { field: compiler.expression(field), value: compiler.expression(value) };
    }
  }
  return undefined;
}

function conjunctionOf(expression: JsonValue): JsonValue[] {
  const terms = isJsonObject(expression) ? expression.$and : undefined;
  return Array.isArray(terms) ? terms.flatMap(conjunctionOf) : [expression];
}

function isOuterVariable(operand: JsonValue, variables: ReadonlyMap<string, Variable>): boolean {
  if (typeof operand !== "string" || !operand.startsWith("$$")) return false;
  const [name = ""] = operand.slice(2).split(".");
  return variables.has(name);
}

export const unionWith: CompileStage = (argument, compiler, context) => {
  const named =
    typeof argument === "string"
      ? { coll: argument }
      : namedJson(argument, "$unionWith", ["coll"], ["pipeline"]);
  const from = textArgument(named, "coll", "$unionWith");
  context.readsClass(from);
  const stages = "pipeline" in named ? context.pipeline(named.pipeline ?? [], compiler) : [];
  return function* (documents, readClass) {
    yield* documents;
    yield* runStages(stages, readClass(from), readClass);
  };
};

export const graphLookup: CompileStage = (argument, compiler, context) => {
  const stage = "$graphLookup";
  const named = namedJson(
    argument,
    stage,
    ["from", "startWith", "connectFromField", "connectToField", "as"],
    ["maxDepth", "depthField", "restrictSearchWithMatch"],
  );
  const from = textArgument(named, "from", stage);
  context.readsClass(from);
  const setField = newField(named, "as", stage);
  const startWith = compiler.expression(named.startWith ?? null);
  const connectTo = textArgument(named, "connectToField", stage);
  const next = valueCollector(splitPath(textArgument(named, "connectFromField", stage)));
  const { maxDepth = null } = named;
  if (maxDepth !== null && (typeof maxDepth !== "number" || !Number.isInteger(maxDepth) || maxDepth < 0)) {
    throw new PipelineError(`${stage} takes a whole number that is not negative as maxDepth`);
  }
  const setDepth = "depthField" in named ? newField(named, "depthField", stage) : undefined;
  const matches =
    named.restrictSearchWithMatch === undefined
      ? () => true
      : compileMatch(named.restrictSearchWithMatch, compiler);
  return function* (documents, readClass) {
    const index = new PathIndex(readClass(from).filter(matches), connectTo);
    for (const document of documents) {
      const found = search(index, startWith(document), next, maxDepth ?? Number.POSITIVE_INFINITY);
      yield setField(
        document,
        Array.from(found, ([object, depth]) => (setDepth ? setDepth(object, BigInt(depth)) : object)),
      );
    }
  };
};

/** Searches breadth-first. Returns the documents with the number of steps to them. */
function search(
  index: PathIndex,
  start: Value,
  next: (document: Document) => Value[],
  maxDepth: number,
): Map<Document, number> {
  const found = new Map<Document, number>();
  const seen = new Set<Key>();
  let frontier: Value[] = Array.isArray(start) ? start : [start];
  for (let depth = 0; depth <= maxDepth && frontier.length > 0; depth++) {
    const unseen = frontier.filter((value) => value !== undefined && !seen.has(keyOf(value)));
    for (const value of unseen) seen.add(keyOf(value));
    const reached = unseen.length === 0 ? [] : index.find(unseen).filter((document) => !found.has(document));
    for (const document of reached) found.set(document, depth);
    frontier = reached.flatMap(next).flatMap((value) => (Array.isArray(value) ? value : [value]));
  }
  return found;
}
