import type { JsonObject } from "@purse/protocol";
import { ACL } from "./ACL.ts";
import { decodeFields } from "./decode.ts";
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
  const { objectId: _, ...rest } = json;
  const fields = decodeFields(rest);
  for (const [key, value] of Object.entries(fields)) {
    if (value instanceof UnsetOp) fields[key] = undefined;
    else if (key === "ACL" && isPlainObject(value)) fields[key] = aclOf(value);
    else if ((key === "createdAt" || key === "updatedAt") && typeof value === "string")
      fields[key] = new Date(value);
  }
  fields.updatedAt ??= fields.createdAt;
  if (fields.updatedAt === undefined) delete fields.updatedAt;
  return fields;
}
