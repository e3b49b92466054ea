import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_DEPTH } from "./limits.ts";
import { isReservedKey, reservedKeyError } from "./reservedKeys.ts";
import { hasType, isJsonObject, type JsonValue } from "./wireValues.ts";

/**
 * Rejects values that must not be stored: nested deeper than MAX_DEPTH (107), with keys that reach an object's
 * prototype (105), or that contain `$` or a dot (121).
 */
export function assertStorable(value: unknown, depth = 0): asserts value is JsonValue {
  if (value === null || typeof value !== "object") {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return;
    if (typeof value === "number" && Number.isFinite(value)) return;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "A value is not JSON");
  }
  if (depth >= MAX_DEPTH) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, `Values nest deeper than ${MAX_DEPTH} levels`);
  }
  if (Array.isArray(value)) {
    for (const item of value) assertStorable(item, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key in value) {
    assertNestedKey(key);
    assertStorable(value[key], depth + 1);
  }
}

/** Whether all databases can store a string: PostgreSQL accepts neither NUL nor unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Throws 107 if a value contains a string that cannot be stored. */
export function assertStorableTexts(value: JsonValue): void {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) for (const item of value) assertStorableTexts(item);
    else for (const key in value) assertStorableTexts(value[key] ?? null);
    return;
  }
  if (typeof value === "string" && !isStorableText(value)) throw unstorableTextError();
}

/** The error 107 of a string that cannot be stored. */
export function unstorableTextError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_JSON,
    "A string holds a character that cannot be stored: NUL, or half of a surrogate pair",
  );
}

/** What a key may not contain, and surrogates, of which pairs are allowed. */
const UNUSUAL_IN_KEY = /[$.\0\ud800-\udfff]/;

/** Throws 121 for an invalid key of a nested object, 105 for a reserved one. */
function assertNestedKey(key: string): void {
  if (isReservedKey(key)) throw reservedKeyError(key);
  if (!UNUSUAL_IN_KEY.test(key)) return;
  if (key.includes("$") || key.includes(".") || !isStorableText(key)) {
    throw new ProtocolError(
      ErrorCode.INVALID_NESTED_KEY,
      `Nested keys should not contain the '$' or '.' characters: ${key.slice(0, 128)}`,
    );
  }
}

/** The number of a NumberDecimal, in which Moralis v1 sent integers of on-chain events; undefined for other values. */
export function numberDecimalOf(value: unknown): number | undefined {
  if (!hasType(value, "NumberDecimal") || !isJsonObject(value.value)) return undefined;
  const text = value.value.$numberDecimal;
  const number = typeof text === "string" && text.trim() !== "" ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
