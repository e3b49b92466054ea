import { ParseObject } from "@purse/client";
import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  type Operation,
  ProtocolError,
} from "@purse/protocol";

/** Creates the object that cloud code works with; `existed` is false for one that has just been created. */
export function toParseObject(className: string, fields: JsonObject, existed = true): ParseObject {
  const object = ParseObject.fromJSON({ className });
  object._finishSave(fields, existed && fields.objectId !== undefined ? 200 : 201);
  return object;
}

/** Returns what saving the object would send now. */
export function pendingChanges(object: ParseObject): JsonObject {
  return object._saveParams().body;
}

/** Returns the encoded fields of an object, with pointers to other objects instead of their content. */
export function encodedFields(object: ParseObject): JsonObject {
  const { createdAt: _, updatedAt: _updatedAt, ...fields } = object.attributes;
  const holder = new ParseObject("Fields");
  holder._set(fields, { ignoreValidation: true });
  return pendingChanges(holder);
}

/** Returns the encoded values of fields, with the objects in them as a whole as far as they are known. */
export function fullValues(object: ParseObject, keys: readonly string[]): JsonObject {
  const json = object.toJSON();
  const known = Object.fromEntries(keys.map((key) => [key, json[key]]));
  // Cloud code may have signed a user up.
  return JSON.parse(JSON.stringify(known, (_key, value) => (isUser(value) ? withoutToken(value) : value)));
}

function isUser(value: unknown): value is JsonObject {
  return isJsonObject(value) && value.className === "_User";
}

function withoutToken({ sessionToken: _, ...fields }: JsonObject): JsonObject {
  return fields;
}

/** Applies the operations of a write to the object as unsaved changes, without the fields that only the server sets. */
export function applyOperations(object: ParseObject, requested: Readonly<Record<string, Operation>>): void {
  const ignoredKeys = new Set(["objectId", "id", "createdAt", "updatedAt", ...object._readOnlyAttributes()]);
  const operations = Object.entries(requested).filter(([key]) => !ignoredKeys.has(key));
  const wire: JsonObject = {};
  for (const [key, operation] of operations) wire[key] = encodeOperation(operation);
  const values = ParseObject.fromJSON({ className: object.className, ...wire });
  for (const [key, operation] of operations) {
    // A dotted key is not a field of `values`: its encoded value is used.
    const isPlainSet = operation.op === "Set" && !key.includes(".");
    try {
      object._set({ [key]: isPlainSet ? values._get(key) : wire[key] }, { ignoreValidation: true });
    } catch (error) {
      // The operation does not apply to the current value.
      const message = error instanceof Error ? error.message : String(error);
      throw new ProtocolError(ErrorCode.INCORRECT_TYPE, message);
    }
  }
}

/** The changes of a trigger: encoded values to set and keys to unset. */
export function changesOf(before: JsonObject, after: JsonObject): { set: JsonObject; unset: string[] } {
  const set: JsonObject = {};
  for (const [key, value] of Object.entries(after)) {
    if (!jsonEqual(before[key], value)) set[key] = value;
  }
  return { set, unset: Object.keys(before).filter((key) => !Object.hasOwn(after, key)) };
}

function encodeOperation(operation: Operation): JsonObject[string] {
  switch (operation.op) {
    case "Set":
      return operation.value;
    case "Delete":
      return { __op: "Delete" };
    case "Increment":
      return { __op: "Increment", amount: operation.amount };
    case "Relation":
      return {
        __op: "Batch",
        ops: [
          { __op: "AddRelation", objects: operation.add },
          { __op: "RemoveRelation", objects: operation.remove },
        ],
      };
    case "Batch":
      return { __op: "Batch", ops: operation.changes.map(encodeOperation) };
    default:
      return { __op: operation.op, objects: operation.objects };
  }
}
