import { isJsonObject, type JsonValue } from "@purse/protocol";
import { type Accumulation, compileAccumulators } from "./accumulators.ts";
import { type Compiler, type Evaluate, namedJson } from "./evaluation.ts";
import { PipelineError } from "./pipelineError.ts";
import type { CompileStage, RunStage } from "./stage.ts";
import { compareValues, Document, type Key, keyOf, type Value } from "./values.ts";

type Accumulators = ReturnType<typeof compileAccumulators>;

/** A group of documents: its id and what is computed from its documents. */
class Group {
  readonly #id: Value;
  readonly #fields: { field: string; accumulation: Accumulation }[];

  constructor(id: Value, accumulators: Accumulators) {
    this.#id = id;
    // The fields of the key are all that arguments of accumulators such as `n` see.
    const group = id instanceof Document ? id : new Document();
    this.#fields = accumulators.map(({ field, start }) => ({ field, accumulation: start(group) }));
  }

  add(document: Document): void {
    for (const { accumulation } of this.#fields) accumulation.add(document);
  }

  result(): Document {
    const result = new Document();
    result._id = this.#id;
    for (const { field, accumulation } of this.#fields) result[field] = accumulation.value() ?? null;
    return result;
  }
}

/** Groups documents by the value of an expression; missing values are null. */
function groupBy(key: Evaluate, accumulators: Accumulators): (documents: Iterable<Document>) => Document[] {
  return (documents) => {
    const groups = new Map<Key, Group>();
    for (const document of documents) {
      const id = key(document) ?? null;
      const groupKey = keyOf(id);
      let group = groups.get(groupKey);
      if (!group) {
        group = new Group(id, accumulators);
        groups.set(groupKey, group);
      }
      group.add(document);
    }
    return [...groups.values()].map((group) => group.result());
  };
}

export const group: CompileStage = (argument, compiler) => {
  if (!isJsonObject(argument)) throw new PipelineError("group takes an object");
  const { _id = null, ...fields } = argument;
  return groupBy(compiler.expression(groupKey(_id)), compileAccumulators(fields, compiler, "$group"));
};

/**
 * The key of a group may be the column in which MongoDB has a pointer as text. The pointer itself takes its place: it
 * equals that text, and results have its id.
 */
function groupKey(key: JsonValue): JsonValue {
  return typeof key === "string" ? key.replace(/^\$_p_(\w+)$/, "$$$1") : key;
}

/** A stage that yields what a function makes of all documents. The documents are read when the first result is. */
export function collecting(compute: (documents: Iterable<Document>) => Iterable<Document>): RunStage {
  return function* (documents) {
    yield* compute(documents);
  };
}

export const sortByCount: CompileStage = (argument, compiler) => {
  if (!isJsonObject(argument) && !(typeof argument === "string" && argument.startsWith("$"))) {
    throw new PipelineError("$sortByCount takes a field or an expression");
  }
  const count = compileAccumulators({ count: { $sum: 1 } }, compiler, "$sortByCount");
  const counted = groupBy(compiler.expression(groupKey(argument)), count);
  return collecting((documents) => counted(documents).sort((a, b) => compareValues(b.count, a.count)));
};

function outputAccumulators(output: JsonValue | undefined, compiler: Compiler, stage: string): Accumulators {
  if (output === undefined) return compileAccumulators({ count: { $sum: 1 } }, compiler, stage);
  if (!isJsonObject(output)) throw new PipelineError(`${stage} takes an object as output`);
  return compileAccumulators(output, compiler, stage);
}

export const bucket: CompileStage = (argument, compiler) => {
  const {
    groupBy: by = null,
    boundaries,
    default: other,
    output,
  } = namedJson(argument, "$bucket", ["groupBy", "boundaries"], ["default", "output"]);
  if (!Array.isArray(boundaries) || boundaries.length < 2) {
    throw new PipelineError("$bucket takes a list of at least two boundaries");
  }
  const key = compiler.expression(by);
  const bounds = boundaries.map((bound) => compiler.expression(bound));
  const fallback = other === undefined ? undefined : compiler.expression(other);
  const accumulators = outputAccumulators(output, compiler, "$bucket");
  return collecting((documents) => {
    const bucketOf = bucketsBetween(
      bounds.map((bound) => bound(new Document())),
      fallback && { value: fallback(new Document()) },
    );
    const grouped = groupBy((document) => bucketOf(key(document)), accumulators);
    return grouped(documents).sort((a, b) => compareValues(a._id, b._id));
  });
};

/** Returns a function that finds the lower bound of the bucket of a value. Throws for bounds that do not ascend. */
function bucketsBetween(
  bounds: readonly Value[],
  other: { value: Value } | undefined,
): (value: Value) => Value {
  for (const [i, bound] of bounds.entries()) {
    if (i > 0 && compareValues(bounds[i - 1], bound) >= 0) {
      throw new PipelineError("the boundaries of $bucket ascend");
    }
  }
  return (value) => {
    const upper = bounds.findIndex((bound) => compareValues(value, bound) < 0);
    if (upper > 0) return bounds[upper - 1];
    if (!other) throw new PipelineError("a value is in no bucket, and $bucket has no default");
    return other.value;
  };
}

export const bucketAuto: CompileStage = (argument, compiler) => {
  const {
    groupBy: by = null,
    buckets,
    output,
  } = namedJson(argument, "$bucketAuto", ["groupBy", "buckets"], ["output"]);
  if (typeof buckets !== "number" || !Number.isInteger(buckets) || buckets <= 0) {
    throw new PipelineError("$bucketAuto takes a positive whole number as buckets");
  }
  const key = compiler.expression(by);
  const accumulators = outputAccumulators(output, compiler, "$bucketAuto");
  return collecting((documents) => {
    const rows = Array.from(documents, (document) => ({ document, value: key(document) ?? null }));
    rows.sort((a, b) => compareValues(a.value, b.value));
    return evenBuckets(rows, buckets, accumulators);
  });
};

interface Row {
  document: Document;
  value: Value;
}

/** Divides sorted rows into buckets of about the same size. Equal values are in the same bucket. */
function* evenBuckets(
  rows: readonly Row[],
  buckets: number,
  accumulators: Accumulators,
): Generator<Document> {
  const size = Math.max(1, Math.round(rows.length / buckets));
  let at = 0;
  for (let number = 1; number <= buckets && at < rows.length; number++) {
    const start = at;
    at = number === buckets ? rows.length : Math.min(start + size, rows.length);
    while (at < rows.length && compareValues(rows[at - 1]?.value, rows[at]?.value) === 0) at += 1;
    const min = rows[start]?.value;
    // The last bucket includes its greatest value; the others end before the next one begins.
    const max = (rows[at] ?? rows[at - 1])?.value;
    const bucketGroup = new Group(Object.assign(new Document(), { min, max }), accumulators);
    for (let i = start; i < at; i++) {
      const row = rows[i];
      if (row) bucketGroup.add(row.document);
    }
    yield bucketGroup.result();
  }
}
