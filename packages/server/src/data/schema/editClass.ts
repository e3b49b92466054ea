import {
  assertStorableTexts,
  canonicalDates,
  ErrorCode,
  FIELD_TYPES,
  type FieldType,
  fieldTypeOf,
  isClassName,
  isFieldName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  ProtocolError,
  readEmptyArrayAsObject,
} from "@purse/protocol";
import { ACCESS_PRESET_NAMES, ACCESS_PRESETS, isAccessPreset } from "../../config/accessPresets.ts";
import { type ClassSchema, COMMON_FIELDS, type IndexDirection } from "../../database/classSchema.ts";
import { parseClassPermissions } from "../permissions/parseClassPermissions.ts";
import { clientFields } from "./describe.ts";

/** Error codes that only the schema API uses. */
const CLASS_NAME_MISSING = 135;
const FIELD_IS_FIXED = 136;

/** Changes of a class, in wire format. */
export interface ClassEdit {
  fields?: JsonValue | undefined;
  classLevelPermissions?: JsonValue | undefined;
  /** A word that stands for permissions, instead of them. */
  access?: JsonValue | undefined;
  indexes?: JsonValue | undefined;
}

/**
 * Applies an edit to a class: adds fields and indexes, removes those with `{__op: "Delete"}`, and replaces permissions.
 * `fixedFields` cannot be removed, `isUserId` says which keys of permissions name users. Throws ProtocolError for an invalid edit.
 */
export function editClass(
  schema: ClassSchema,
  edit: ClassEdit,
  fixedFields: readonly string[],
  isUserId?: (text: string) => boolean,
): ClassSchema {
  const fields = editFields(schema, objectParameter(edit.fields, "fields"), fixedFields);
  const known = clientFields(schema.className, fields);
  const edited: ClassSchema = {
    ...schema,
    fields,
    indexes: editIndexes(schema.indexes, objectParameter(edit.indexes, "indexes"), known),
  };
  const sent = sentPermissions(edit);
  // null removes all permissions, as before any were set.
  if (sent === undefined) return edited;
  const permissions = sent === null ? {} : parseClassPermissions(sent, known, isUserId);
  return { ...edited, classLevelPermissions: permissions };
}

function sentPermissions({ access, classLevelPermissions }: ClassEdit): JsonValue | undefined {
  if (access === undefined || access === null) return classLevelPermissions;
  if (classLevelPermissions !== undefined) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "access and classLevelPermissions exclude each other");
  }
  if (isAccessPreset(access)) return ACCESS_PRESETS[access];
  throw new ProtocolError(ErrorCode.INVALID_JSON, `access must be one of ${ACCESS_PRESET_NAMES.join(", ")}`);
}

/** Throws 136 if the fields of a new system class are among those that it has anyway. */
export function assertNoFields(fields: JsonValue | undefined, fixedFields: readonly string[]): void {
  const name = Object.keys(objectParameter(fields, "fields")).find((each) => fixedFields.includes(each));
  if (name !== undefined) throw new ProtocolError(FIELD_IS_FIXED, `field ${name} cannot be added`);
}

function objectParameter(sent: JsonValue | undefined, parameter: string): JsonObject {
  const value = readEmptyArrayAsObject(sent);
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw new ProtocolError(ErrorCode.INVALID_JSON, `${parameter} must be an object`);
}

function editFields(
  schema: ClassSchema,
  edits: JsonObject,
  fixedFields: readonly string[],
): Record<string, FieldType> {
  const { className } = schema;
  const current = clientFields(className, schema.fields);
  const isNew = Object.keys(schema.fields).length === 0;
  const fields = { ...schema.fields };
  for (const [name, edit] of Object.entries(edits)) {
    const known = ownValue(current, name);
    if (!isJsonObject(edit)) throw invalidJson();
    if (edit.__op === "Delete") {
      if (!known) throw invalidOperation(`Field ${name} does not exist, cannot delete.`);
      if (Object.hasOwn(COMMON_FIELDS, name) || fixedFields.includes(name)) {
        throw new ProtocolError(FIELD_IS_FIXED, `field ${name} cannot be changed`);
      }
      delete fields[name];
    } else if (isNew && Object.hasOwn(COMMON_FIELDS, name)) {
      throw new ProtocolError(FIELD_IS_FIXED, `field ${name} cannot be added`);
    } else if (known && known.type !== edit.type) {
      throw invalidOperation(`Field ${name} exists, cannot update.`);
    } else if (!known || Object.hasOwn(schema.fields, name)) {
      if (!known) assertNewField(name);
      const type = parseFieldType(className, name, edit);
      if (known && known.targetClass !== type.targetClass) {
        throw invalidOperation(`Field ${name} exists, cannot update.`);
      }
      fields[name] = type;
    }
  }
  const geoPointFields = Object.keys(fields).filter((name) => fields[name]?.type === "GeoPoint");
  if (geoPointFields.length > 1) {
    throw new ProtocolError(
      ErrorCode.INCORRECT_TYPE,
      `currently, only one GeoPoint field may exist in an object. Adding ${geoPointFields[1]} when ${geoPointFields[0]} already exists.`,
    );
  }
  return fields;
}

function assertNewField(name: string): void {
  if (!isFieldName(name) || name === "length" || name === "className") {
    throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `invalid field name: ${name}`);
  }
}

function parseFieldType(className: string, name: string, value: JsonObject): FieldType {
  const { type, targetClass, required, defaultValue } = value;
  const known = FIELD_TYPES.find((each) => each === type && each !== "ACL");
  const isReference = type === "Pointer" || type === "Relation";
  if (isReference && (targetClass === undefined || targetClass === null || targetClass === "")) {
    throw new ProtocolError(CLASS_NAME_MISSING, `type ${type} needs a class name`);
  }
  if (isReference && typeof targetClass !== "string") throw invalidJson();
  if (isReference && typeof targetClass === "string" && !isClassName(targetClass)) {
    throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(targetClass));
  }
  if (typeof type !== "string") throw invalidJson();
  if (!known) throw new ProtocolError(ErrorCode.INCORRECT_TYPE, `invalid field type: ${type}`);
  const field: FieldType = { type: known };
  if (isReference && typeof targetClass === "string") field.targetClass = targetClass;
  if (required !== undefined && required !== null) {
    if (typeof required !== "boolean") throw invalidJson();
    if (required && known === "Relation") throw notApplicable("required", field);
    field.required = required;
  }
  if (defaultValue !== undefined && defaultValue !== null) {
    field.defaultValue = parseDefault(className, name, defaultValue, field);
  }
  return field;
}

function parseDefault(className: string, name: string, sent: JsonValue, field: FieldType): JsonValue {
  if (field.type === "Relation") throw notApplicable("default value", field);
  assertStorableTexts(sent);
  const value = canonicalDates(sent, name);
  const defaultType = fieldTypeOf(value);
  if (defaultType?.type === field.type && defaultType.targetClass === field.targetClass) return value;
  throw new ProtocolError(
    ErrorCode.INCORRECT_TYPE,
    `schema mismatch for ${className}.${name} default value; expected ${typeText(field)} but got ${defaultType ? typeText(defaultType) : "null"}`,
  );
}

function notApplicable(option: string, field: FieldType): ProtocolError {
  return new ProtocolError(
    ErrorCode.INCORRECT_TYPE,
    `The '${option}' option is not applicable for ${typeText(field)}`,
  );
}

function editIndexes(
  current: ClassSchema["indexes"],
  edits: JsonObject,
  fields: Readonly<Record<string, FieldType>>,
): ClassSchema["indexes"] {
  const indexes = { ...current };
  for (const [name, edit] of Object.entries(edits)) {
    // The index on objectId always exists: descriptions contain it, and clients may send it back.
    if (name === "_id_") continue;
    if (!isJsonObject(edit)) throw invalidJson();
    const exists = Object.hasOwn(current, name);
    if (edit.__op === "Delete") {
      if (!exists) throw invalidIndex(`Index ${name} does not exist, cannot delete.`);
      delete indexes[name];
      continue;
    }
    if (exists) throw invalidIndex(`Index ${name} exists, cannot update.`);
    if (!/^[0-9A-Za-z_.-]{1,64}$/.test(name)) throw invalidIndex(`Index name ${name} is not valid.`);
    indexes[name] = parseIndex(edit, fields);
  }
  return indexes;
}

function parseIndex(
  value: JsonObject,
  fields: Readonly<Record<string, FieldType>>,
): Record<string, IndexDirection> {
  const keys = Object.entries(value).map(([key, direction]): [string, IndexDirection] => {
    const [field = ""] = key.replace(/^_p_/, "").split(".", 1);
    if (!Object.hasOwn(fields, field)) {
      throw invalidIndex(`Field ${key} does not exist, cannot add index.`);
    }
    if (direction === "text" || direction === "2dsphere" || direction === "2d") {
      return [key.replace(/^_p_/, ""), direction === "text" ? "text" : 1];
    }
    if (direction !== 1 && direction !== -1) throw invalidIndex(`${key} must be 1, -1 or text`);
    return [key.replace(/^_p_/, ""), direction];
  });
  if (keys.length === 0 || !keys.every(([key]) => /^[0-9A-Za-z_.]+$/.test(key))) {
    throw invalidIndex("An index needs fields");
  }
  return Object.fromEntries(keys);
}

export function invalidClassName(className: string): string {
  return `Invalid classname: ${className.slice(0, 128)}, classnames can only have alphanumeric characters and _, and must start with an alpha character `;
}

/** Formats a type: `Pointer<_User>`. */
export function typeText(type: FieldType): string {
  return type.targetClass === undefined ? type.type : `${type.type}<${type.targetClass}>`;
}

function invalidJson(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "invalid JSON");
}

function invalidIndex(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}

function invalidOperation(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SCHEMA_OPERATION, message);
}
