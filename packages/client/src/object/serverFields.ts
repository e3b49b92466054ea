import type { JsonValue } from "@purse/protocol";
import { ACL } from "./ACL.ts";
import { decode } from "./decode.ts";
import { isPlainObject, mapChildren } from "./encode.ts";

/** Decodes a field's value. */
export function decodeField(key: string, wire: JsonValue | undefined): unknown {
  if (isTimestamp(key) && typeof wire === "string") return new Date(wire);
  const value = decode(wire);
  return key === "ACL" && isPlainObject(value) ? ACL.fromJSON(value) : value;
}

export function isTimestamp(key: string): boolean {
  return key === "createdAt" || key === "updatedAt";
}

/** Replaces nested objects by pointers: decoding them would update their shared instances. */
export function withPointers(wire: JsonValue): JsonValue {
  if (typeof wire !== "object" || wire === null) return wire;
  if (!Array.isArray(wire) && wire.__type === "Object") {
    const { className = null, objectId = null } = wire;
    return { __type: "Pointer", className, objectId };
  }
  return mapChildren(wire, withPointers);
}

/** Whether the value contains an object or pointer at any depth. */
export function containsObject(wire: JsonValue | undefined): boolean {
  if (typeof wire !== "object" || wire === null) return false;
  if (!Array.isArray(wire) && (wire.__type === "Pointer" || wire.__type === "Object")) return true;
  return Object.values(wire).some(containsObject);
}
