import { ErrorCode, isObjectId, type JsonValue, ProtocolError, ROLE_PREFIX } from "@purse/protocol";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { newObjectId } from "./objectId.ts";

/**
 * Returns the id of a new object, as chosen by the client if given. Throws 104 if it is invalid, and 119 for a user whose
 * id would read as a role in ACLs.
 */
export function parseCustomId(className: string, value: JsonValue | undefined, size?: number): string {
  if (value === undefined) return newObjectId(size);
  if (className === "_User" && typeof value === "string" && value.startsWith(ROLE_PREFIX)) {
    throw operationForbidden("Invalid object ID.");
  }
  if (typeof value === "string" && isObjectId(value)) return value;
  throw new ProtocolError(
    ErrorCode.MISSING_OBJECT_ID,
    value === null || value === "" || typeof value !== "string"
      ? "objectId must not be empty, null or undefined"
      : "objectId takes up to 128 letters, digits and _ - . : + $ = @ ~ !",
  );
}
