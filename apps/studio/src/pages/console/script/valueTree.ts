import { ParseObject } from "@purse/client";
import type { ValueTree } from "./messages.ts";
import { scriptStack } from "./runScript.ts";

const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
/** Nodes of one value, so that no output is too large to be shown. */
const MAX_NODES = 2_000;
const MAX_TEXT = 20_000;

/** Describes a value for the console. Never throws, whatever getters do. */
export function toValueTree(value: unknown): ValueTree {
  const budget = { nodes: MAX_NODES };
  return describe(value, [], budget);
}

function describe(value: unknown, ancestors: readonly object[], budget: { nodes: number }): ValueTree {
  budget.nodes -= 1;
  if (typeof value === "string") return { kind: "string", text: cut(value) };
  if (typeof value === "function") return { kind: "function", text: `ƒ ${cut(value.name) || "anonymous"}()` };
  if (typeof value === "bigint") return { kind: "literal", text: `${value}n` };
  if (typeof value !== "object" || value === null) return { kind: "literal", text: String(value) };
  try {
    return describeObject(value, ancestors, budget);
  } catch (error) {
    return { kind: "literal", text: cut(`[${String(error)}]`) };
  }
}

function describeObject(value: object, ancestors: readonly object[], budget: { nodes: number }): ValueTree {
  if (ancestors.includes(value)) return { kind: "literal", text: `${titleOf(value)} ↻` };
  if (value instanceof Date) {
    const isValid = !Number.isNaN(value.getTime());
    return { kind: "literal", text: isValid ? value.toISOString() : String(value) };
  }
  if (value instanceof RegExp) return { kind: "literal", text: cut(String(value)) };
  const text = titleOf(value);
  const kind = value instanceof Error ? "error" : "object";
  const all = entriesOf(value);
  if (all.length === 0) return { kind, text };
  if (ancestors.length >= MAX_DEPTH || budget.nodes <= 0) return { kind, text, omitted: all.length };
  const entries: { key: string; value: ValueTree }[] = [];
  for (const [key, child] of all.slice(0, MAX_ENTRIES)) {
    if (budget.nodes <= 0) break;
    entries.push({ key: cut(key), value: describe(child(), [...ancestors, value], budget) });
  }
  const omitted = all.length - entries.length;
  return { kind, text, entries, ...(omitted > 0 && { omitted }) };
}

function titleOf(value: object): string {
  if (value instanceof Error) return cut(scriptStack(value));
  if (value instanceof ParseObject) return `${value.className} ${value.id ?? "(new)"}`;
  if (Array.isArray(value)) return `Array(${value.length})`;
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name}(${value.size})`;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "" ? cut(name) : "Object";
}

type Entry = [key: string, value: () => unknown];

/** Values are read one by one: getters may throw, or have effects that an omitted entry should not have. */
function entriesOf(value: object): Entry[] {
  if (value instanceof ParseObject) return fieldsOf(value);
  if (value instanceof Map) return [...value].map(([key, each]) => [String(key), () => each]);
  if (value instanceof Set) return [...value].map((each, i) => [String(i), () => each]);
  const keys = Object.keys(value);
  return keys.map((key) => [
    key,
    () => {
      try {
        return Reflect.get(value, key);
      } catch (error) {
        return error;
      }
    },
  ]);
}

function fieldsOf(object: ParseObject): Entry[] {
  const json = { objectId: object.id, ...object.attributes };
  return Object.entries(json).map(([key, each]) => [key, () => each]);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
