import { isJsonObject } from "@purse/protocol";
import {
  argumentsOf,
  binary,
  type Evaluate,
  MISSING,
  namedArguments,
  namedJson,
  newVariable,
  type Operator,
  type Operators,
  unary,
  variadic,
  wrongType,
} from "../evaluation.ts";
import { toDouble } from "../numbers.ts";
import { PipelineError } from "../pipelineError.ts";
import { compileOrder } from "../sortOrder.ts";
import {
  compareValues,
  Document,
  isNullish,
  isNumeric,
  isSame,
  isTrue,
  keyOf,
  type Value,
} from "../values.ts";
import { assertVariableName } from "./logic.ts";

/** Returns a whole number of 32 bits. Throws for other values. */
export function toIndex(value: Value, name: string): number {
  const number = isNumeric(value) ? toDouble(value) : Number.NaN;
  if (Number.isInteger(number) && Math.abs(number) <= 2 ** 31) return number;
  throw wrongType(name, "whole numbers of 32 bits", value);
}

function toNaturalNumber(value: Value, name: string): number {
  const number = toIndex(value, name);
  if (number < 0) throw new PipelineError(`${name} takes numbers that are not negative`);
  return number;
}

/** Returns the number of elements of `$firstN` and the like. */
export function toCount(value: Value, name: string): number {
  const number = isNumeric(value) ? toDouble(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new PipelineError(`${name} takes a positive whole number as n`);
}

function toArray(value: Value, name: string): Value[] {
  if (Array.isArray(value)) return value;
  throw wrongType(name, "an array", value);
}

function elementAt([array, position]: Value[], name: string): Value {
  if (isNullish(array) || isNullish(position)) return null;
  return toArray(array, name).at(toIndex(position, name));
}

function arrayToObject(value: Value, name: string): Value {
  if (isNullish(value)) return null;
  const document = new Document();
  for (const item of toArray(value, name)) {
    const [key, inner] = entryOf(item, name);
    if (key.includes("\0")) throw new PipelineError(`${name} takes no keys with a NUL`);
    document[key] = inner;
  }
  return document;
}

function entryOf(item: Value, name: string): [string, Value] {
  if (Array.isArray(item) && item.length === 2 && typeof item[0] === "string") return [item[0], item[1]];
  if (
    item instanceof Document &&
    Object.keys(item).length === 2 &&
    typeof item.k === "string" &&
    "v" in item
  ) {
    return [item.k, item.v];
  }
  throw new PipelineError(`${name} takes pairs of a key and a value, or objects with k and v`);
}

function concatArrays(values: Value[], name: string): Value {
  const result: Value[] = [];
  for (const value of values) {
    if (isNullish(value)) return null;
    for (const item of toArray(value, name)) result.push(item);
  }
  return result;
}

/** Operators that evaluate an expression for each item of `input`, as the variable `as`. */
function overItems(
  body: "cond" | "in",
  compute: (items: Value[], evaluate: (item: Value) => Value, limit: number) => Value,
): Operator {
  return (argument, compiler, name) => {
    const optional = body === "cond" ? ["as", "limit"] : ["as"];
    const {
      input = null,
      as = "this",
      limit,
      ...rest
    } = namedJson(argument, name, ["input", body], optional);
    if (typeof as !== "string") throw new PipelineError(`${name} takes the name of a variable as as`);
    assertVariableName(as);
    const items = compiler.expression(input);
    const variable = newVariable();
    const evaluate = compiler.with({ [as]: variable }).expression(rest[body] ?? null);
    const maximum = limit === undefined ? undefined : compiler.expression(limit);
    return (document) => {
      const array = items(document);
      if (isNullish(array)) return null;
      const limitValue = maximum?.(document);
      const ofItem = (item: Value) => {
        variable.value = item;
        return evaluate(document);
      };
      return compute(
        toArray(array, name),
        ofItem,
        isNullish(limitValue) ? Number.POSITIVE_INFINITY : toCount(limitValue, name),
      );
    };
  };
}

const reduce: Operator = (argument, compiler, name) => {
  const {
    input = null,
    initialValue = null,
    in: body = null,
  } = namedJson(argument, name, ["input", "initialValue", "in"]);
  const items = compiler.expression(input);
  const initial = compiler.expression(initialValue);
  const [item, value] = [newVariable(), newVariable()];
  const evaluate = compiler.with({ this: item, value }).expression(body);
  return (document) => {
    const array = items(document);
    if (isNullish(array)) return null;
    let result = initial(document);
    for (const each of toArray(array, name)) {
      item.value = each;
      value.value = result;
      result = evaluate(document);
    }
    return result;
  };
};

/** `$first` and `$last` of an array. */
export function endOfArray(position: 0 | -1) {
  return (value: Value, name: string): Value => (isNullish(value) ? null : toArray(value, name).at(position));
}

/** Operators such as `$firstN` that take `n` and an array as `input`. */
function ofMany(select: (items: Value[], count: number) => Value[]): Operator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["n", "input"]);
    const [n, input] = [named.get("n"), named.get("input")];
    return (document) => select(toArray(input(document), name), toCount(n(document), name));
  };
}

function indexOf(values: Value[], name: string): Value {
  const [array, searched, start, end] = values;
  if (isNullish(array)) return null;
  const items = toArray(array, name);
  const from = values.length > 2 ? toNaturalNumber(start, name) : 0;
  const to = values.length > 3 ? Math.min(toNaturalNumber(end, name), items.length) : items.length;
  for (let i = from; i < to; i++) if (isSame(items[i], searched)) return i;
  return -1;
}

function objectToArray(value: Value, name: string): Value {
  if (isNullish(value)) return null;
  if (!(value instanceof Document)) throw wrongType(name, "an object", value);
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([k, v]) => Object.assign(new Document(), { k, v }));
}

function range(values: Value[], name: string): Value {
  const [start, end] = [toIndex(values[0], name), toIndex(values[1], name)];
  const step = values.length > 2 ? toIndex(values[2], name) : 1;
  if (step === 0) throw new PipelineError("$range takes a step other than 0");
  const result: Value[] = [];
  for (let i = start; step > 0 ? i < end : i > end; i += step) result.push(i);
  return result;
}

function slice(values: Value[], name: string): Value {
  if (values.some(isNullish)) return null;
  const items = toArray(values[0], name);
  const first = toIndex(values[1], name);
  if (values.length === 2) return first < 0 ? items.slice(first) : items.slice(0, first);
  const count = toIndex(values[2], name);
  if (count <= 0) throw new PipelineError("$slice takes a positive number of items after a position");
  const from = first < 0 ? Math.max(items.length + first, 0) : first;
  return items.slice(from, from + count);
}

const sortArray: Operator = (argument, compiler, name) => {
  const { input = null, sortBy = null } = namedJson(argument, name, ["input", "sortBy"]);
  const items = compiler.expression(input);
  const compare = isJsonObject(sortBy)
    ? compileOrder(sortBy, name)
    : sortBy === 1
      ? compareValues
      : sortBy === -1
        ? (a: Value, b: Value) => compareValues(b, a)
        : undefined;
  if (!compare) throw new PipelineError(`${name} takes 1, -1 or an object of them as sortBy`);
  return (document) => {
    const array = items(document);
    return isNullish(array) ? null : toArray(array, name).toSorted(compare);
  };
};

const zip: Operator = (argument, compiler, name) => {
  const {
    inputs,
    useLongestLength = false,
    defaults,
  } = namedJson(argument, name, ["inputs"], ["useLongestLength", "defaults"]);
  if (!Array.isArray(inputs) || inputs.length === 0)
    throw new PipelineError(`${name} takes a list of inputs`);
  if (typeof useLongestLength !== "boolean") {
    throw new PipelineError(`${name} takes a boolean as useLongestLength`);
  }
  if (
    defaults !== undefined &&
    (!useLongestLength || !Array.isArray(defaults) || defaults.length !== inputs.length)
  ) {
    throw new PipelineError(`${name} takes defaults with useLongestLength, one for each input`);
  }
  const arrays = inputs.map((input) => compiler.expression(input));
  const fillers: Evaluate[] = Array.isArray(defaults)
    ? defaults.map((value) => compiler.expression(value))
    : [];
  return (document) => {
    const lists: Value[][] = [];
    for (const evaluate of arrays) {
      const array = evaluate(document);
      if (isNullish(array)) return null;
      lists.push(toArray(array, name));
    }
    const lengths = lists.map(({ length }) => length);
    const length = useLongestLength ? Math.max(...lengths) : Math.min(...lengths);
    const fill = fillers.map((evaluate) => evaluate(document));
    return Array.from({ length }, (_, at) =>
      lists.map((list, i) => (at < list.length ? list[at] : fill[i]) ?? null),
    );
  };
};

export const ARRAYS: Operators = {
  $arrayElemAt: variadic(elementAt, 2, 2),
  $arrayToObject: unary(arrayToObject),
  $concatArrays: variadic(concatArrays),
  $filter: overItems("cond", (items, evaluate, limit) => {
    const found: Value[] = [];
    for (const item of items) {
      if (found.length >= limit) break;
      if (isTrue(evaluate(item))) found.push(item);
    }
    return found;
  }),
  $firstN: ofMany((items, count) => items.slice(0, count)),
  $in: binary((value, array, name) => toArray(array, name).some((item) => isSame(item, value))),
  $indexOfArray: variadic(indexOf, 2, 4),
  $isArray: unary((value) => Array.isArray(value)),
  $lastN: ofMany((items, count) => items.slice(-count)),
  $map: overItems("in", (items, evaluate) => items.map((item) => evaluate(item) ?? null)),
  $maxN: ofMany((items, count) =>
    items
      .filter((item) => !isNullish(item))
      .sort((a, b) => compareValues(b, a))
      .slice(0, count),
  ),
  $minN: ofMany((items, count) =>
    items
      .filter((item) => !isNullish(item))
      .sort(compareValues)
      .slice(0, count),
  ),
  $objectToArray: unary(objectToArray),
  $range: variadic(range, 2, 3),
  $reduce: reduce,
  $reverseArray: unary((value, name) => (isNullish(value) ? null : toArray(value, name).toReversed())),
  $size: unary((value, name) => toArray(value, name).length),
  $slice: variadic(slice, 2, 3),
  $sortArray: sortArray,
  $zip: zip,
};

/** The distinct values of a list, by key. */
function distinct(items: Value[]): Map<ReturnType<typeof keyOf>, Value> {
  const values = new Map<ReturnType<typeof keyOf>, Value>();
  for (const item of items) {
    const key = keyOf(item);
    if (!values.has(key)) values.set(key, item);
  }
  return values;
}

/** An operator on sets that is null if one of them is null or missing. */
function ofSets(combine: (sets: Value[][]) => Value, min = 0, max?: number): Operator {
  return variadic(
    (values, name) => (values.some(isNullish) ? null : combine(values.map((value) => toArray(value, name)))),
    min,
    max,
  );
}

/** `$allElementsTrue` and `$anyElementTrue`: one argument, an array. */
function elements(test: (items: Value[]) => boolean): Operator {
  return (argument, compiler, name) => {
    const [array = MISSING] = argumentsOf(argument, compiler, name, 1);
    return (document) => test(toArray(array(document), name));
  };
}

export const SETS: Operators = {
  $allElementsTrue: elements((items) => items.every(isTrue)),
  $anyElementTrue: elements((items) => items.some(isTrue)),
  $setDifference: ofSets(
    ([from = [], removed = []]) => {
      const without = distinct(removed);
      return [...distinct(from)].flatMap(([key, value]) => (without.has(key) ? [] : [value]));
    },
    2,
    2,
  ),
  $setEquals: variadic((values, name) => {
    const [first = new Map(), ...others] = values.map((value) => distinct(toArray(value, name)));
    return others.every(
      (other) => other.size === first.size && [...first.keys()].every((key) => other.has(key)),
    );
  }, 2),
  $setIntersection: ofSets(([first = [], ...others]) => {
    const sets = others.map(distinct);
    return [...distinct(first)].flatMap(([key, value]) => (sets.every((set) => set.has(key)) ? [value] : []));
  }),
  $setIsSubset: binary((a, b, name) => {
    const [subset, set] = [toArray(a, name), distinct(toArray(b, name))];
    return subset.every((item) => set.has(keyOf(item)));
  }),
  $setUnion: ofSets((sets) => [...distinct(sets.flat()).values()]),
};
