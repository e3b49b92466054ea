import {
  FIELD_TYPES,
  type FieldType,
  isFieldName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import type { ClassSchema, IndexDirection } from "../schema/classSchema.ts";
import { CLOSED_PERMISSIONS, COMMON_FIELDS, fieldsOf } from "../schema/describe.ts";
import { parsePermissions } from "../schema/parsePermissions.ts";
import type { Notes } from "./parseDocument.ts";

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

/** Columns that a class of the server has outside its objects. */
const KEPT_APART: Readonly<Record<string, readonly string[]>> = {
  _User: ["password", "authData", "sessionToken"],
  _Session: ["sessionToken"],
};

/**
 * Reads a document of `_SCHEMA`: `{_id: class, field: "string" | "*Target" | "relation<Target>", _metadata}`. What
 * cannot be kept is noted; permissions that cannot be read leave the class to the master key.
 */
export function classFromDump(document: JsonObject, notes: Notes): ClassSchema {
  const { _id, _metadata, _client_permissions, ...columns } = document;
  const className = String(_id);
  const metadata = isJsonObject(_metadata) ? _metadata : {};
  const options = isJsonObject(metadata.fields_options) ? metadata.fields_options : {};
  const fields: Record<string, FieldType> = {};
  for (const [name, type] of Object.entries(columns)) {
    if (Object.hasOwn(COMMON_FIELDS, name) || name.startsWith("_")) continue;
    if (KEPT_APART[className]?.includes(name)) continue;
    const field = fieldFrom(String(type));
    if (!field || !isFieldName(name)) {
      notes.add(`${className}.${name}: a field of type ${String(type)} is not known, and is left out`);
      continue;
    }
    fields[name] = field;
    const { required, defaultValue } = Object(options[name]);
    if (required === true && field.type !== "Relation") field.required = true;
    if (defaultValue !== undefined && defaultValue !== null) field.defaultValue = defaultValue;
  }
  return {
    className,
    table: "",
    fields,
    classLevelPermissions: permissionsFrom(className, metadata.class_permissions, fields, notes),
    indexes: indexesFrom(className, metadata.indexes, fields, notes),
  };
}

function fieldFrom(type: string): FieldType | undefined {
  const relation = /^relation<(\w+)>$/.exec(type)?.[1];
  if (relation) return { type: "Relation", targetClass: relation };
  if (type.startsWith("*")) return { type: "Pointer", targetClass: type.slice(1) };
  const name = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  const known = FIELD_TYPES.find((each) => each === name);
  return known && { type: known };
}

/** An operation that they leave out is for the master key alone, there and here. */
function permissionsFrom(
  className: string,
  value: JsonValue | undefined,
  fields: Readonly<Record<string, FieldType>>,
  notes: Notes,
): ClassSchema["classLevelPermissions"] {
  if (value === undefined || value === null) return {};
  const known = fieldsOf(className, { ...fields });
  try {
    return parsePermissions(withoutGoneFields(value, known), known);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    notes.add(`${className}: its permissions cannot be kept, it is for the master key alone: ${error.message}`);
    return CLOSED_PERMISSIONS;
  }
}

/** To hide a field that is gone is to hide nothing. */
function withoutGoneFields(value: JsonValue, known: Readonly<Record<string, FieldType>>): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(value.protectedFields)) return value;
  const lists = Object.entries(value.protectedFields).map(([entity, hidden]): [string, JsonValue] => [
    entity,
    Array.isArray(hidden)
      ? hidden.filter((field) => typeof field !== "string" || Object.hasOwn(known, field))
      : hidden,
  ]);
  return { ...value, protectedFields: Object.fromEntries(lists) };
}

/** MongoDB's own index on `_id` is left out. */
function indexesFrom(
  className: string,
  value: JsonValue | undefined,
  fields: Readonly<Record<string, FieldType>>,
  notes: Notes,
): ClassSchema["indexes"] {
  const indexes: ClassSchema["indexes"] = {};
  for (const [name, keys] of Object.entries(isJsonObject(value) ? value : {})) {
    if (name === "_id_") continue;
    const entries = Object.entries(isJsonObject(keys) ? keys : {}).map(
      ([key, direction]): [string, IndexDirection | undefined] => [columnField(key), directionFrom(direction)],
    );
    const isUsable = entries.every(
      ([field, direction]) =>
        direction !== undefined && (Object.hasOwn(fields, field) || Object.hasOwn(COMMON_FIELDS, field)),
    );
    if (entries.length === 0 || !isUsable || !/^[0-9A-Za-z_.-]{1,64}$/.test(name)) {
      notes.add(`${className}: its index ${name} cannot be kept, and is left out`);
    } else {
      indexes[name] = Object.fromEntries(
        entries.flatMap(([field, direction]) => (direction === undefined ? [] : [[field, direction]])),
      );
    }
  }
  return indexes;
}

/** The field that a column of MongoDB stands for. */
function columnField(column: string): string {
  if (column === "_created_at") return "createdAt";
  if (column === "_updated_at") return "updatedAt";
  return column.replace(/^_p_/, "");
}

function directionFrom(direction: JsonValue): IndexDirection | undefined {
  if (direction === "text") return "text";
  if (direction === "2dsphere" || direction === "2d") return 1;
  const number = isJsonObject(direction) ? Number(Object.values(direction)[0]) : direction;
  return number === 1 || number === -1 ? number : undefined;
}
