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

/** What the tests of a field need to know. */
interface FieldContext {
  compiler: Compiler;
  /** Whether the field is the column in which MongoDB has a pointer as text. */
  isPointerColumn: boolean;
  /** Whether a text also stands for a date or a pointer: in the fields of objects, as pipelines have them as text. */
  hasTexts: boolean;
}

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
  const isPointerColumn = pointerField(names.at(-1) ?? "") !== undefined;
  const collect = valueCollector(names);
  const test = compileCondition(condition, {
    compiler,
    isPointerColumn,
    hasTexts: isPointerColumn || names.length === 1,
  });
  return (document) => test(collect(document), true);
}

/** Whether a condition has operators; other objects are values. */
function hasOperators(condition: JsonValue): condition is JsonObject {
  return isJsonObject(condition) && Object.keys(condition).some((key) => key.startsWith("$"));
}

function compileCondition(condition: JsonValue, context: FieldContext): Test {
  if (!hasOperators(condition)) return equalTo(condition, context);
  const tests = Object.entries(condition).flatMap(([name, argument]): Test[] => {
    if (!name.startsWith("$")) throw new PipelineError("a condition mixes operators and plain keys");
    if (name === "$options") {
      if (!("$regex" in condition)) throw new PipelineError("$options goes with $regex");
      return [];
    }
    if (name === "$regex") return [matching(argument, condition.$options, context)];
    return [compileTest(name, argument, context)];
  });
  return (values, withItems) => tests.every((test) => test(values, withItems));
}

function compileTest(name: string, argument: JsonValue, context: FieldContext): Test {
  switch (name) {
    case "$eq":
      return equalTo(argument, context);
    case "$ne":
      return not(equalTo(argument, context));
    case "$gt":
      return ordered(argument, (order) => order > 0, false, context);
    case "$gte":
      return ordered(argument, (order) => order >= 0, true, context);
    case "$lt":
      return ordered(argument, (order) => order < 0, false, context);
    case "$lte":
      return ordered(argument, (order) => order <= 0, true, context);
    case "$in":
      return oneOf(toList(name, argument), context);
    case "$nin":
      return not(oneOf(toList(name, argument), context));
    case "$exists": {
      const isWanted = isTrue(toValue(argument));
      return (values) => values.some((value) => value !== undefined) === isWanted;
    }
    case "$not":
      if (!hasOperators(argument)) throw new PipelineError("$not takes a condition with operators");
      return not(compileCondition(argument, context));
    case "$all": {
      const tests = toList(name, argument).map((operand) =>
        hasOperators(operand) ? compileCondition(operand, context) : equalTo(operand, context),
      );
      return (values, withItems) => tests.length > 0 && tests.every((test) => test(values, withItems));
    }
    case "$elemMatch": {
      const matches = compileElement(argument, context.compiler);
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

function equalTo(operand: JsonValue, { hasTexts }: FieldContext): Test {
  const value = toValue(operand);
  if (value === null) return isNull;
  if (typeof value === "string") return any(hasTexts ? equalToText(value) : (other) => other === value);
  return any((other) => typeof other !== "string" && isSame(other, value));
}

/** A text equals also the date that it stands for, and the pointer with this id: pipelines have both as text. */
function equalToText(text: string): (value: Value) => boolean {
  const time = dateOf(text)?.getTime();
  return (value) => {
    if (typeof value !== "object" || value === null) return value === text;
    return value instanceof Date ? value.getTime() === time : textsOfPointer(value).includes(text);
  };
}

/** The texts that stand for a pointer: its id, and what MongoDB stores. */
function textsOfPointer(value: Value): Value[] {
  const text = pointerText(value);
  return text !== undefined && value instanceof Document ? [text, value.objectId] : [];
}

function dateOf(text: string): Date | undefined {
  const parsed = parseDateText(text);
  return parsed ? new Date(parsed.time - (parsed.offset ?? 0)) : undefined;
}

function oneOf(operands: readonly JsonValue[], { hasTexts }: FieldContext): Test {
  const values = operands.map(toValue);
  const texts = values.filter((value) => typeof value === "string");
  const textSet = new Set<Value>(texts);
  const others = new Set(values.filter((value) => typeof value !== "string").map(keyOf));
  const times = new Set(hasTexts ? texts.map((text) => dateOf(text)?.getTime()) : []);
  const isIn = any((value) => {
    if (typeof value === "string") return textSet.has(value);
    if (value === undefined) return false;
    if (others.has(keyOf(value))) return true;
    if (!hasTexts) return false;
    return value instanceof Date
      ? times.has(value.getTime())
      : textsOfPointer(value).some((text) => textSet.has(text));
  });
  return others.has(null) ? (found, withItems) => isNull(found, withItems) || isIn(found, withItems) : isIn;
}

/** Compares with values of the same type only. */
function ordered(
  operand: JsonValue,
  isWanted: (order: number) => boolean,
  isOrEqual: boolean,
  { hasTexts, isPointerColumn }: FieldContext,
): Test {
  const value = toValue(operand);
  if (value === null) return isOrEqual ? isNull : () => false;
  const date = hasTexts && typeof value === "string" ? dateOf(value) : undefined;
  const typeOfOperand = typeBracket(value, isPointerColumn);
  return any((other) => {
    if (other instanceof Date && date) return isWanted(compareValues(other, date));
    return typeBracket(other, isPointerColumn) === typeOfOperand && isWanted(compareValues(other, value));
  });
}

/** Values of one bracket are compared: numbers of all types, but no NaN with other numbers. */
function typeBracket(value: Value, isPointerColumn: boolean): string {
  if (isNumeric(value)) return Number.isNaN(toDouble(value)) ? "nan" : "number";
  return isPointerColumn && pointerText(value) !== undefined ? "string" : typeName(value);
}

function matching(
  source: JsonValue,
  options: JsonValue | undefined,
  { isPointerColumn }: FieldContext,
): Test {
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
    const test = compileCondition(condition, { compiler, isPointerColumn: false, hasTexts: false });
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
