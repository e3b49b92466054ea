import { type JsonValue, jsonEqual } from "@purse/protocol";
import { typeText } from "../data/schema/editClass.ts";
import type { ClassSchema } from "../database/classSchema.ts";

/** Formats a class as an entry of `schemas` in purse.config.ts. */
export function classCode(schema: ClassSchema, indent = ""): string {
  const { className, fields, indexes, classLevelPermissions } = schema;
  const properties = [`className: ${JSON.stringify(className)}`];
  if (Object.keys(fields).length > 0) properties.push(`fields: ${block(fields)}`);
  if (Object.keys(indexes).length > 0) properties.push(`indexes: ${block(indexes)}`);
  if (Object.keys(classLevelPermissions).length > 0) {
    properties.push(`classLevelPermissions: ${block(classLevelPermissions)}`);
  }
  return `{\n${properties.map((property) => `${indent}  ${property},\n`).join("")}${indent}}`;

  /** Formats an object with one line per entry. */
  function block(entries: object): string {
    const lines = Object.entries(entries).map(
      ([name, value]) => `${indent}    ${propertyName(name)}: ${literal(toJson(value))},\n`,
    );
    return `{\n${lines.join("")}${indent}  }`;
  }
}

function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]) => `${propertyName(name)}: ${literal(each)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && name !== "__proto__" ? name : JSON.stringify(name);
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** Describes the changes of a class: `+ Game.score Number`. */
export function classDiff(before: ClassSchema | undefined, after: ClassSchema): string[] {
  const { className } = after;
  const lines = before ? [] : [`+ ${className}`];
  compare(before?.fields ?? {}, after.fields, (name, previous, current) => {
    if (!current) lines.push(`- ${className}.${name} with its values`);
    else
      lines.push(
        `${previous ? "~" : "+"} ${className}.${name} ${typeText(current)}${formatOptions(current)}`,
      );
  });
  compare(before?.indexes ?? {}, after.indexes, (name, previous, current) => {
    if (!current) lines.push(`- ${className} index ${name}`);
    else lines.push(`${previous ? "~" : "+"} ${className} index ${name} ${JSON.stringify(current)}`);
  });
  compare(
    before?.classLevelPermissions ?? {},
    after.classLevelPermissions,
    (operation, previous, current) => {
      const subject = `${className} permission ${operation}`;
      if (current === undefined) lines.push(`- ${subject} ${JSON.stringify(previous)}`);
      else lines.push(`${previous === undefined ? "+" : "~"} ${subject} ${JSON.stringify(current)}`);
    },
  );
  return lines;
}

function formatOptions({ required, defaultValue }: { required?: boolean; defaultValue?: JsonValue }): string {
  const options = [
    ...(required ? ["required"] : []),
    ...(defaultValue === undefined ? [] : [`default ${JSON.stringify(defaultValue)}`]),
  ];
  return options.length === 0 ? "" : ` (${options.join(", ")})`;
}

function compare<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  onDifference: (name: string, previous: T | undefined, current: T | undefined) => void,
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [previous, current] = [before[name], after[name]];
    if (previous === undefined || current === undefined || !jsonEqual(toJson(previous), toJson(current)))
      onDifference(name, previous, current);
  }
}
