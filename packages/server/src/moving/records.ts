import { isJsonObject, type JsonObject, type JsonValue, ProtocolError, parseAcl } from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";

/** A line of an export. Every line can be taken in again, and again, with the same result. */
export type MovingRecord =
  | { kind: "header"; version: number; exportedAt: string }
  | { kind: "class"; schema: ClassSchema }
  /** `secret` is what never travels to clients: password hashes, sign-ins. */
  | { kind: "object"; className: string; object: JsonObject; secret?: JsonObject }
  | { kind: "relation"; className: string; key: string; owner: string; related: string[] }
  /** A value that only one may hold; `expiresAt` in ms since the epoch. */
  | { kind: "claim"; scope: string; value: string; owner: string; expiresAt?: number };

export const VERSION = 1;

/** Reads a line. Throws Error that says what is wrong with it. */
export function parseRecord(line: string): MovingRecord {
  const value: unknown = parseJson(line);
  if (!isJsonObject(value)) throw new Error("it is not a JSON object");
  switch (value.kind) {
    case "header": {
      if (value.version !== VERSION)
        throw new Error(`it is of version ${String(value.version)}, not ${VERSION}`);
      return { kind: "header", version: VERSION, exportedAt: textOf(value, "exportedAt") };
    }
    case "class":
      return { kind: "class", schema: schemaOf(value.schema) };
    case "object": {
      const { object, secret } = value;
      if (!isJsonObject(object)) throw new Error("object must be an object");
      for (const field of ["objectId", "createdAt", "updatedAt"]) textOf(object, field);
      if (Number.isNaN(Date.parse(textOf(object, "createdAt")))) throw new Error("createdAt must be a time");
      assertAcl(object.ACL);
      if (secret !== undefined && !isJsonObject(secret)) throw new Error("secret must be an object");
      return { kind: "object", className: textOf(value, "className"), object, ...(secret && { secret }) };
    }
    case "relation": {
      const { related } = value;
      if (!Array.isArray(related) || !related.every((id): id is string => typeof id === "string")) {
        throw new Error("related must be a list of ids");
      }
      const [className, key] = [textOf(value, "className"), textOf(value, "key")];
      return { kind: "relation", className, key, owner: textOf(value, "owner"), related };
    }
    case "claim": {
      const { expiresAt } = value;
      if (expiresAt !== undefined && typeof expiresAt !== "number")
        throw new Error("expiresAt must be a number");
      return {
        kind: "claim",
        scope: textOf(value, "scope"),
        value: textOf(value, "value"),
        owner: textOf(value, "owner"),
        ...(expiresAt !== undefined && { expiresAt }),
      };
    }
    default:
      throw new Error(`it is of no kind that is known: ${String(value.kind).slice(0, 40)}`);
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error("it is not JSON");
  }
}

function textOf(value: JsonObject, field: string): string {
  const text = value[field];
  if (typeof text === "string" && text !== "") return text;
  throw new Error(`${field} must be a text`);
}

function schemaOf(value: JsonValue | undefined): ClassSchema {
  if (!isJsonObject(value)) throw new Error("schema must be an object");
  const { fields, classLevelPermissions, indexes } = value;
  if (!isJsonObject(fields) || !isJsonObject(classLevelPermissions) || !isJsonObject(indexes)) {
    throw new Error("schema must have fields, classLevelPermissions and indexes");
  }
  const schema = { className: textOf(value, "className"), table: "", fields, classLevelPermissions, indexes };
  // Written by an export, whose shape this is; what it holds is checked when it is used.
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
