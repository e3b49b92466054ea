import type { JsonValue } from "@purse/protocol";
import { ACL } from "./ACL.ts";
import { decode } from "./decode.ts";
import { isPlainObject } from "./encode.ts";

/** Throws TypeError for what is no map of permissions. */
export function aclOf(value: Record<string, unknown>): ACL {
  const acl: Record<string, object> = {};
  for (const [principal, entry] of Object.entries(value)) {
    if (typeof entry !== "object" || entry === null)
      throw new TypeError("Tried to create an ACL with an invalid entry.");
    acl[principal] = entry;
  }
  return new ACL(acl);
}

/** A field's value as applications see it, from what travelled. */
export function decodeField(key: string, wire: JsonValue | undefined): unknown {
  if (isTimestamp(key) && typeof wire === "string") return new Date(wire);
  const value = decode(wire);
  return key === "ACL" && isPlainObject(value) ? aclOf(value) : value;
}

export function isTimestamp(key: string): boolean {
  return key === "createdAt" || key === "updatedAt";
}

/** Whether there is an object of a class, or a pointer to one, anywhere within. */
export function holdsObject(wire: JsonValue | undefined): boolean {
  if (typeof wire !== "object" || wire === null) return false;
  if (!Array.isArray(wire) && (wire.__type === "Pointer" || wire.__type === "Object")) return true;
  return Object.values(wire).some(holdsObject);
}
