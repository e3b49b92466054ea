import type { JsonObject } from "@purse/protocol";
import { ACL } from "./ACL.ts";
import { decode } from "./decode.ts";
import { isPlainObject } from "./encode.ts";
import { UnsetOp } from "./Op.ts";

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

/** The server's fields as applications see them; undefined for those that are gone. */
export function serverFields(json: JsonObject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key in json) {
    if (key === "objectId" || key === "__proto__") continue;
    const value = json[key];
    if (typeof value === "object") fields[key] = fieldFrom(key, decode(value));
    else fields[key] = typeof value === "string" && isTimestamp(key) ? new Date(value) : value;
  }
  fields.updatedAt ??= fields.createdAt;
  if (fields.updatedAt === undefined) delete fields.updatedAt;
  return fields;
}

function fieldFrom(key: string, value: unknown): unknown {
  if (value instanceof UnsetOp) return undefined;
  return key === "ACL" && isPlainObject(value) ? aclOf(value) : value;
}

function isTimestamp(key: string): boolean {
  return key === "createdAt" || key === "updatedAt";
}
