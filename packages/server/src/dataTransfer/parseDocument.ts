import {
  closedPolygon,
  FIELD_TYPES,
  type FieldType,
  isJsonObject,
  isoTime,
  isWireDate,
  type JsonObject,
  type JsonValue,
} from "@purse/protocol";
import type { ClassSchema, IndexDirection } from "../database/classSchema.ts";
import { fromExtendedJson } from "./extendedJson.ts";

/** A class as described by a dump. */
export interface DumpClass {
  schema: ClassSchema;
}

const TYPES: Readonly<Record<string, string>> = {
  geopoint: "GeoPoint",
  object: "Object",
  array: "Array",
  string: "String",
  number: "Number",
  boolean: "Boolean",
  date: "Date",
  file: "File",
  bytes: "Bytes",
  polygon: "Polygon",
  map: "Object",
};

/** Parses a document of `_SCHEMA`: `{_id: class, field: "string" | "*Target" | "relation<Target>", _metadata}`. */
export function classFromDump(document: JsonObject): DumpClass {
  const { _id, _metadata, ...columns } = document;
  const className = String(_id);
  const metadata = isJsonObject(_metadata) ? _metadata : {};
  const fields: Record<string, FieldType> = {};
  for (const [name, type] of Object.entries(columns)) {
    if (["objectId", "createdAt", "updatedAt", "ACL"].includes(name) || name.startsWith("_")) continue;
    const field = isEventDecimal(name, columns) ? { type: "Number" as const } : fieldFrom(String(type));
    if (field) fields[name] = { ...field, ...optionsOf(name, metadata.fields_options) };
  }
  const { class_permissions: permissions, indexes } = metadata;
  const schema = {
    className,
    table: "",
    fields,
    classLevelPermissions: isJsonObject(permissions) ? permissions : {},
    indexes: indexesFrom(indexes, fields),
  };
  return { schema: JSON.parse(JSON.stringify(schema)) };
}

/** Whether a field has the approximate number of an integer of an on-chain event: Moralis stored it as Decimal128. */
function isEventDecimal(name: string, columns: JsonObject): boolean {
  return name.endsWith("_decimal") && columns[name.slice(0, -"_decimal".length)] === "string";
}

/** Whether a field is required, and its default value. */
function optionsOf(
  name: string,
  fieldsOptions: JsonValue | undefined,
): Pick<FieldType, "required" | "defaultValue"> {
  const options = isJsonObject(fieldsOptions) ? fieldsOptions[name] : undefined;
  const { required, defaultValue } = isJsonObject(options) ? options : {};
  return {
    ...(typeof required === "boolean" && { required }),
    ...(defaultValue !== undefined &&
      defaultValue !== null && { defaultValue: fromExtendedJson(defaultValue) }),
  };
}

function fieldFrom(type: string): FieldType | undefined {
  const relation = /^relation<(\w+)>$/.exec(type)?.[1];
  if (relation) return { type: "Relation", targetClass: relation };
  if (type.startsWith("*")) return { type: "Pointer", targetClass: type.slice(1) };
  const name = TYPES[type];
  const known = FIELD_TYPES.find((each) => each === name);
  return known && { type: known };
}

/** Skips MongoDB's own index on `_id` and indexes on unknown fields. */
function indexesFrom(
  value: JsonValue | undefined,
  fields: Readonly<Record<string, FieldType>>,
): ClassSchema["indexes"] {
  const indexes: ClassSchema["indexes"] = {};
  for (const [name, keys] of Object.entries(isJsonObject(value) ? value : {})) {
    const entries = Object.entries(isJsonObject(keys) ? keys : {}).map(
      ([key, direction]): [string, IndexDirection] => [key.replace(/^_p_/, ""), parseDirection(direction)],
    );
    if (entries.length > 0 && entries.every(([key]) => Object.hasOwn(fields, key)))
      indexes[name] = Object.fromEntries(entries);
  }
  return indexes;
}

function parseDirection(direction: JsonValue): IndexDirection {
  if (direction === "text") return "text";
  return Number(direction) === -1 ? -1 : 1;
}

export interface ConvertedDocument {
  object: JsonObject;
  secret: JsonObject;
  /** Only set for sessions. */
  sessionToken: string | undefined;
}

/** Columns that are obsolete after the import: mail tokens, lockout counters. */
const IGNORED_COLUMNS =
  /^_(acl|email_verify_token|email_verify_token_expires_at|perishable_token|perishable_token_expires_at|failed_login_count|account_lockout_expires_at|tombstone|metadata|created_at|updated_at|id)$/;

/** Converts a document to an object. Adds unknown columns to `unknown` as `class.column`. */
export function convertDocument(
  className: string,
  document: JsonObject,
  dumpClass: DumpClass | undefined,
  unknown: Set<string>,
): ConvertedDocument {
  const { _id, _created_at, _updated_at, _rperm, _wperm, ...columns } = document;
  const id = fromExtendedJson(_id ?? null);
  if (typeof id !== "string" || id === "") throw new Error("_id must be a string");
  const createdAt = parseTimestamp(_created_at ?? _updated_at);
  const object: JsonObject = {
    objectId: id,
    createdAt,
    updatedAt: parseTimestamp(_updated_at ?? _created_at),
  };
  const secret: JsonObject = {};
  const authData: JsonObject = {};
  let sessionToken: string | undefined;
  for (const [column, stored] of Object.entries(columns)) {
    const value = fromExtendedJson(stored);
    if (column.startsWith("_p_")) object[column.slice(3)] = pointerFrom(value);
    else if (column.startsWith("_auth_data_")) {
      if (value !== null) authData[column.slice("_auth_data_".length)] = value;
    } else if (column === "_hashed_password") secret.passwordHash = value;
    else if (column === "_password_history") secret.passwordHistory = value;
    else if (column === "_password_changed_at") secret.passwordChangedAt = value;
    else if (column === "_session_token" || (className === "_Session" && column === "sessionToken")) {
      sessionToken = String(value);
    } else if (column.startsWith("_")) {
      if (!IGNORED_COLUMNS.test(column)) unknown.add(`${className}.${column}`);
    } else object[column] = valueFrom(value, dumpClass?.schema.fields[column]);
  }
  if (Object.keys(authData).length > 0) secret.authData = authData;
  const acl = aclFrom(_rperm, _wperm);
  if (acl) object.ACL = acl;
  return { object, secret, sessionToken };
}

function parseTimestamp(value: JsonValue | undefined): string {
  const time = value === undefined ? null : fromExtendedJson(value);
  if (time === null) return new Date(0).toISOString();
  if (isWireDate(time)) return time.iso;
  return isoOf(time);
}

/** The time that a text names, in UTC. */
function isoOf(text: JsonValue): string {
  const ms = typeof text === "string" ? isoTime(text) : undefined;
  if (ms === undefined) throw new Error(`${JSON.stringify(text)} is not a date`);
  return new Date(ms).toISOString();
}

/** Parses `Class$id`. */
function pointerFrom(value: JsonValue): JsonValue {
  if (value === null) return null;
  const [className = "", ...id] = String(value).split("$");
  if (className === "" || id.length === 0) throw new Error(`${String(value)} is not a pointer`);
  return { __type: "Pointer", className, objectId: id.join("$") };
}

function valueFrom(value: JsonValue, type: FieldType | undefined): JsonValue {
  if (value === null) return null;
  switch (type?.type) {
    case "GeoPoint":
      // MongoDB stores the longitude first.
      if (Array.isArray(value))
        return { __type: "GeoPoint", longitude: value[0] ?? 0, latitude: value[1] ?? 0 };
      return value;
    case "Polygon":
      return isJsonObject(value) && value.type === "Polygon" ? polygonFrom(value) : value;
    case "File":
      return typeof value === "string" ? { __type: "File", name: value } : value;
    case "Date":
      return typeof value === "string" ? { __type: "Date", iso: isoOf(value) } : value;
    case "Bytes":
      return typeof value === "string" ? { __type: "Bytes", base64: value } : value;
    default:
      return value;
  }
}

function polygonFrom({ coordinates }: JsonObject): JsonValue {
  const ring = Array.isArray(coordinates) && Array.isArray(coordinates[0]) ? coordinates[0] : [];
  const points = ring.map((point): [number, number] => {
    const [longitude, latitude] = Array.isArray(point) ? point : [];
    return [Number(latitude), Number(longitude)];
  });
  return { __type: "Polygon", coordinates: closedPolygon(points) };
}

/** Builds the ACL of a document, if it has one. A missing list means everyone. */
function aclFrom(readers: JsonValue | undefined, writers: JsonValue | undefined): JsonObject | undefined {
  if (readers === undefined && writers === undefined) return undefined;
  const acl: Record<string, { read?: boolean; write?: boolean }> = {};
  const grant = (list: JsonValue | undefined, right: "read" | "write") => {
    for (const subject of Array.isArray(list) ? list : ["*"]) {
      acl[String(subject)] = { ...acl[String(subject)], [right]: true };
    }
  };
  grant(readers, "read");
  grant(writers, "write");
  return JSON.parse(JSON.stringify(acl));
}
