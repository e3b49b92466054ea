import { isJsonObject, type JsonValue } from "@purse/protocol";
import { compileAccumulator, type StartAccumulation } from "./accumulators.ts";
import { type Compiler, type Evaluate, namedJson, newVariable } from "./evaluation.ts";
import { splitPath } from "./fieldPaths.ts";
import { toDouble } from "./numbers.ts";
import { addTo, lengthOf, toUnit } from "./operators/dates.ts";
import { PipelineError } from "./pipelineError.ts";
import { compileAddFields } from "./projection.ts";
import { compileSortKeys, sortDocuments } from "./sortOrder.ts";
import type { CompileStage } from "./stage.ts";
import { UTC } from "./timeZones.ts";
import {
  compareValues,
  Document,
  isNullish,
  isNumeric,
  isSame,
  type Key,
  keyOf,
  type Value,
} from "./values.ts";

type SortKeys = ReturnType<typeof compileSortKeys>;

/** Computes a value for each document of a sorted partition. */
type WindowFunction = (partition: readonly Document[]) => Value[];

interface FunctionContext {
  compiler: Compiler;
  /** The sort order of the stage. */
  sortKeys: SortKeys;
  /** The sort order as it was sent. */
  sortBy: JsonValue;
}

const STAGE = "$setWindowFields";

export const setWindowFields: CompileStage = (argument, compiler) => {
  const {
    partitionBy = null,
    sortBy,
    output,
  } = namedJson(argument, STAGE, ["output"], ["partitionBy", "sortBy"]);
  if (!isJsonObject(output)) throw new PipelineError(`${STAGE} takes an object as output`);
  const partitionOf = compiler.expression(partitionBy);
  const sortKeys = sortBy === undefined ? [] : compileSortKeys(sortBy, STAGE);
  const context: FunctionContext = { compiler, sortKeys, sortBy: sortBy ?? null };
  const fields = Object.entries(output).map(([path, specification]) => {
    splitPath(path);
    return { path, compute: compileFunction(path, specification, context) };
  });
  const setFields = compileFieldSetter(
    fields.map(({ path }) => path),
    compiler,
  );
  return function* (documents) {
    const partitions = new Map<Key, Document[]>();
    for (const document of documents) {
      const value = partitionOf(document) ?? null;
      if (Array.isArray(value)) throw new PipelineError(`partitionBy of ${STAGE} must not be an array`);
      const key = keyOf(value);
      const known = partitions.get(key);
      if (known) known.push(document);
      else partitions.set(key, [document]);
    }
    for (const unsorted of partitions.values()) {
      const partition = sortKeys.length === 0 ? unsorted : sortDocuments(unsorted, sortKeys);
      const columns = fields.map(({ compute }) => compute(partition));
      for (const [at, document] of partition.entries()) {
        yield setFields(
          document,
          columns.map((column) => column[at] ?? null),
        );
      }
    }
  };
};

/** Returns a function that sets the values of fields, which may be those of nested objects. */
function compileFieldSetter(
  paths: readonly string[],
  compiler: Compiler,
): (document: Document, values: readonly Value[]) => Document {
  const variables = paths.map(newVariable);
  const named = Object.fromEntries(variables.map((variable, i) => [`field${i}`, variable]));
  const references = Object.fromEntries(paths.map((path, i) => [path, `$$field${i}`]));
  const set = compileAddFields(references, compiler.with(named), STAGE);
  return (document, values) => {
    variables.forEach((variable, i) => {
      variable.value = values[i];
    });
    return set(document);
  };
}

function compileFunction(path: string, specification: JsonValue, context: FunctionContext): WindowFunction {
  const { window, ...functions } = isJsonObject(specification) ? specification : {};
  const [entry, ...others] = Object.entries(functions);
  if (!entry || others.length > 0) {
    throw new PipelineError(`${STAGE} takes one operator for ${path.slice(0, 64)}`);
  }
  const [name, argument] = entry;
  const special = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (special) {
    if (window !== undefined && !WITH_WINDOW.has(name)) throw new PipelineError(`${name} takes no window`);
    return special(argument, context, window, name);
  }
  const start = compileAccumulator(name, argument, context.compiler);
  if (!start)
    throw new PipelineError(`Invalid aggregate operator: ${name.slice(0, 64)} is no function of a window`);
  return accumulate(start, compileWindow(window, context));
}

/** The positions of the first and last document in the window of a document; empty if the first is greater. */
type Bounds = (at: number) => readonly [number, number];
type Window = (partition: readonly Document[]) => Bounds;

const wholePartition: Window = (partition) => () => [0, partition.length - 1];

function compileWindow(window: JsonValue | undefined, context: FunctionContext): Window {
  if (window === undefined) return wholePartition;
  const { documents, range, unit } = namedJson(window, "a window", [], ["documents", "range", "unit"]);
  if (documents !== undefined && range === undefined && unit === undefined) {
    const [lower, upper] = boundsOf(documents, true);
    if (lower === undefined && upper === undefined) return wholePartition;
    requireSort("a window of documents", context);
    return (partition) => (at) => [
      lower === undefined ? 0 : Math.max(0, at + lower),
      upper === undefined ? partition.length - 1 : Math.min(partition.length - 1, at + upper),
    ];
  }
  if (range !== undefined && documents === undefined) return rangeWindow(range, unit, context);
  if (documents === undefined && unit === undefined) return wholePartition;
  throw new PipelineError("a window has either documents, or a range with or without a unit");
}

/** Parses the bounds of a window: numbers, or undefined for `unbounded`. */
function boundsOf(bounds: JsonValue, isInteger: boolean): [number | undefined, number | undefined] {
  const [lower, upper] = Array.isArray(bounds) && bounds.length === 2 ? bounds.map(boundOf) : [];
  if (lower === undefined || upper === undefined)
    throw new PipelineError("a window has a lower and an upper bound");
  for (const bound of [lower, upper]) {
    if (isInteger && Number.isFinite(bound) && !Number.isInteger(bound)) {
      throw new PipelineError("the bounds of a window of documents are whole numbers");
    }
  }
  if (lower > upper && Number.isFinite(lower) && Number.isFinite(upper)) {
    throw new PipelineError("the lower bound of a window is not above the upper one");
  }
  return [Number.isFinite(lower) ? lower : undefined, Number.isFinite(upper) ? upper : undefined];
}

function boundOf(bound: JsonValue): number {
  if (bound === "unbounded") return Number.POSITIVE_INFINITY;
  if (bound === "current") return 0;
  if (typeof bound === "number") return bound;
  throw new PipelineError("a bound of a window is a number, current or unbounded");
}

/** A window of the documents whose sort values are within a distance. */
function rangeWindow(range: JsonValue, unit: JsonValue | undefined, context: FunctionContext): Window {
  const [lower, upper] = boundsOf(range, unit !== undefined);
  const key = singleSortKey("a range", context);
  if (key.factor !== 1) throw new PipelineError("a range needs an ascending order");
  const units = unit === undefined ? undefined : toUnit(unit, "a window");
  const shifted = (value: Value, distance: number): Value => {
    if (units !== undefined && value instanceof Date)
      return new Date(addTo(value.getTime(), units, distance, UTC));
    if (units === undefined && isNumeric(value)) return toDouble(value) + distance;
    throw new PipelineError(
      `a range ${units === undefined ? "takes numbers" : "with a unit takes dates"} to sort by`,
    );
  };
  return (partition) => {
    const values = partition.map((document) => key.read(document));
    return (at) => {
      const value = values[at];
      let [first, last] = [0, partition.length - 1];
      if (lower !== undefined) {
        const least = shifted(value, lower);
        first = positionOf(values, (other) => compareValues(other, least) >= 0);
      }
      if (upper !== undefined) {
        const greatest = shifted(value, upper);
        last = positionOf(values, (other) => compareValues(other, greatest) > 0) - 1;
      }
      return [first, last];
    };
  };
}

/** The position of the first sorted value that passes a test; their number if none does. */
function positionOf(values: readonly Value[], test: (value: Value) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(values[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

function requireSort(what: string, { sortKeys }: FunctionContext): void {
  if (sortKeys.length === 0) throw new PipelineError(`${what} needs sortBy`);
}

function singleSortKey(what: string, { sortKeys }: FunctionContext): SortKeys[number] {
  const [key, ...others] = sortKeys;
  if (!key || others.length > 0) throw new PipelineError(`${what} needs sortBy with one field`);
  return key;
}

/** Computes an accumulator over the window of each document. A window that only grows is not computed anew. */
function accumulate(start: StartAccumulation, window: Window): WindowFunction {
  return (partition) => {
    const bounds = window(partition);
    let accumulation = start(new Document());
    let [from, to] = [0, -1];
    let value = copyOf(accumulation.value());
    return partition.map((_, at) => {
      const [first, last] = bounds(at);
      if (first === from && last === to) return value;
      if (first !== from || last < to) {
        accumulation = start(new Document());
        [from, to] = [first, first - 1];
      }
      for (; to < last; to += 1) {
        const document = partition[to + 1];
        if (document) accumulation.add(document);
      }
      value = copyOf(accumulation.value());
      return value;
    });
  };
}

/** Accumulations go on with the lists and objects that they return. */
function copyOf(value: Value): Value {
  if (Array.isArray(value)) return [...value];
  return value instanceof Document ? Object.assign(new Document(), value) : value;
}

type CompileFunction = (
  argument: JsonValue,
  context: FunctionContext,
  window: JsonValue | undefined,
  name: string,
) => WindowFunction;

/** The special functions that take a window. */
const WITH_WINDOW: ReadonlySet<string> = new Set([
  "$covariancePop",
  "$covarianceSamp",
  "$derivative",
  "$integral",
]);

function ranking(next: (rank: number, at: number, isTie: boolean) => number): CompileFunction {
  return (argument, context, _window, name) => {
    if (!isJsonObject(argument) || Object.keys(argument).length > 0) {
      throw new PipelineError(`${name} takes an empty object`);
    }
    const key = singleSortKey(name, context);
    return (partition) => {
      let rank = 0;
      let previous: Value;
      return partition.map((document, at) => {
        const value = key.read(document);
        rank = next(rank, at, at > 0 && isSame(value, previous));
        previous = value;
        return rank;
      });
    };
  };
}

const shift: CompileFunction = (argument, context, _window, name) => {
  const named = namedJson(argument, name, ["output", "by"], ["default"]);
  requireSort(name, context);
  const { by } = named;
  if (typeof by !== "number" || !Number.isInteger(by))
    throw new PipelineError(`${name} takes a whole number as by`);
  const output = context.compiler.expression(named.output ?? null);
  const fallback = context.compiler.expression(named.default ?? null);
  return (partition) =>
    partition.map((_, at) => {
      const document = partition[at + by];
      return document ? output(document) : fallback(new Document());
    });
};

/** The distance of two sort values: numbers, or dates in units of time. */
function distanceBetween(from: Value, to: Value, unit: string | undefined, name: string): number {
  if (from instanceof Date && to instanceof Date && unit !== undefined) {
    return (to.getTime() - from.getTime()) / (lengthOf(unit) ?? Number.NaN);
  }
  if (isNumeric(from) && isNumeric(to) && unit === undefined) return toDouble(to) - toDouble(from);
  throw new PipelineError(`${name} takes numbers to sort by, or dates with a unit`);
}

function inputWithUnit(argument: JsonValue, context: FunctionContext, name: string) {
  const { input = null, unit } = namedJson(argument, name, ["input"], ["unit"]);
  const units = unit === undefined ? undefined : toUnit(unit, name);
  if (units !== undefined && lengthOf(units) === undefined) {
    throw new PipelineError(`${name} takes a unit up to a week`);
  }
  return { input: context.compiler.expression(input), units, key: singleSortKey(name, context) };
}

function toNumber(value: Value, name: string): number {
  if (isNumeric(value)) return toDouble(value);
  throw new PipelineError(`${name} takes numbers as input`);
}

const derivative: CompileFunction = (argument, context, window, name) => {
  if (window === undefined) throw new PipelineError(`${name} takes a window`);
  const { input, units, key } = inputWithUnit(argument, context, name);
  const windowOf = compileWindow(window, context);
  return (partition) => {
    const bounds = windowOf(partition);
    return partition.map((_, at) => {
      const [from, to] = bounds(at);
      const [first, last] = [partition[from], partition[to]];
      if (!first || !last || to <= from) return null;
      const distance = distanceBetween(key.read(first), key.read(last), units, name);
      const change = toNumber(input(last), name) - toNumber(input(first), name);
      return distance === 0 ? null : change / distance;
    });
  };
};

/** The area below the line through the values (trapezoidal rule). */
const integral: CompileFunction = (argument, context, window, name) => {
  const { input, units, key } = inputWithUnit(argument, context, name);
  const windowOf = compileWindow(window, context);
  return (partition) => {
    const bounds = windowOf(partition);
    const areas = partition.map((document, at) => {
      const previous = partition[at - 1];
      if (!previous) return 0;
      const distance = distanceBetween(key.read(previous), key.read(document), units, name);
      return (distance * (toNumber(input(previous), name) + toNumber(input(document), name))) / 2;
    });
    return partition.map((_, at) => {
      const [from, to] = bounds(at);
      if (to < from) return null;
      return areas.slice(from + 1, to + 1).reduce((sum, area) => sum + area, 0);
    });
  };
};

const movingAverage: CompileFunction = (argument, context, _window, name) => {
  const named = namedJson(argument, name, ["input"], ["N", "alpha"]);
  requireSort(name, context);
  const { N: count, alpha } = named;
  const isCount = typeof count === "number" && Number.isInteger(count) && count > 0;
  const isWeight = typeof alpha === "number" && alpha > 0 && alpha < 1;
  if (isCount === isWeight || (count !== undefined && alpha !== undefined)) {
    throw new PipelineError(`${name} takes either a positive whole number as N, or an alpha between 0 and 1`);
  }
  const weight = isCount ? 2 / (count + 1) : Number(alpha);
  const input = context.compiler.expression(named.input ?? null);
  return (partition) => {
    let average: number | null = null;
    return partition.map((document) => {
      const value = input(document);
      if (isNumeric(value)) {
        const number = toDouble(value);
        average = average === null ? number : number * weight + average * (1 - weight);
      }
      return average;
    });
  };
};

function covariance(isSample: boolean): CompileFunction {
  return (argument, context, window, name) => {
    const [first = null, second = null, ...others] = Array.isArray(argument) ? argument : [];
    if (!Array.isArray(argument) || argument.length !== 2 || others.length > 0) {
      throw new PipelineError(`${name} takes a list of two expressions`);
    }
    const [x, y] = [context.compiler.expression(first), context.compiler.expression(second)];
    return accumulate(() => covarianceOf(x, y, isSample), compileWindow(window, context));
  };
}

function covarianceOf(x: Evaluate, y: Evaluate, isSample: boolean): ReturnType<StartAccumulation> {
  let [count, meanOfX, meanOfY, sum] = [0, 0, 0, 0];
  return {
    add(document) {
      const [a, b] = [x(document), y(document)];
      if (!isNumeric(a) || !isNumeric(b)) return;
      count += 1;
      const distance = toDouble(a) - meanOfX;
      meanOfX += distance / count;
      meanOfY += (toDouble(b) - meanOfY) / count;
      sum += distance * (toDouble(b) - meanOfY);
    },
    value() {
      const divisor = isSample ? count - 1 : count;
      return divisor < 1 ? null : sum / divisor;
    },
  };
}

/** Fills null and missing values between two numbers, in proportion to the sort values. */
const linearFill: CompileFunction = (argument, context, _window, name) => {
  const input = context.compiler.expression(argument);
  const key = singleSortKey(name, context);
  const positionOfDocument = (document: Document): number => {
    const value = key.read(document);
    if (value instanceof Date) return value.getTime();
    return toNumber(value, name);
  };
  return (partition) => {
    const values = partition.map((document) => input(document));
    const known = values.flatMap((value, at) => (isNullish(value) ? [] : [at]));
    let next = 0;
    return values.map((value, at) => {
      if (!isNullish(value)) return value;
      while ((known[next] ?? Number.POSITIVE_INFINITY) < at) next += 1;
      const [before, after] = [known[next - 1], known[next]];
      if (before === undefined || after === undefined) return null;
      const [start, middle, end] = [before, at, after].map((i) => {
        const document = partition[i];
        return document ? positionOfDocument(document) : 0;
      });
      const [from, to] = [toNumber(values[before], name), toNumber(values[after], name)];
      const share = ((middle ?? 0) - (start ?? 0)) / ((end ?? 0) - (start ?? 0));
      return from + (to - from) * share;
    });
  };
};

/** Repeats the last value that is not null. */
const lastObserved: CompileFunction = (argument, context) => {
  const input = context.compiler.expression(argument);
  return (partition) => {
    let observed: Value = null;
    return partition.map((document) => {
      observed = input(document) ?? observed;
      return observed;
    });
  };
};

const FUNCTIONS: Readonly<Record<string, CompileFunction>> = {
  $covariancePop: covariance(false),
  $covarianceSamp: covariance(true),
  $denseRank: ranking((rank, _at, isTie) => (isTie ? rank : rank + 1)),
  $derivative: derivative,
  $documentNumber: ranking((_rank, at) => at + 1),
  $expMovingAvg: movingAverage,
  $integral: integral,
  $linearFill: linearFill,
  $locf: lastObserved,
  $rank: ranking((rank, at, isTie) => (isTie ? rank : at + 1)),
  $shift: shift,
};

/** The names of the functions that only windows have. */
export const WINDOW_FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS);
