import type { Comparison, Operand } from "./condition.ts";
import { isPolygon, isWireFile } from "./fieldTypes.ts";
import { closedPolygon } from "./geo.ts";
import { isoTime } from "./isoTime.ts";
import { invalid, invalidValue } from "./queryErrors.ts";
import { relativeTime } from "./relativeTime.ts";
import { isStorableText, numberDecimalOf } from "./storableValues.ts";
import type { WhereBudget } from "./whereBudget.ts";
import { canonicalDates } from "./wireDates.ts";
import { isJsonObject, isPointer, isWireDate, type JsonValue } from "./wireValues.ts";

/** Parses an operand: a value or a relative time. */
export function parseComparisonOperand(
  argument: JsonValue | undefined,
  comparison: Comparison,
  name: string,
  budget: WhereBudget,
): Operand {
  const relative = isJsonObject(argument) ? argument.$relativeTime : undefined;
  if (relative === undefined) return parseOperand(argument, name, budget);
  if (comparison === "eq" || comparison === "ne") {
    throw invalidValue("$relativeTime can only be used with the $lt, $lte, $gt, and $gte operators");
  }
  try {
    return { type: "date", value: new Date(relativeTime(String(relative), Date.now())).toISOString() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidValue(`bad $relativeTime ($${comparison}) value. ${reason}`);
  }
}

/** Fields with the times of an object. */
const TIMES: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);

/** Throws 107 for a value that cannot be stored, 111 for a date that does not exist. `name` is that of the field. */
export function parseOperand(sent: JsonValue | undefined, name: string, budget: WhereBudget): Operand {
  if (sent === null || sent === undefined) return { type: "null" };
  // As text, times are those of objects in JSON: `{ "createdAt": { "$gt": "2024-02-29T10:00:00+01:00" } }`.
  if (typeof sent === "string" && TIMES.has(name)) return timeOperand(sent);
  const value = canonicalDates(sent, name);
  if (typeof value === "string") {
    assertComparableText(value);
    return { type: "string", value };
  }
  if (typeof value === "number") return { type: "number", value };
  if (typeof value === "boolean") return { type: "boolean", value };
  if (isWireDate(value)) return { type: "date", value: value.iso };
  if (isPointer(value)) {
    assertComparableText(value.className);
    assertComparableText(value.objectId);
    return { type: "pointer", value };
  }
  if (isWireFile(value)) {
    assertComparableText(value.name);
    return { type: "file", value: value.name };
  }
  if (isPolygon(value)) {
    return { type: "json", value: { __type: "Polygon", coordinates: closedPolygon(value.coordinates) } };
  }
  const number = numberDecimalOf(value);
  if (number !== undefined) return { type: "number", value: number };
  budget.useCompared(value);
  assertComparable(value);
  return { type: "json", value };
}

/** A text that is no date is of another type than a time, as any number is: it equals none, and is in no order with them. */
function timeOperand(text: string): Operand {
  assertComparableText(text);
  const time = isoTime(text);
  return time === undefined
    ? { type: "number", value: 0 }
    : { type: "date", value: new Date(time).toISOString() };
}

function assertComparable(value: JsonValue): void {
  if (typeof value === "string") assertComparableText(value);
  else if (Array.isArray(value)) for (const item of value) assertComparable(item);
  else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      // No object has such a key: the sender means something else, such as MongoDB's `{ "$date": … }`.
      if (key.startsWith("$")) throw invalid(`bad value: ${key.slice(0, 64)}`);
      assertComparableText(key);
      assertComparable(value[key] ?? null);
    }
  }
}

/** Throws 107 for a string that cannot be stored, and therefore never match. */
export function assertComparableText(text: string): void {
  if (!isStorableText(text)) {
    throw invalidValue("a string holds a character that cannot be stored: NUL, or half of a surrogate pair");
  }
}
