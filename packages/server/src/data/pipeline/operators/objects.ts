import { isJsonObject } from "@purse/protocol";
import {
  type Evaluate,
  namedArguments,
  type Operator,
  type Operators,
  variadic,
  wrongType,
} from "../evaluation.ts";
import { nameWithin } from "../fieldPaths.ts";
import { PipelineError } from "../pipelineError.ts";
import { Document, isNullish, type Value } from "../values.ts";

function toFieldName(value: Value, name: string): string {
  if (typeof value === "string") return value;
  throw new PipelineError(`${name} takes the name of a field as a string`);
}

/** Compiles the name of a field: a text, or an expression such as `{ $literal: "$price" }`. */
const getField: Operator = (argument, compiler, name) => {
  const isShort = !isJsonObject(argument) || !("field" in argument);
  const named = namedArguments(
    isShort ? { field: argument } : argument,
    compiler,
    name,
    ["field"],
    ["input"],
  );
  const field = named.get("field");
  const input: Evaluate = named.has("input") ? named.get("input") : compiler.expression("$$CURRENT");
  return (document) => {
    const key = toFieldName(field(document), name);
    const object = input(document);
    if (object === null) return null;
    return object instanceof Document ? object[nameWithin(object, key)] : undefined;
  };
};

/** `$setField` and `$unsetField`. */
function setField(others: readonly string[]): Operator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["field", "input", ...others]);
    const [field, input, set] = [named.get("field"), named.get("input"), named.get("value")];
    return (document) => {
      const key = toFieldName(field(document), name);
      const object = input(document);
      if (isNullish(object)) return null;
      if (!(object instanceof Document)) throw wrongType(name, "an object as input", object);
      return withField(object, nameWithin(object, key), set(document));
    };
  };
}

/** Returns a copy of a document with another value of a field; without the field if the value is missing. */
function withField(document: Document, name: string, value: Value): Document {
  const copy = Object.assign(new Document(), document);
  if (value === undefined) delete copy[name];
  else copy[name] = value;
  return copy;
}

/** Merges objects; null and missing values are skipped. */
export function mergeObjects(values: Iterable<Value>, name: string): Document {
  const merged = new Document();
  for (const value of values) {
    if (isNullish(value)) continue;
    if (!(value instanceof Document)) throw wrongType(name, "objects", value);
    Object.assign(merged, value);
  }
  return merged;
}

export const OBJECTS: Operators = {
  $getField: getField,
  $mergeObjects: variadic((values, name) => {
    const [only] = values;
    return mergeObjects(values.length === 1 && Array.isArray(only) ? only : values, name);
  }),
  $setField: setField(["value"]),
  $unsetField: setField([]),
};
