import { isPointer, type JsonObject, type JsonValue } from "@purse/protocol";

/** Objects that point to a user: by one of the fields, or by an item of one that is an array. */
export interface UserPointers {
  fields: readonly string[];
  userId: string;
}

export function pointsToUser(object: JsonObject, { fields, userId }: UserPointers): boolean {
  return fields.some((field) => {
    const value = Object.hasOwn(object, field) ? object[field] : undefined;
    return Array.isArray(value) ? value.some((item) => isUser(item, userId)) : isUser(value, userId);
  });
}

function isUser(value: JsonValue | undefined, userId: string): boolean {
  return isPointer(value) && value.className === "_User" && value.objectId === userId;
}
