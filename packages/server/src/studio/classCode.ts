import { type JsonValue, jsonEqual } from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";
import { typeText } from "../schema/editClass.ts";

/** A class as an entry of `schemas` in purse.config.ts. */
export function classCode(schema: ClassSchema, indent = ""): string {
  const { className, fields, indexes, classLevelPermissions } = schema;
  const parts = [`className: ${JSON.stringify(className)}`];
  if (Object.keys(fields).length > 0) parts.push(`fields: ${block(fields)}`);
  if (Object.keys(indexes).length > 0) parts.push(`indexes: ${block(indexes)}`);
  if (Object.keys(classLevelPermissions).length > 0) {
    parts.push(`classLevelPermissions: ${block(classLevelPermissions)}`);
  }
  return `{\n${parts.map((part) => `${indent}  ${part},\n`).join("")}${indent}}`;

  /** One line for each entry. */
  function block(entries: object): string {
    const lines = Object.entries(entries).map(
      ([name, value]) => `${indent}    ${keyOf(name)}: ${literal(plain(value))},\n`,
    );
    return `{\n${lines.join("")}${indent}  }`;
  }
}

function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]) => `${keyOf(name)}: ${literal(each)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && name !== "__proto__" ? name : JSON.stringify(name);
}

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** What changes in a class, for people: `+ Game.score Number`. */
export function classDiff(before: ClassSchema | undefined, after: ClassSchema): string[] {
  const { className } = after;
  const lines = before ? [] : [`+ ${className}`];
  compare(before?.fields ?? {}, after.fields, (name, was, is) => {
    if (!is) lines.push(`- ${className}.${name} with its values`);
    else lines.push(`${was ? "~" : "+"} ${className}.${name} ${typeText(is)}${optionsOf(is)}`);
  });
  compare(before?.indexes ?? {}, after.indexes, (name, was, is) => {
    if (!is) lines.push(`- ${className} index ${name}`);
    else lines.push(`${was ? "~" : "+"} ${className} index ${name} ${JSON.stringify(is)}`);
  });
  compare(before?.classLevelPermissions ?? {}, after.classLevelPermissions, (operation, was, is) => {
    const what = `${className} permission ${operation}`;
    if (is === undefined) lines.push(`- ${what} ${JSON.stringify(was)}`);
    else lines.push(`${was === undefined ? "+" : "~"} ${what} ${JSON.stringify(is)}`);
  });
  return lines;
}

function optionsOf({ required, defaultValue }: { required?: boolean; defaultValue?: JsonValue }): string {
  const options = [
    ...(required ? ["required"] : []),
    ...(defaultValue === undefined ? [] : [`default ${JSON.stringify(defaultValue)}`]),
  ];
  return options.length === 0 ? "" : ` (${options.join(", ")})`;
}

function compare<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  tell: (name: string, was: T | undefined, is: T | undefined) => void,
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]];
    if (was === undefined || is === undefined || !jsonEqual(plain(was), plain(is))) tell(name, was, is);
  }
}
