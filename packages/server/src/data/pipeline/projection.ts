import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Compiler, Evaluate } from "./evaluation.ts";
import { documentField, nameWithin, splitPath } from "./fieldPaths.ts";
import { PipelineError } from "./pipelineError.ts";
import { Document, type Value } from "./values.ts";
import { isTypedJson } from "./wireDocuments.ts";

/** Changes the shape of a document. */
export type Transform = (document: Document) => Document;

/** What happens to a field: it is kept, removed, computed, or its own fields are changed. */
type Rule = "keep" | "remove" | Evaluate | Rules;
type Rules = Map<string, Rule>;

/** Compiles `$project`: the fields that results have, or those that they do not have. */
export function compileProject(argument: JsonValue, compiler: Compiler): Transform {
  if (!isJsonObject(argument) || Object.keys(argument).length === 0) {
    throw new PipelineError("$project takes an object with at least one field");
  }
  const rules: Rules = new Map();
  addRules(rules, [], argument, (value) => {
    if (typeof value === "boolean" || typeof value === "number") return value ? "keep" : "remove";
    return compiler.expression(value);
  });
  const id = rules.get("_id");
  rules.delete("_id");
  const kinds = new Set(kindsOf(rules));
  if (kinds.has("remove") || (kinds.size === 0 && id === "remove")) {
    if (kinds.size > 1 || (id !== undefined && typeof id !== "string")) {
      throw new PipelineError("$project cannot keep some fields and remove others; only _id can be removed");
    }
    if (id === "remove") rules.set("_id", id);
    return (document) => remove(document, rules);
  }
  if (id !== "remove") rules.set("_id", id ?? "keep");
  return (document) => compute(keep(document, rules), rules, document);
}

function kindsOf(rules: Rules): ("keep" | "remove" | "compute")[] {
  return [...rules.values()].flatMap((rule) =>
    rule instanceof Map ? kindsOf(rule) : typeof rule === "string" ? rule : "compute",
  );
}

/** Compiles `$addFields`: all fields, some of them with computed values. */
export function compileAddFields(argument: JsonValue, compiler: Compiler, stage: string): Transform {
  if (!isJsonObject(argument)) throw new PipelineError(`${stage} takes an object`);
  const rules: Rules = new Map();
  addRules(rules, [], argument, (value) => compiler.expression(value));
  return (document) => compute(document, rules, document);
}

/** Compiles `$unset`: the names of fields that results do not have. */
export function compileUnset(argument: JsonValue): Transform {
  const paths = Array.isArray(argument) ? argument : [argument];
  const rules: Rules = new Map();
  for (const path of paths) {
    if (typeof path !== "string")
      throw new PipelineError("$unset takes the name of a field or a list of them");
    setRule(rules, rootPath(path), "remove");
  }
  if (rules.size === 0) throw new PipelineError("$unset takes at least one field");
  return (document) => remove(document, rules);
}

/** The path of a field of a document, whose first name may be one of its other names. */
function rootPath(path: string): string[] {
  const [first = "", ...rest] = splitPath(path);
  return [documentField(first), ...rest];
}

function addRules(
  rules: Rules,
  prefix: readonly string[],
  object: JsonObject,
  compile: (value: JsonValue) => Rule,
): void {
  for (const [key, value] of Object.entries(object)) {
    const path = prefix.length === 0 ? rootPath(key) : [...prefix, ...splitPath(key)];
    if (!isFieldObject(value)) setRule(rules, path, compile(value));
    else if (Object.keys(value).length > 0) addRules(rules, path, value, compile);
    else throw new PipelineError(`an empty object is no value of a field: ${path.join(".").slice(0, 100)}`);
  }
}

/** Whether an object has the fields of a nested object, rather than an operator or a value such as a date. */
function isFieldObject(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || isTypedJson(value)) return false;
  return !Object.keys(value).some((key) => key.startsWith("$"));
}

function setRule(rules: Rules, path: readonly string[], rule: Rule): void {
  const [name = "", ...rest] = path;
  const known = rules.get(name);
  if (rest.length === 0) {
    if (known !== undefined) throw pathCollision(name);
    rules.set(name, rule);
    return;
  }
  if (known !== undefined && !(known instanceof Map)) throw pathCollision(name);
  const inner: Rules = known ?? new Map();
  rules.set(name, inner);
  setRule(inner, rest, rule);
}

function pathCollision(name: string): PipelineError {
  return new PipelineError(`two rules are about the field ${name.slice(0, 64)} or parts of it`);
}

/** Returns a document without the removed fields. */
function remove(document: Document, rules: Rules): Document {
  const result = Object.assign(new Document(), document);
  for (const [name, rule] of rules) {
    const own = nameWithin(document, name);
    if (!(rule instanceof Map)) delete result[own];
    else if (result[own] !== undefined) result[own] = within(result[own], (inner) => remove(inner, rule));
  }
  return result;
}

/** Applies a change to an object, or to the objects in an array; other values stay. */
function within(value: Value, change: Transform): Value {
  if (value instanceof Document) return change(value);
  return Array.isArray(value) ? value.map((item) => within(item, change)) : value;
}

/** Returns a document with the kept fields only, in the order of the document. */
function keep(document: Document, rules: Rules): Document {
  const named = new Map([...rules].map(([name, rule]) => [nameWithin(document, name), rule]));
  const result = new Document();
  for (const name in document) {
    const rule = named.get(name);
    const value = document[name];
    if (rule === "keep") result[name] = value;
    else if (rule instanceof Map) {
      const kept = keepWithin(value, rule);
      if (kept !== undefined) result[name] = kept;
    }
  }
  return result;
}

/** Values that are no objects have no fields to keep: they are removed, also from arrays. */
function keepWithin(value: Value, rules: Rules): Value {
  if (value instanceof Document) return keep(value, rules);
  if (!Array.isArray(value)) return undefined;
  return value.map((item) => keepWithin(item, rules)).filter((item) => item !== undefined);
}

/** Returns a document with the computed fields. Their expressions see the whole document. */
function compute(target: Document, rules: Rules, document: Document): Document {
  let result = target;
  for (const [name, rule] of rules) {
    const isComputed = rule instanceof Map ? hasComputed(rule) : typeof rule !== "string";
    if (!isComputed) continue;
    if (result === target) result = Object.assign(new Document(), target);
    const value =
      rule instanceof Map ? computeWithin(result[name], rule, document) : computed(rule, document);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

function computed(rule: Rule, document: Document): Value {
  return typeof rule === "function" ? rule(document) : undefined;
}

function hasComputed(rules: Rules): boolean {
  return [...rules.values()].some((rule) =>
    rule instanceof Map ? hasComputed(rule) : typeof rule === "function",
  );
}

/** Computed fields of an array are those of each of its items. A value that is no object becomes one. */
function computeWithin(value: Value, rules: Rules, document: Document): Value {
  if (Array.isArray(value)) return value.map((item) => computeWithin(item, rules, document));
  return compute(value instanceof Document ? value : new Document(), rules, document);
}
