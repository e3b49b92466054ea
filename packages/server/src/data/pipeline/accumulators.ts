import { isJsonObject, type JsonValue } from "@purse/protocol";
import { Decimal128 } from "./decimal128.ts";
import {
  argumentsOf,
  type Compiler,
  namedArguments,
  namedJson,
  type Operator,
  type Operators,
} from "./evaluation.ts";
import { Sum, toDouble } from "./numbers.ts";
import { toCount } from "./operators/arrays.ts";
import { mergeObjects } from "./operators/objects.ts";
import { PipelineError } from "./pipelineError.ts";
import { compileOrder } from "./sortOrder.ts";
import { compareValues, Document, isNullish, isNumeric, type Key, keyOf, type Value } from "./values.ts";

/** Computes a value from the documents of a group. */
export interface Accumulation {
  add(document: Document): void;
  /** Undefined is null in the result of a stage. */
  value(): Value;
}

/** Begins an accumulation. `group` is the key of the group if that is an object. */
export type StartAccumulation = (group: Document) => Accumulation;

/** Computes a value from values. */
interface Fold {
  add(value: Value): void;
  value(): Value;
}

type CompileAccumulator = (argument: JsonValue, compiler: Compiler, name: string) => StartAccumulation;

/** An accumulator of the values of one expression. */
function folding(start: (name: string) => Fold): CompileAccumulator {
  return (argument, compiler, name) => {
    if (Array.isArray(argument)) throw new PipelineError(`the accumulator ${name} takes one argument`);
    const evaluate = compiler.expression(argument);
    return () => {
      const fold = start(name);
      return { add: (document) => fold.add(evaluate(document)), value: fold.value };
    };
  };
}

function sum(): Fold {
  const total = new Sum();
  return {
    add(value) {
      if (isNumeric(value)) total.add(value);
    },
    value: () => total.value,
  };
}

function average(): Fold {
  const total = new Sum();
  let count = 0;
  return {
    add(value) {
      if (!isNumeric(value)) return;
      total.add(value);
      count += 1;
    },
    value: () => (count === 0 ? null : total.dividedBy(count)),
  };
}

/** The least or greatest value in BSON order; null and missing values do not count. */
function extreme(sign: 1 | -1): () => Fold {
  return () => {
    let best: Value;
    return {
      add(value) {
        if (isNullish(value)) return;
        if (best === undefined || compareValues(value, best) * sign < 0) best = value;
      },
      value: () => best,
    };
  };
}

/** The standard deviation (Welford's algorithm). */
function deviation(isSample: boolean): () => Fold {
  return () => {
    let count = 0;
    let mean = 0;
    let squares = 0;
    let hasDecimals = false;
    return {
      add(value) {
        if (!isNumeric(value)) return;
        hasDecimals ||= value instanceof Decimal128;
        const number = toDouble(value);
        count += 1;
        const distance = number - mean;
        mean += distance / count;
        squares += distance * (number - mean);
      },
      value() {
        const divisor = isSample ? count - 1 : count;
        if (divisor < 1) return null;
        const result = Math.sqrt(squares / divisor);
        return hasDecimals ? Decimal128.fromDouble(result) : result;
      },
    };
  };
}

function first(): Fold {
  let found: { value: Value } | undefined;
  return {
    add(value) {
      found ??= { value };
    },
    value: () => found?.value,
  };
}

function last(): Fold {
  let latest: Value;
  return {
    add(value) {
      latest = value;
    },
    value: () => latest,
  };
}

function push(): Fold {
  const items: Value[] = [];
  return {
    add(value) {
      if (value !== undefined) items.push(value);
    },
    value: () => items,
  };
}

function addToSet(): Fold {
  const items = new Map<Key, Value>();
  return {
    add(value) {
      if (value === undefined) return;
      const key = keyOf(value);
      if (!items.has(key)) items.set(key, value);
    },
    value: () => [...items.values()],
  };
}

function merge(name: string): Fold {
  const merged = new Document();
  return {
    add(value) {
      Object.assign(merged, mergeObjects([value], name));
    },
    value: () => merged,
  };
}

/** Accumulators such as `$firstN` that take `n` and an expression as `input`. */
function ofMany(start: (count: number) => Fold): CompileAccumulator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["input", "n"]);
    const [input, n] = [named.get("input"), named.get("n")];
    return (group) => {
      const fold = start(toCount(n(group), name));
      return { add: (document) => fold.add(input(document)), value: fold.value };
    };
  };
}

function firstMany(count: number): Fold {
  const items: Value[] = [];
  return {
    add(value) {
      if (items.length < count) items.push(value ?? null);
    },
    value: () => items,
  };
}

function lastMany(count: number): Fold {
  const items: Value[] = [];
  return {
    add(value) {
      items.push(value ?? null);
      // Removing a single item from the front would move all others each time.
      if (items.length > count * 2 + 1_000) items.splice(0, items.length - count);
    },
    value: () => items.slice(-count),
  };
}

/** Keeps the first values in an order. */
function firstInOrder<Item>(count: number, compare: (a: Item, b: Item) => number) {
  const items: Item[] = [];
  const sort = () => {
    items.sort(compare);
    items.length = Math.min(items.length, count);
  };
  return {
    add(item: Item) {
      items.push(item);
      if (items.length > count * 2 + 1_000) sort();
    },
    items() {
      sort();
      return items;
    },
  };
}

function extremes(sign: 1 | -1): (count: number) => Fold {
  return (count) => {
    const best = firstInOrder<Value>(count, (a, b) => compareValues(a, b) * sign);
    return {
      add(value) {
        if (!isNullish(value)) best.add(value);
      },
      value: () => best.items(),
    };
  };
}

/** `$top`, `$bottom`, `$topN` and `$bottomN`: outputs of the documents that are first or last in an order. */
function byOrder(isBottom: boolean, isMany: boolean): CompileAccumulator {
  return (argument, compiler, name) => {
    const { sortBy = null, ...others } = namedJson(argument, name, [
      "sortBy",
      "output",
      ...(isMany ? ["n"] : []),
    ]);
    const compare = compileOrder(sortBy, name);
    const named = namedArguments(others, compiler, name, Object.keys(others));
    const [output, n] = [named.get("output"), named.get("n")];
    return (group) => {
      const count = isMany ? toCount(n(group), name) : 1;
      let position = 0;
      const best = firstInOrder<{ document: Document; position: number }>(count, (a, b) => {
        // Of equal documents, the first ones are at the top and the last ones at the bottom.
        const order = compare(a.document, b.document) || a.position - b.position;
        return isBottom ? -order : order;
      });
      return {
        add(document) {
          best.add({ document, position });
          position += 1;
        },
        value() {
          const values = best.items().map(({ document }) => output(document) ?? null);
          if (isBottom) values.reverse();
          return isMany ? values : values[0];
        },
      };
    };
  };
}

/** The values at shares of sorted numbers; null without numbers. */
function percentiles(shares: readonly number[]): () => { add(value: Value): void; values(): Value[] } {
  return () => {
    const numbers: number[] = [];
    return {
      add(value) {
        if (isNumeric(value)) numbers.push(toDouble(value));
      },
      values() {
        numbers.sort((a, b) => a - b);
        return shares.map((share) => numbers[Math.max(0, Math.ceil(share * numbers.length) - 1)] ?? null);
      },
    };
  };
}

function percentileArguments(argument: JsonValue, compiler: Compiler, name: string) {
  const isMedian = name === "$median";
  const {
    input = null,
    method,
    p,
  } = namedJson(argument, name, ["input", "method", ...(isMedian ? [] : ["p"])]);
  if (method !== "approximate") throw new PipelineError(`${name} takes "approximate" as method`);
  const shares = isMedian ? [0.5] : p;
  if (!Array.isArray(shares) || shares.length === 0)
    throw new PipelineError(`${name} takes a list of numbers as p`);
  const numbers = shares.map((share) => {
    if (typeof share === "number" && share >= 0 && share <= 1) return share;
    throw new PipelineError(`${name} takes numbers between 0 and 1 as p`);
  });
  return {
    input: compiler.expression(input),
    start: percentiles(numbers),
    result: (values: Value[]): Value => (isMedian ? values[0] : values),
  };
}

const percentile: CompileAccumulator = (argument, compiler, name) => {
  const { input, start, result } = percentileArguments(argument, compiler, name);
  return () => {
    const found = start();
    return { add: (document) => found.add(input(document)), value: () => result(found.values()) };
  };
};

const count: CompileAccumulator = (argument, _compiler, name) => {
  if (!isJsonObject(argument) || Object.keys(argument).length > 0) {
    throw new PipelineError(`${name} takes an empty object`);
  }
  return () => {
    let documents = 0;
    return {
      add() {
        documents += 1;
      },
      value: () => documents,
    };
  };
};

const ACCUMULATORS: Readonly<Record<string, CompileAccumulator>> = {
  $addToSet: folding(addToSet),
  $avg: folding(average),
  $bottom: byOrder(true, false),
  $bottomN: byOrder(true, true),
  $count: count,
  $first: folding(first),
  $firstN: ofMany(firstMany),
  $last: folding(last),
  $lastN: ofMany(lastMany),
  $max: folding(extreme(-1)),
  $maxN: ofMany(extremes(-1)),
  $median: percentile,
  $mergeObjects: folding(merge),
  $min: folding(extreme(1)),
  $minN: ofMany(extremes(1)),
  $percentile: percentile,
  $push: folding(push),
  $stdDevPop: folding(deviation(false)),
  $stdDevSamp: folding(deviation(true)),
  $sum: folding(sum),
  $top: byOrder(false, false),
  $topN: byOrder(false, true),
};

/** Compiles an accumulator; returns undefined for an unknown one. */
export function compileAccumulator(
  name: string,
  argument: JsonValue,
  compiler: Compiler,
): StartAccumulation | undefined {
  return Object.hasOwn(ACCUMULATORS, name) ? ACCUMULATORS[name]?.(argument, compiler, name) : undefined;
}

/** Compiles the accumulators of the fields of a `$group` and the like. */
export function compileAccumulators(
  fields: Readonly<Record<string, JsonValue>>,
  compiler: Compiler,
  stage: string,
): { field: string; start: StartAccumulation }[] {
  return Object.entries(fields).map(([field, accumulator]) => {
    if (field.includes(".") || field.startsWith("$")) {
      throw new PipelineError(`invalid name of a field in ${stage}: ${field.slice(0, 64)}`);
    }
    const [entry, ...others] = isJsonObject(accumulator) ? Object.entries(accumulator) : [];
    if (!entry || others.length > 0) throw new PipelineError(`${stage} takes one accumulator for ${field}`);
    const [name, argument] = entry;
    const start = compileAccumulator(name, argument, compiler);
    if (!start) throw new PipelineError(`Invalid aggregate operator: ${name.slice(0, 64)} is no accumulator`);
    return { field, start };
  });
}

/** An accumulator as an expression: of the items of an array if that is its only argument, or of its arguments. */
function overArguments(start: () => Fold): Operator {
  return (argument, compiler, name) => {
    const operands = argumentsOf(argument, compiler, name, 0, Number.POSITIVE_INFINITY);
    return (document) => {
      const values = operands.map((operand) => operand(document));
      const [only] = values;
      const fold = start();
      for (const value of values.length === 1 && Array.isArray(only) ? only : values) fold.add(value);
      return fold.value() ?? null;
    };
  };
}

const percentileOf: Operator = (argument, compiler, name) => {
  const { input, start, result } = percentileArguments(argument, compiler, name);
  return (document) => {
    const found = start();
    const values = input(document);
    for (const value of Array.isArray(values) ? values : [values]) found.add(value);
    return result(found.values());
  };
};

export const ACCUMULATORS_AS_EXPRESSIONS: Operators = {
  $avg: overArguments(average),
  $max: overArguments(extreme(-1)),
  $median: percentileOf,
  $min: overArguments(extreme(1)),
  $percentile: percentileOf,
  $stdDevPop: overArguments(deviation(false)),
  $stdDevSamp: overArguments(deviation(true)),
  $sum: overArguments(sum),
};

/** The names of all accumulators. */
export const ACCUMULATOR_NAMES: readonly string[] = Object.keys(ACCUMULATORS);
