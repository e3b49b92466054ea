import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { StoreGroup } from "../../database/store.ts";

export interface SqlGroup {
  group: StoreGroup;
  toObject(keys: JsonValue[], aggregates: (number | null)[]): JsonObject;
}

const SQL_AGGREGATES = { $sum: "sum", $avg: "avg", $min: "min", $max: "max" } as const;
const GROUPABLE_TYPES: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Pointer"]);

/** Converts a group stage to SQL if it groups by plain fields and aggregates numbers; otherwise returns undefined. */
export function toSqlGroup(argument: JsonValue, schema: ClassSchema): SqlGroup | undefined {
  if (!isJsonObject(argument)) return undefined;
  const { _id, ...accumulators } = argument;
  const isNamed = isJsonObject(_id) && !isExpression(_id);
  const names = isNamed ? Object.entries(_id) : _id === null ? [] : [["", _id] as const];
  const keys = names.map(([, reference]) => groupKey(reference, schema));
  const group: StoreGroup = { keys: [], aggregates: [{ fn: "count" }] };
  const dateLengths: (number | undefined)[] = [];
  for (const key of keys) {
    if (!key) return undefined;
    group.keys.push([key.field]);
    dateLengths.push(key.dateLength);
  }
  if (dateLengths.some((length) => length !== undefined)) group.dateLengths = dateLengths;
  const outputs: { name: string; at: number; factor: number; emptyValue: number | null }[] = [];
  for (const [name, accumulator] of Object.entries(accumulators)) {
    const entries = isJsonObject(accumulator) ? Object.entries(accumulator) : [];
    const [operator, operand] = entries[0] ?? [];
    if (entries.length !== 1 || operator === undefined || operand === undefined) return undefined;
    if (operator === "$count" || (operator === "$sum" && typeof operand === "number")) {
      outputs.push({ name, at: 0, factor: typeof operand === "number" ? operand : 1, emptyValue: 0 });
      continue;
    }
    const fn = Object.entries(SQL_AGGREGATES).find(([known]) => known === operator)?.[1];
    const field = fieldReference(operand, schema, NUMERIC_TYPES);
    if (!fn || !field) return undefined;
    group.aggregates.push({ fn, path: [field] });
    outputs.push({
      name,
      at: group.aggregates.length - 1,
      factor: 1,
      emptyValue: fn === "sum" ? 0 : null,
    });
  }
  return {
    group,
    toObject(values, numbers) {
      const keyValues = values.map((value) => (isJsonObject(value) ? (value.objectId ?? null) : value));
      const object: JsonObject = {
        objectId: groupId(
          isNamed ? Object.fromEntries(names.map(([name], i) => [name, keyValues[i] ?? null])) : keyValues[0],
        ),
      };
      for (const { name, at, factor, emptyValue } of outputs) {
        const number = numbers[at] ?? emptyValue;
        object[name] = number === null ? null : number * factor;
      }
      return object;
    },
  };
}

/** Returns the id of a group: empty texts, lists and objects are null, as in Parse Server. */
export function groupId(value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === "") return null;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? null : value;
}

/** Formats of `$dateToString` that are the beginning of a date's ISO text, with their lengths. */
const DATE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["%Y", 4],
  ["%Y-%m", 7],
  ["%Y-%m-%d", 10],
  ["%Y-%m-%dT%H", 13],
]);

function isExpression(value: JsonObject): boolean {
  const names = Object.keys(value);
  return names.length === 1 && names[0]?.startsWith("$") === true;
}

/** A field by whose values objects can be grouped, or a part of a date. */
function groupKey(
  reference: JsonValue | undefined,
  schema: ClassSchema,
): { field: string; dateLength?: number } | undefined {
  if (!isJsonObject(reference)) {
    const field = fieldReference(reference, schema, GROUPABLE_TYPES);
    return field === undefined ? undefined : { field };
  }
  const { $dateToString: argument } = reference;
  if (!isExpression(reference) || !isJsonObject(argument)) return undefined;
  const { format, date, ...others } = argument;
  const dateLength = typeof format === "string" ? DATE_LENGTHS.get(format) : undefined;
  const field = dateReference(date, schema);
  if (dateLength === undefined || field === undefined || Object.keys(others).length > 0) return undefined;
  return { field, dateLength };
}

function dateReference(reference: JsonValue | undefined, schema: ClassSchema): string | undefined {
  if (reference === "$createdAt" || reference === "$updatedAt") return reference.slice(1);
  return fieldReference(reference, schema, DATE_TYPES);
}

const DATE_TYPES: ReadonlySet<string> = new Set(["Date"]);
const NUMERIC_TYPES: ReadonlySet<string> = new Set(["Number"]);

function fieldReference(
  reference: JsonValue | undefined,
  schema: ClassSchema,
  types: ReadonlySet<string>,
): string | undefined {
  if (typeof reference !== "string" || !/^\$[A-Za-z]\w*$/.test(reference)) return undefined;
  const field = reference.slice(1);
  return types.has(schema.fields[field]?.type ?? "") ? field : undefined;
}
