import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseAcl,
  tryParseJson,
} from "@purse/protocol";
import type { ClassSchema } from "../database/classSchema.ts";

/**
 * A line of an export file. The names of kinds and fields are part of the file format. Importing a line is idempotent.
 */
export type ExportRecord =
  | { kind: "header"; version: number; exportedAt: string }
  | { kind: "class"; schema: ClassSchema }
  /** `secret` contains what is never sent to clients: password hashes, auth data. */
  | { kind: "object"; className: string; object: JsonObject; secret?: JsonObject }
  | { kind: "relation"; className: string; key: string; owner: string; related: string[] }
  /** A unique value; `expiresAt` in ms since the epoch. */
  | { kind: "claim"; scope: string; value: string; owner: string; expiresAt?: number };

export const EXPORT_VERSION = 1;

/** Parses a line. Throws Error with the reason if it is invalid. */
export function parseRecord(line: string): ExportRecord {
  const value = tryParseJson(line);
  if (value === undefined) throw new Error("it is not JSON");
  if (!isJsonObject(value)) throw new Error("it is not a JSON object");
  switch (value.kind) {
    case "header": {
      if (value.version !== EXPORT_VERSION)
        throw new Error(`it has version ${String(value.version)} instead of ${EXPORT_VERSION}`);
      return { kind: "header", version: EXPORT_VERSION, exportedAt: stringField(value, "exportedAt") };
    }
    case "class":
      return { kind: "class", schema: parseSchema(value.schema) };
    case "object": {
      const { object, secret } = value;
      if (!isJsonObject(object)) throw new Error("object must be an object");
      for (const field of ["objectId", "createdAt", "updatedAt"]) stringField(object, field);
      if (Number.isNaN(Date.parse(stringField(object, "createdAt"))))
        throw new Error("createdAt must be a date");
      assertAcl(object.ACL);
      if (secret !== undefined && !isJsonObject(secret)) throw new Error("secret must be an object");
      return {
        kind: "object",
        className: stringField(value, "className"),
        object,
        ...(secret && { secret }),
      };
    }
    case "relation": {
      const { related } = value;
      if (!Array.isArray(related) || !related.every((id): id is string => typeof id === "string")) {
        throw new Error("related must be a list of ids");
      }
      const [className, key] = [stringField(value, "className"), stringField(value, "key")];
      return { kind: "relation", className, key, owner: stringField(value, "owner"), related };
    }
    case "claim": {
      const { expiresAt } = value;
      if (expiresAt !== undefined && typeof expiresAt !== "number")
        throw new Error("expiresAt must be a number");
      return {
        kind: "claim",
        scope: stringField(value, "scope"),
        value: stringField(value, "value"),
        owner: stringField(value, "owner"),
        ...(expiresAt !== undefined && { expiresAt }),
      };
    }
    default:
      throw new Error(`it has an unknown kind: ${String(value.kind).slice(0, 40)}`);
  }
}

function stringField(value: JsonObject, field: string): string {
  const text = value[field];
  if (typeof text === "string" && text !== "") return text;
  throw new Error(`${field} must be a string`);
}

function parseSchema(value: JsonValue | undefined): ClassSchema {
  if (!isJsonObject(value)) throw new Error("schema must be an object");
  const { fields, classLevelPermissions, indexes } = value;
  if (!isJsonObject(fields) || !isJsonObject(classLevelPermissions) || !isJsonObject(indexes)) {
    throw new Error("schema must have fields, classLevelPermissions and indexes");
  }
  const schema = {
    className: stringField(value, "className"),
    table: "",
    fields,
    classLevelPermissions,
    indexes,
  };
  // The structure comes from an export; the contents are validated when they are used.
  const text = JSON.stringify(schema);
  return JSON.parse(text);
}

function assertAcl(acl: JsonValue | undefined): void {
  if (acl === undefined) return;
  try {
    parseAcl(acl);
  } catch (error) {
    throw new Error(error instanceof ProtocolError ? error.message : "ACL is not valid");
  }
}
