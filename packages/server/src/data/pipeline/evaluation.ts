import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { PipelineError } from "./pipelineError.ts";
import { type Document, typeName, type Value } from "./values.ts";

/** Computes an expression for a document. */
export type Evaluate = (document: Document) => Value;

/** The place of a variable such as `$$item`, which an operator sets before it evaluates its expressions. */
export interface Variable {
  value: Value;
  /** How many expressions use it. */
  uses: number;
}

/** Compiles expressions of a pipeline. */
export interface Compiler {
  /** Throws 102 for invalid expressions. */
  expression(expression: JsonValue): Evaluate;
  /** Returns a compiler whose expressions also know these variables. `CURRENT` replaces the document. */
  with(variables: Readonly<Record<string, Variable>>): Compiler;
  /** The variables that expressions know, other than those of the system. */
  readonly variables: ReadonlyMap<string, Variable>;
}

/** Compiles an operator with its argument. */
export type Operator = (argument: JsonValue, compiler: Compiler, name: string) => Evaluate;
export type Operators = Readonly<Record<string, Operator>>;

export function newVariable(): Variable {
  return { value: undefined, uses: 0 };
}

/** Compiles the arguments of an operator that takes a list. A single one may stand without the list. */
export function argumentsOf(
  argument: JsonValue,
  compiler: Compiler,
  name: string,
  min: number,
  max = min,
): Evaluate[] {
  const list = Array.isArray(argument) ? argument : [argument];
  if (list.length < min || list.length > max) {
    const expected =
      min === max
        ? `exactly ${min}`
        : max === Number.POSITIVE_INFINITY
          ? `at least ${min}`
          : `${min} to ${max}`;
    throw new PipelineError(`${name} takes ${expected} arguments, got ${list.length}`);
  }
  return list.map((each) => compiler.expression(each));
}

/** The named arguments of an operator. */
export interface NamedArguments {
  /** Returns an argument; one that was omitted is missing for all documents. */
  get(key: string): Evaluate;
  has(key: string): boolean;
}

/** Compiles named arguments. Throws for unknown and missing names. */
export function namedArguments(
  argument: JsonValue,
  compiler: Compiler,
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): NamedArguments {
  const json = namedJson(argument, name, required, optional);
  const compiled = new Map(
    Object.entries(json).map(([key, value]) => [key, compiler.expression(value)] as const),
  );
  return { get: (key) => compiled.get(key) ?? MISSING, has: (key) => compiled.has(key) };
}

/** Returns named arguments as they were sent. Throws for unknown and missing names. */
export function namedJson(
  argument: JsonValue | undefined,
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  if (!isJsonObject(argument)) throw new PipelineError(`${name} takes an object`);
  for (const key of Object.keys(argument)) {
    if (!required.includes(key) && !optional.includes(key)) {
      throw new PipelineError(`${name} has no argument ${key.slice(0, 64)}`);
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(argument, key)) throw new PipelineError(`${name} needs the argument ${key}`);
  }
  return argument;
}

/** An operator with one argument. */
export function unary(compute: (value: Value, name: string) => Value): Operator {
  return (argument, compiler, name) => {
    const [operand = MISSING] = argumentsOf(argument, compiler, name, 1);
    return (document) => compute(operand(document), name);
  };
}

/** An operator with two arguments. */
export function binary(compute: (a: Value, b: Value, name: string) => Value): Operator {
  return (argument, compiler, name) => {
    const [first = MISSING, second = MISSING] = argumentsOf(argument, compiler, name, 2);
    return (document) => compute(first(document), second(document), name);
  };
}

/** An operator with any number of arguments, or one within limits. */
export function variadic(
  compute: (values: Value[], name: string) => Value,
  min = 0,
  max = Number.POSITIVE_INFINITY,
): Operator {
  return (argument, compiler, name) => {
    const operands = argumentsOf(argument, compiler, name, min, max);
    return (document) =>
      compute(
        operands.map((operand) => operand(document)),
        name,
      );
  };
}

/** The expression without a value. */
export const MISSING: Evaluate = () => undefined;

export function constant(value: Value): Evaluate {
  return () => value;
}

/** The error of an operator for a value of a type that it does not take. */
export function wrongType(name: string, expected: string, value: Value): PipelineError {
  return new PipelineError(`${name} takes ${expected}, not ${typeName(value)}`);
}
