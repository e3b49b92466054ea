import {
  assertFieldName,
  closedPolygon,
  type FieldType,
  isJsonObject,
  isWireDate,
  type JsonObject,
  type JsonValue,
  wireDate,
} from "@purse/protocol";
import { hashRecoveryCode, MFA } from "../accounts/auth/mfa.ts";
import { isPasswordHash } from "../accounts/password.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { fromExtendedJson } from "./extendedJson.ts";

/** What people have to know of what was left out or changed, each thing once. */
export type Notes = Set<string>;

export interface ConvertedDocument {
  object: JsonObject;
  secret: JsonObject;
  /** Of a session. */
  sessionToken: string | undefined;
}

/** Columns that mean nothing any more: tokens of mails, counters of a lockout. */
const FORGOTTEN =
  /^_(email_verify_token|email_verify_token_expires_at|perishable_token|perishable_token_expires_at|failed_login_count|account_lockout_expires_at|tombstone|metadata|id)$/;
/** Sessions that had no end there get one here, in years. */
const ENDLESS_YEARS = 100;

/** A document as an object. Columns that no rule knows are noted. Throws Error for values that cannot be kept. */
export function convertDocument(
  className: string,
  document: JsonObject,
  schema: ClassSchema | undefined,
  notes: Notes,
): ConvertedDocument {
  const { _id, _created_at, _updated_at, createdAt, updatedAt, _rperm, _wperm, _acl, ...columns } = document;
  const id = fromExtendedJson(_id ?? null, () => undefined);
  if (typeof id !== "string" || id === "") throw new Error("_id must be a text");
  const [created, updated] = [_created_at ?? createdAt, _updated_at ?? updatedAt];
  const object: JsonObject = {
    objectId: id,
    createdAt: timeOf(created ?? updated),
    updatedAt: timeOf(updated ?? created),
  };
  const secret: JsonObject = {};
  const authData: JsonObject = {};
  let sessionToken: string | undefined;
  for (const [column, stored] of Object.entries(columns)) {
    const value = fromExtendedJson(stored, (number) =>
      notes.add(`${className}.${column}: numbers have fewer digits here, ${number} was rounded`),
    );
    if (column.startsWith("_p_")) {
      if (value !== null) object[fieldOf(column.slice(3))] = pointerFrom(value);
    } else if (className === "_User" && column.startsWith("_auth_data_")) {
      if (value !== null) authData[fieldOf(column.slice("_auth_data_".length))] = value;
    } else if (className === "_User" && SECRETS[column]) {
      keepSecret(secret, SECRETS[column], value, notes);
    } else if (className === "_Session" && (column === "_session_token" || column === "sessionToken")) {
      if (typeof value === "string" && value !== "") sessionToken = value;
    } else if (className === "_Session" && column === "_expiresAt") object.expiresAt = value;
    else if (className === "_User" && column === "authData") {
      notes.add("_User.authData: it is the columns _auth_data_… that count, and it is left out");
    } else if (column.startsWith("_")) {
      if (!FORGOTTEN.test(column)) notes.add(`${className}.${column}: nothing knows it, and it is left out`);
    } else object[fieldOf(column)] = valueFrom(value, fieldTypeOf(schema, column));
  }
  const acl = _rperm === undefined && _wperm === undefined ? oldAclFrom(_acl) : aclFrom(_rperm, _wperm);
  if (acl) object.ACL = acl;
  if (className === "_User") normalizeWallets(object);
  if (className === "_Session" && !isWireDate(object.expiresAt)) object.expiresAt = endlessFrom(object);
  keepFactor(authData, notes);
  if (Object.keys(authData).length > 0) secret.authData = authData;
  return { object, secret, sessionToken };
}

/** Where a column of `_User` goes in the secret. */
const SECRETS: Readonly<Record<string, "passwordHash" | "passwordHistory" | "passwordChangedAt">> = {
  _hashed_password: "passwordHash",
  _password_history: "passwordHistory",
  _password_changed_at: "passwordChangedAt",
};

function keepSecret(
  secret: JsonObject,
  key: "passwordHash" | "passwordHistory" | "passwordChangedAt",
  value: JsonValue,
  notes: Notes,
): void {
  if (value === null) return;
  if (key === "passwordHash" && !(typeof value === "string" && isPasswordHash(value))) {
    notes.add("_User._hashed_password: some hashes are none of bcrypt; those people have to reset their password");
    return;
  }
  secret[key] = value;
}

/** The second factor goes on; what is none is not one here either. Recovery codes are kept as hashes. */
function keepFactor(authData: JsonObject, notes: Notes): void {
  const factor = authData[MFA];
  if (!isJsonObject(factor)) {
    delete authData[MFA];
  } else if (typeof factor.secret === "string") {
    const codes = Array.isArray(factor.recovery) ? factor.recovery : [];
    authData[MFA] = { secret: factor.secret, recovery: codes.map((code) => hashRecoveryCode(String(code))) };
  } else if (factor.mobile === undefined) {
    delete authData[MFA];
  } else {
    notes.add("_User: a second factor by SMS cannot be checked; the master key has to take it away");
  }
}

/** Addresses of wallets are in lower case. */
function normalizeWallets(object: JsonObject): void {
  if (typeof object.ethAddress === "string") object.ethAddress = object.ethAddress.toLowerCase();
  if (!Array.isArray(object.accounts)) return;
  object.accounts = object.accounts.map((each) => (typeof each === "string" ? each.toLowerCase() : each));
}

function endlessFrom({ createdAt }: JsonObject): JsonValue {
  const end = new Date(String(createdAt));
  end.setUTCFullYear(end.getUTCFullYear() + ENDLESS_YEARS);
  return wireDate(end);
}

function fieldOf(name: string): string {
  assertFieldName(name);
  return name;
}

function fieldTypeOf(schema: ClassSchema | undefined, name: string): FieldType | undefined {
  return schema && Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
}

function timeOf(value: JsonValue | undefined): string {
  const time = value === undefined ? null : fromExtendedJson(value, () => undefined);
  if (isWireDate(time)) return time.iso;
  if (typeof time === "string" && !Number.isNaN(Date.parse(time))) return new Date(time).toISOString();
  if (time === null) return new Date(0).toISOString();
  throw new Error(`${JSON.stringify(value)} is not a time`);
}

/** `Class$id`. */
function pointerFrom(value: JsonValue): JsonValue {
  const [className = "", ...id] = String(value).split("$");
  if (className === "" || id.length === 0) throw new Error(`${String(value)} is not a pointer`);
  return { __type: "Pointer", className, objectId: id.join("$") };
}

function valueFrom(value: JsonValue, type: FieldType | undefined): JsonValue {
  if (value === null) return null;
  switch (type?.type) {
    case "GeoPoint":
      // MongoDB keeps the longitude first.
      if (!Array.isArray(value)) return value;
      return { __type: "GeoPoint", latitude: value[1] ?? null, longitude: value[0] ?? null };
    case "Polygon":
      return isJsonObject(value) ? polygonFrom(value) : value;
    case "File":
      return typeof value === "string" ? { __type: "File", name: value } : value;
    case "Date":
      return typeof value === "string" ? { __type: "Date", iso: new Date(value).toISOString() } : value;
    case "Bytes":
      return typeof value === "string" ? { __type: "Bytes", base64: value } : value;
    default:
      return value;
  }
}

/** GeoJSON: `{type: "Polygon", coordinates: [[[longitude, latitude], …]]}`, in a `$geometry` or not. */
function polygonFrom(value: JsonObject): JsonValue {
  const { type, coordinates } = isJsonObject(value.$geometry) ? value.$geometry : value;
  if (type !== "Polygon") return value;
  const ring = Array.isArray(coordinates) && Array.isArray(coordinates[0]) ? coordinates[0] : [];
  const points = ring.map((point): [number, number] => {
    const [longitude, latitude] = Array.isArray(point) ? point : [];
    if (typeof longitude !== "number" || typeof latitude !== "number") {
      throw new Error("a polygon's points must be [longitude, latitude]");
    }
    return [latitude, longitude];
  });
  return { __type: "Polygon", coordinates: closedPolygon(points) };
}

/** Who may read and write, where the document says so. A list that is missing stands for everyone. */
function aclFrom(readers: JsonValue | undefined, writers: JsonValue | undefined): JsonObject {
  const acl: Record<string, { read?: boolean; write?: boolean }> = {};
  const grant = (list: JsonValue | undefined, right: "read" | "write") => {
    for (const principal of Array.isArray(list) ? list : ["*"]) {
      acl[String(principal)] = { ...acl[String(principal)], [right]: true };
    }
  };
  grant(readers, "read");
  grant(writers, "write");
  return JSON.parse(JSON.stringify(acl));
}

/** The form that old servers wrote: `{id: {r: true, w: true}}`. */
function oldAclFrom(value: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).map(([principal, entry]): [string, JsonObject] => {
    const { r, w } = isJsonObject(entry) ? entry : {};
    return [principal, { ...(r === true && { read: true }), ...(w === true && { write: true }) }];
  });
  return Object.fromEntries(entries);
}
