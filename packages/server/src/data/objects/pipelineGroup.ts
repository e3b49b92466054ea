import { isJsonObject, isPointer, type JsonObject, type JsonValue } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { GroupRow, StoreGroup } from "../../database/store.ts";
import { documentField, pointerField } from "../pipeline/fieldPaths.ts";

export interface SqlGroup {
  /** The statement for the groups. Of missing values and null it makes one group. */
  statement: StoreGroup;
  /** Returns the statement that distinguishes missing values from null if the rows show that it matters. */
  exactStatement(rows: readonly GroupRow[]): StoreGroup | undefined;
  /** Returns a row as an object, with the key of the group as `objectId`. */
  toObject(row: GroupRow): JsonObject;
}

const SQL_AGGREGATES = { $sum: "sum", $avg: "avg", $min: "min", $max: "max" } as const;
const GROUPABLE_TYPES: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Pointer"]);

/** Converts a group stage to SQL if it groups by plain fields and aggregates numbers; otherwise returns undefined. */
export function toSqlGroup(argument: JsonValue, schema: ClassSchema): SqlGroup | undefined {
  if (!isJsonObject(argument)) return undefined;
  const { _id, ...accumulators } = argument;
  const isNamed = isJsonObject(_id) && !isExpression(_id);
  const names = isNamed ? Object.entries(_id) : _id === null ? [] : [["", _id] as const];
  const keys: GroupKey[] = [];
  for (const [name, reference] of names) {
    const key = groupKey(name, reference, schema);
    if (!key) return undefined;
    keys.push(key);
  }
  const aggregates = toAggregates(accumulators, schema);
  if (!aggregates) return undefined;
  const statement: StoreGroup = { keys: keys.map(({ field }) => [field]), aggregates: aggregates.columns };
  if (keys.some(({ dateLength }) => dateLength !== undefined)) {
    statement.dateLengths = keys.map(({ dateLength }) => dateLength);
  }
  return {
    statement,
    exactStatement(rows) {
      // Only a member of a key can be missing: a key that is missing as a whole is null.
      const isAmbiguous = (row: GroupRow) => keys.some((key, i) => canBeMissing(key) && row.keys[i] === null);
      return isNamed && rows.some(isAmbiguous) ? { ...statement, marksMissing: true } : undefined;
    },
    toObject({ keys: values, missing, aggregates: numbers }) {
      const members = keys.flatMap((key, i): [string, JsonValue][] =>
        missing?.[i] && canBeMissing(key) ? [] : [[key.name, keyValue(key, values[i] ?? null)]],
      );
      return {
        objectId: isNamed ? Object.fromEntries(members) : (members[0]?.[1] ?? null),
        ...aggregates.toFields(numbers),
      };
    },
  };
}

/** The format of a missing date is null, not missing. */
function canBeMissing({ dateLength }: GroupKey): boolean {
  return dateLength === undefined;
}

/** The value of a key; of the column in which MongoDB has a pointer, its text. */
function keyValue({ isPointerText }: GroupKey, value: JsonValue): JsonValue {
  return isPointerText && isPointer(value) ? `${value.className}$${value.objectId}` : value;
}

interface Aggregates {
  columns: StoreGroup["aggregates"];
  toFields(numbers: readonly (number | null)[]): JsonObject;
}

function toAggregates(accumulators: JsonObject, schema: ClassSchema): Aggregates | undefined {
  const columns: StoreGroup["aggregates"] = [{ fn: "count" }];
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
    columns.push({ fn, path: [field] });
    outputs.push({ name, at: columns.length - 1, factor: 1, emptyValue: fn === "sum" ? 0 : null });
  }
  return {
    columns,
    toFields: (numbers) =>
      Object.fromEntries(
        outputs.map(({ name, at, factor, emptyValue }) => {
          const number = numbers[at] ?? emptyValue;
          return [name, number === null ? null : number * factor];
        }),
      ),
  };
}

/**
 * Returns a group as a result. As in Parse Server, its id is the id of a pointer, and null for empty texts, lists and
 * objects.
 */
export function groupResult({ objectId = null, ...fields }: JsonObject): JsonObject {
  return { objectId: resultId(objectId), ...fields };
}

function resultId(key: JsonValue): JsonValue {
  if (key === "") return null;
  if (!isJsonObject(key)) return key;
  if (isPointer(key)) return key.objectId;
  const members = Object.entries(key).map(([name, value]) => [
    name,
    isPointer(value) ? value.objectId : value,
  ]);
  return members.length === 0 ? null : Object.fromEntries(members);
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
interface GroupKey {
  name: string;
  field: string;
  /** The number of characters of a date's ISO text. */
  dateLength?: number;
  /** Whether the key is the text that MongoDB stores for a pointer. */
  isPointerText?: boolean;
}

function groupKey(name: string, reference: JsonValue | undefined, schema: ClassSchema): GroupKey | undefined {
  if (!isJsonObject(reference)) {
    const pointer = typeof reference === "string" ? pointerField(reference.slice(1)) : undefined;
    const field =
      pointer === undefined
        ? fieldReference(reference, schema, GROUPABLE_TYPES)
        : fieldReference(`$${pointer}`, schema, POINTER_TYPES);
    // As the whole key of a group, the column of a pointer is the pointer.
    return field === undefined
      ? undefined
      : { name, field, isPointerText: pointer !== undefined && name !== "" };
  }
  const { $dateToString: argument } = reference;
  if (!isExpression(reference) || !isJsonObject(argument)) return undefined;
  const { format, date, ...others } = argument;
  const dateLength = typeof format === "string" ? DATE_LENGTHS.get(format) : undefined;
  const field = dateReference(date, schema);
  if (dateLength === undefined || field === undefined || Object.keys(others).length > 0) return undefined;
  return { name, field, dateLength };
}

function dateReference(reference: JsonValue | undefined, schema: ClassSchema): string | undefined {
  const name = typeof reference === "string" ? documentField(reference.slice(1)) : "";
  if (name === "createdAt" || name === "updatedAt") return name;
  return fieldReference(reference, schema, DATE_TYPES);
}

const DATE_TYPES: ReadonlySet<string> = new Set(["Date"]);
const NUMERIC_TYPES: ReadonlySet<string> = new Set(["Number"]);
const POINTER_TYPES: ReadonlySet<string> = new Set(["Pointer"]);

function fieldReference(
  reference: JsonValue | undefined,
  schema: ClassSchema,
  types: ReadonlySet<string>,
): string | undefined {
  if (typeof reference !== "string" || !/^\$[A-Za-z]\w*$/.test(reference)) return undefined;
  const field = reference.slice(1);
  return types.has(schema.fields[field]?.type ?? "") ? field : undefined;
}
