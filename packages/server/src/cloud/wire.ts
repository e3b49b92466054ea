import { ParseObject } from "@purse/client";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/*
 * Parameters and results go through a field of an object that is never saved: what a field can hold,
 * a function can take and answer.
 */

/** Parameters of a function as its code works with them: dates are Dates, pointers are objects. */
export function decodeParams(params: JsonObject): Record<string, unknown> {
  const value = ParseObject.fromJSON({ className: "Parameters", value: params })._get("value");
  return isRecord(value) ? value : {};
}

/** What a function answered, as it travels: objects come whole. Undefined stays undefined. */
export function encodeResult(result: unknown): JsonValue | undefined {
  if (result === undefined) return undefined;
  const holder = new ParseObject("Result");
  holder._set({ value: result }, { ignoreValidation: true });
  return holder.toJSON().value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value);
}
