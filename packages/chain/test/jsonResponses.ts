import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** Throws for a value that is no object. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${JSON.stringify(value)} is not an object`);
  return value;
}

/** The rows of a page or of a plain list. */
export function rowsOf(value: JsonValue | undefined): JsonObject[] {
  const list = isJsonObject(value) ? value.result : value;
  if (!Array.isArray(list)) throw new Error(`${JSON.stringify(value)} is not a list`);
  return list.map(objectOf);
}
