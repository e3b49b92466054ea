import { isPointer, type JsonObject, type JsonValue, ownValue } from "@purse/protocol";

/** A user that objects must point to by one of the fields, either directly or by an item of an array. */
export interface UserPointers {
  fields: readonly string[];
  userId: string;
}

export function pointsToUser(object: JsonObject, { fields, userId }: UserPointers): boolean {
  return fields.some((field) => {
    const value = ownValue(object, field);
    return Array.isArray(value) ? value.some((item) => isUser(item, userId)) : isUser(value, userId);
  });
}

function isUser(value: JsonValue | undefined, userId: string): boolean {
  return isPointer(value) && value.className === "_User" && value.objectId === userId;
}
