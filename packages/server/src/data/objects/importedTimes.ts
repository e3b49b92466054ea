import {
  ErrorCode,
  isWireDate,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  timeOf,
} from "@purse/protocol";
import { type AuthContext, maySetTimes } from "../../core/authContext.ts";

/** When an object was created and changed last, in ISO format. */
export interface ObjectTimes {
  createdAt: string;
  updatedAt: string;
}

/** Throws 111 for times of another type than Date in a request that may set them; others may not set them anyway. */
export function assertTimes(fields: JsonObject, auth: AuthContext): void {
  if (!maySetTimes(auth)) return;
  for (const name of ["createdAt", "updatedAt"] as const) {
    const value = fields[name];
    if (value === undefined || typeof value === "string" || isWireDate(value)) continue;
    throw new ProtocolError(ErrorCode.INCORRECT_TYPE, `${name} must be a Date`);
  }
}

/**
 * The times of a new object: now, or those that a request with the maintenance key sets as Dates. Throws 142 for an
 * object that was changed before it was created.
 */
export function timesOf({ createdAt, updatedAt }: JsonObject, auth: AuthContext, now: string): ObjectTimes {
  const created = maySetTimes(auth) ? isoOf(createdAt) : undefined;
  if (created === undefined) return { createdAt: now, updatedAt: now };
  const updated = isoOf(updatedAt) ?? created;
  if (updated >= created) return { createdAt: created, updatedAt: updated };
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "updatedAt cannot occur before createdAt");
}

function isoOf(value: JsonValue | undefined): string | undefined {
  return isWireDate(value) ? new Date(timeOf(value)).toISOString() : undefined;
}
