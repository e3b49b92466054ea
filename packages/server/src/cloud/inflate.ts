import { ParseObject } from "@purse/client";
import { ErrorCode, type JsonObject, jsonEqual, type Operation, ProtocolError } from "@purse/protocol";

/** An object as cloud code works with it; `existed` is false for one that has just been created. */
export function objectOf(className: string, fields: JsonObject, existed = true): ParseObject {
  const object = ParseObject.fromJSON({ className });
  object._finishSave(fields, existed && fields.objectId !== undefined ? 200 : 201);
  return object;
}

/** What a save of the object would send now. */
export function pendingOf(object: ParseObject): JsonObject {
  return object._saveParams().body;
}

/** Lays what a write asks for over the object, as changes that wait to be saved. What only the server sets stays out. */
export function applyOperations(object: ParseObject, asked: Readonly<Record<string, Operation>>): void {
  const untouched = new Set(["objectId", "id", "createdAt", "updatedAt", ...object._readOnlyAttributes()]);
  const operations = Object.entries(asked).filter(([key]) => !untouched.has(key));
  const wire: JsonObject = {};
  for (const [key, operation] of operations) wire[key] = wireOf(operation);
  const values = ParseObject.fromJSON({ className: object.className, ...wire });
  for (const [key, operation] of operations) {
    // A dotted key is not a field of `values`: its value goes in as it travels.
    const set = operation.op === "Set" && !key.includes(".");
    try {
      object._set({ [key]: set ? values._get(key) : wire[key] }, { ignoreValidation: true });
    } catch (error) {
      // An operation that does not go with the value that is there.
      const message = error instanceof Error ? error.message : String(error);
      throw new ProtocolError(ErrorCode.INCORRECT_TYPE, message);
    }
  }
}

/** What a trigger has changed: wire values to put in and keys to take out. */
export function changesOf(before: JsonObject, after: JsonObject): { set: JsonObject; dropped: string[] } {
  const set: JsonObject = {};
  for (const [key, value] of Object.entries(after)) {
    if (!jsonEqual(before[key], value)) set[key] = value;
  }
  return { set, dropped: Object.keys(before).filter((key) => !(key in after)) };
}

function wireOf(operation: Operation): JsonObject[string] {
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
    default:
      return { __op: operation.op, objects: operation.objects };
  }
}
