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
  const names = isJsonObject(_id) ? Object.entries(_id) : _id === null ? [] : [["", _id] as const];
  const keys = names.map(([, reference]) => fieldReference(reference, schema, GROUPABLE_TYPES));
  const group: StoreGroup = { keys: [], aggregates: [{ fn: "count" }] };
  for (const key of keys) {
    if (!key) return undefined;
    group.keys.push([key]);
  }
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
          isJsonObject(_id)
            ? Object.fromEntries(names.map(([name], i) => [name, keyValues[i] ?? null]))
            : keyValues[0],
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
