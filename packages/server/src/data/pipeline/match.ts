import { isJsonObject, type JsonObject, type JsonValue, MAX_REGEX_LENGTH } from "@purse/protocol";
import { compileRegex } from "../../core/regex.ts";
import { parseDateText } from "./dateTexts.ts";
import type { Compiler } from "./evaluation.ts";
import { pointerField, splitPath } from "./fieldPaths.ts";
import { valueCollector } from "./matchPaths.ts";
import { toDouble } from "./numbers.ts";
import { PipelineError } from "./pipelineError.ts";
import {
  compareValues,
  Document,
  isNullish,
  isNumeric,
  isSame,
  isTrue,
  keyOf,
  pointerText,
  typeName,
  type Value,
} from "./values.ts";
import { isTypedJson, toValue } from "./wireDocuments.ts";

/** Tests a document. */
export type Matches = (document: Document) => boolean;
/** Tests the values to which the path of a condition leads, maybe with the items of arrays among them. */
type Test = (values: readonly Value[], withItems: boolean) => boolean;

/** Compiles the condition of a `$match`. Throws for unknown operators. */
export function compileMatch(condition: JsonValue, compiler: Compiler): Matches {
  if (!isJsonObject(condition)) throw new PipelineError("$match takes an object");
  const tests = Object.entries(condition).map(([key, value]) =>
    key.startsWith("$") ? compileOperator(key, value, compiler) : compileField(key, value, compiler),
  );
  return (document) => tests.every((matches) => matches(document));
}

function compileOperator(name: string, argument: JsonValue, compiler: Compiler): Matches {
  switch (name) {
    case "$and":
    case "$or":
    case "$nor": {
      if (!Array.isArray(argument) || argument.length === 0) {
        throw new PipelineError(`${name} takes a list with at least one condition`);
      }
      const branches = argument.map((branch) => compileMatch(branch, compiler));
      if (name === "$and") return (document) => branches.every((matches) => matches(document));
      const isAny: Matches = (document) => branches.some((matches) => matches(document));
      return name === "$or" ? isAny : (document) => !isAny(document);
    }
    case "$expr": {
      const evaluate = compiler.expression(argument);
      return (document) => isTrue(evaluate(document));
    }
    case "$sampleRate": {
      if (typeof argument !== "number" || argument < 0 || argument > 1) {
        throw new PipelineError("$sampleRate takes a number between 0 and 1");
      }
      return () => Math.random() < argument;
    }
    case "$comment":
      return () => true;
    default:
      throw unknownOperator(name);
  }
}

/** Conditions that only the database can test. */
const DATABASE_OPERATORS: ReadonlySet<string> = new Set([
  "$text",
  "$nearSphere",
  "$geoWithin",
  "$within",
  "$geoIntersects",
  "$relatedTo",
  "$inQuery",
  "$notInQuery",
  "$select",
  "$dontSelect",
  "$containedBy",
]);

function unknownOperator(name: string): PipelineError {
  return new PipelineError(
    DATABASE_OPERATORS.has(name)
      ? `${name} can only stand in the first $match, without $expr and the like beside it in an $or`
      : `Invalid aggregate operator: ${name.slice(0, 64)}`,
  );
}

function compileField(path: string, condition: JsonValue, compiler: Compiler): Matches {
  const names = splitPath(path);
  const last = names.at(-1) ?? "";
  const collect = valueCollector(names);
  const test = compileCondition(condition, compiler, pointerField(last) !== undefined);
  return (document) => test(collect(document), true);
}

/** Whether a condition has operators; other objects are values. */
function hasOperators(condition: JsonValue): condition is JsonObject {
  return isJsonObject(condition) && Object.keys(condition).some((key) => key.startsWith("$"));
}

function compileCondition(condition: JsonValue, compiler: Compiler, isPointerColumn: boolean): Test {
  if (!hasOperators(condition)) return equalTo(condition);
  const tests = Object.entries(condition).flatMap(([name, argument]): Test[] => {
    if (!name.startsWith("$")) throw new PipelineError("a condition mixes operators and plain keys");
    if (name === "$options") {
      if (!("$regex" in condition)) throw new PipelineError("$options goes with $regex");
      return [];
    }
    if (name === "$regex") return [matching(argument, condition.$options, isPointerColumn)];
    return [compileTest(name, argument, compiler, isPointerColumn)];
  });
  return (values, withItems) => tests.every((test) => test(values, withItems));
}

function compileTest(name: string, argument: JsonValue, compiler: Compiler, isPointerColumn: boolean): Test {
  switch (name) {
    case "$eq":
      return equalTo(argument);
    case "$ne":
      return not(equalTo(argument));
    case "$gt":
      return ordered(argument, (order) => order > 0, false);
    case "$gte":
      return ordered(argument, (order) => order >= 0, true);
    case "$lt":
      return ordered(argument, (order) => order < 0, false);
    case "$lte":
      return ordered(argument, (order) => order <= 0, true);
    case "$in":
      return oneOf(toList(name, argument));
    case "$nin":
      return not(oneOf(toList(name, argument)));
    case "$exists": {
      const isWanted = isTrue(toValue(argument));
      return (values) => values.some((value) => value !== undefined) === isWanted;
    }
    case "$not":
      if (!hasOperators(argument)) throw new PipelineError("$not takes a condition with operators");
      return not(compileCondition(argument, compiler, isPointerColumn));
    case "$all": {
      const tests = toList(name, argument).map((operand) =>
        hasOperators(operand) ? compileCondition(operand, compiler, isPointerColumn) : equalTo(operand),
      );
      return (values, withItems) => tests.length > 0 && tests.every((test) => test(values, withItems));
    }
    case "$elemMatch": {
      const matches = compileElement(argument, compiler);
      return (values) => values.some((value) => Array.isArray(value) && value.some(matches));
    }
    case "$size": {
      if (typeof argument !== "number" || !Number.isInteger(argument) || argument < 0) {
        throw new PipelineError("$size takes a whole number that is not negative");
      }
      return (values) => values.some((value) => Array.isArray(value) && value.length === argument);
    }
    case "$type":
      return ofType(Array.isArray(argument) ? argument : [argument]);
    case "$mod":
      return withRemainder(argument);
    case "$bitsAllSet":
      return withBits(argument, name, (bits, mask) => (bits & mask) === mask);
    case "$bitsAnySet":
      return withBits(argument, name, (bits, mask) => (bits & mask) !== 0n);
    case "$bitsAllClear":
      return withBits(argument, name, (bits, mask) => (bits & mask) === 0n);
    case "$bitsAnyClear":
      return withBits(argument, name, (bits, mask) => (bits & mask) !== mask);
    default:
      throw unknownOperator(name);
  }
}

function toList(name: string, argument: JsonValue): JsonValue[] {
  if (Array.isArray(argument)) return argument;
  throw new PipelineError(`${name} takes a list`);
}

function not(test: Test): Test {
  return (values, withItems) => !test(values, withItems);
}

/** Whether a value, or an item of an array, passes a test. */
function any(test: (value: Value) => boolean): Test {
  return (values, withItems) =>
    values.some(
      (value) => test(value) || (withItems && Array.isArray(value) && value.some((item) => test(item))),
    );
}

const isAnyNull = any(isNullish);
/** Whether a path leads to null, or to nothing. */
const isNull: Test = (values, withItems) => values.length === 0 || isAnyNull(values, withItems);

function equalTo(operand: JsonValue): Test {
  const value = toValue(operand);
  if (value === null) return isNull;
  return any(typeof value === "string" ? equalToText(value) : (other) => isSame(other, value));
}

/** A text equals also the date that it stands for, and the pointer with this id: pipelines have both as text. */
function equalToText(text: string): (value: Value) => boolean {
  const time = dateOf(text)?.getTime();
  return (value) => {
    if (typeof value !== "object" || value === null) return value === text;
    if (value instanceof Date) return value.getTime() === time;
    const pointer = pointerText(value);
    return (
      pointer !== undefined && (pointer === text || (value instanceof Document && value.objectId === text))
    );
  };
}

function dateOf(text: string): Date | undefined {
  const parsed = parseDateText(text);
  return parsed ? new Date(parsed.time - (parsed.offset ?? 0)) : undefined;
}

function oneOf(operands: readonly JsonValue[]): Test {
  const values = operands.map(toValue);
  const keys = new Set(values.map(keyOf));
  const times = new Set(
    values.flatMap((value) => (typeof value === "string" ? (dateOf(value)?.getTime() ?? []) : [])),
  );
  const isIn = any((value) => {
    if (value === undefined) return false;
    if (keys.has(keyOf(value))) return true;
    if (value instanceof Date) return times.has(value.getTime());
    return pointerText(value) !== undefined && value instanceof Document && keys.has(keyOf(value.objectId));
  });
  return keys.has(null) ? (values, withItems) => isNull(values, withItems) || isIn(values, withItems) : isIn;
}

/** Compares with values of the same type only. A text is also compared with dates. */
function ordered(operand: JsonValue, isWanted: (order: number) => boolean, isOrEqual: boolean): Test {
  const value = toValue(operand);
  if (value === null) return isOrEqual ? isNull : () => false;
  const date = typeof value === "string" ? dateOf(value) : undefined;
  return any((other) => {
    if (other instanceof Date && date) return isWanted(compareValues(other, date));
    return isComparable(other, value) && isWanted(compareValues(other, value));
  });
}

function isComparable(a: Value, b: Value): boolean {
  if (isNumeric(a) && isNumeric(b)) return !isNotANumber(a) || isNotANumber(b);
  return bracketOf(a) === bracketOf(b);
}

function isNotANumber(value: Value): boolean {
  return isNumeric(value) && Number.isNaN(toDouble(value));
}

function bracketOf(value: Value): string {
  return pointerText(value) === undefined ? typeName(value) : "string";
}

function matching(source: JsonValue, options: JsonValue | undefined, isPointerColumn: boolean): Test {
  if (typeof source !== "string") throw new PipelineError("$regex takes a string");
  if (source.length > MAX_REGEX_LENGTH) {
    throw new PipelineError(`$regex takes ${MAX_REGEX_LENGTH} characters at most`);
  }
  if (options !== undefined && (typeof options !== "string" || !/^[imxsu]*$/.test(options))) {
    throw new PipelineError("$options takes i, m, s and x");
  }
  const test = compileRegex(source, options ?? "");
  return any((value) => {
    const text = isPointerColumn ? pointerText(value) : value;
    return typeof text === "string" && test(text);
  });
}

/** The condition of an `$elemMatch`: operators on the item itself, or a condition on an object. */
function compileElement(condition: JsonValue, compiler: Compiler): (item: Value) => boolean {
  if (!isJsonObject(condition)) throw new PipelineError("$elemMatch takes an object");
  const [first = ""] = Object.keys(condition);
  if (first.startsWith("$") && !["$and", "$or", "$nor", "$expr"].includes(first)) {
    const test = compileCondition(condition, compiler, false);
    return (item) => test([item], false);
  }
  if (isTypedJson(condition)) throw new PipelineError("$elemMatch takes a condition");
  const matches = compileMatch(condition, compiler);
  return (item) => item instanceof Document && matches(item);
}

const TYPE_NUMBERS: ReadonlyMap<number, string> = new Map([
  [1, "double"],
  [2, "string"],
  [3, "object"],
  [4, "array"],
  [8, "bool"],
  [9, "date"],
  [10, "null"],
  [16, "int"],
  [18, "long"],
  [19, "decimal"],
]);
const NUMBER_TYPES = ["double", "int", "long", "decimal"];

function ofType(types: readonly JsonValue[]): Test {
  const names = new Set(
    types.flatMap((type) => {
      const name = typeof type === "number" ? TYPE_NUMBERS.get(type) : type;
      if (name === "number") return NUMBER_TYPES;
      if (typeof name !== "string" || ![...TYPE_NUMBERS.values()].includes(name)) {
        throw new PipelineError(`unknown type: ${String(type).slice(0, 64)}`);
      }
      return name;
    }),
  );
  return any((value) => names.has(typeName(value)));
}

function withRemainder(argument: JsonValue): Test {
  const [divisor, remainder, ...others] = Array.isArray(argument) ? argument : [];
  if (typeof divisor !== "number" || typeof remainder !== "number" || others.length > 0) {
    throw new PipelineError("$mod takes a list of a divisor and a remainder");
  }
  const [by, rest] = [Math.trunc(divisor), Math.trunc(remainder)];
  if (by === 0) throw new PipelineError("$mod takes a divisor other than 0");
  return any((value) => isNumeric(value) && Math.trunc(toDouble(value)) % by === rest);
}

function withBits(argument: JsonValue, name: string, test: (bits: bigint, mask: bigint) => boolean): Test {
  const mask = bitMask(argument, name);
  return any((value) => {
    const number = isNumeric(value) ? toDouble(value) : Number.NaN;
    if (!Number.isInteger(number)) return false;
    return test(BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(number)), mask);
  });
}

/** A mask is a number or a list of the positions of its bits. */
function bitMask(argument: JsonValue, name: string): bigint {
  const isNatural = (value: JsonValue) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  if (isNatural(argument)) return BigInt(Number(argument));
  if (!Array.isArray(argument) || !argument.every((bit) => isNatural(bit) && Number(bit) < 64)) {
    throw new PipelineError(`${name} takes a mask or a list of positions of bits`);
  }
  return argument.reduce((mask: bigint, bit) => mask | (1n << BigInt(Number(bit))), 0n);
}
