import { isClassName, isJsonObject, type JsonObject } from "@purse/protocol";
import { sectionOf } from "./sectionFields.ts";

/** A class as defined in the application's configuration. */
export interface ClassDefinition {
  className: string;
  fields: JsonObject;
  indexes: JsonObject;
  /** Undefined leaves the permissions unchanged. */
  classLevelPermissions: JsonObject | undefined;
}

const KEYS = ["className", "fields", "indexes", "classLevelPermissions"];

/** Parses `schemas` of the config file. Throws Error that says what is allowed. */
export function parseSchemas(value: unknown): ClassDefinition[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`it must be a list of classes with ${KEYS.join(", ")}`);
  return value.map((entry: unknown): ClassDefinition => {
    const { className, fields = {}, indexes = {}, classLevelPermissions } = sectionOf(entry, KEYS);
    if (typeof className !== "string" || !isClassName(className)) {
      throw new Error(`"${String(className)}" cannot name a class`);
    }
    if (!isJsonObject(fields) || !isJsonObject(indexes)) {
      throw new Error(`${className}: fields and indexes must be objects`);
    }
    const badField = Object.entries(fields).find(([, field]) => !isJsonObject(field));
    if (badField) throw new Error(`${className}.${badField[0]} must be { type, … }`);
    if (classLevelPermissions !== undefined && !isJsonObject(classLevelPermissions)) {
      throw new Error(`${className}: classLevelPermissions must be an object`);
    }
    return { className, fields, indexes, classLevelPermissions };
  });
}
