import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  ProtocolError,
} from "@purse/protocol";
import { type ClassSchema, COMMON_FIELDS } from "../../database/classSchema.ts";

const COMBINATIONS: ReadonlySet<string> = new Set(["$or", "$and", "$nor"]);

/** Throws 107 if a `where` compares a field that is no date with a `$relativeTime`. Other errors are left to the parser. */
export function assertRelativeTimes(where: JsonValue | undefined, schema: ClassSchema | undefined): void {
  if (!schema || !isJsonObject(where)) return;
  for (const [key, value] of Object.entries(where)) {
    if (COMBINATIONS.has(key) && Array.isArray(value)) {
      for (const each of value) assertRelativeTimes(each, schema);
    }
    if (!isJsonObject(value)) continue;
    const type = (ownValue(COMMON_FIELDS, key) ?? ownValue(schema.fields, key))?.type;
    if (type === undefined || type === "Date") continue;
    if (hasRelativeTime(value)) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "$relativeTime can only be used with Date field");
    }
  }
}

function hasRelativeTime(constraint: JsonObject): boolean {
  for (const operator in constraint) {
    // Not looked up: an object to compare with may have thousands of keys.
    if (!operator.startsWith("$")) continue;
    const operand = constraint[operator];
    if (isJsonObject(operand) && "$relativeTime" in operand) return true;
  }
  return false;
}
