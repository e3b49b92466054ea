import {
  assertClassName,
  isClassName,
  isInternalClassName,
  isJsonObject,
  type JsonValue,
  type Operation,
  valuesIn,
} from "@purse/protocol";
import type { AuthContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassOperation } from "../../database/classSchema.ts";

/** Whether clients may access a class of the server, by its name; false if unset. */
type Rules = ReadonlyMap<string, { readonly clientAccess?: boolean }>;

/** Whether clients may access a class at all. Classes of the server are internal unless their rules open them. */
export function isClientClass(className: string, rules: Rules): boolean {
  return !className.startsWith("_") || rules.get(className)?.clientAccess === true;
}

/** Throws 119 for internal classes and 103 for invalid class names, unless the caller has the master key. */
export function assertClientAccess(
  className: string,
  operation: ClassOperation,
  auth: AuthContext,
  rules: Rules,
): void {
  if (auth.kind === "master" || isClientClass(className, rules)) return;
  if (!isClassName(className) && !isInternalClassName(className)) assertClassName(className);
  throw operationForbidden(
    `Clients aren't allowed to perform the ${operation} operation on the ${className} collection.`,
  );
}

/** Throws 119 where a client stores a pointer, an object or a relation of an internal class, at any depth. */
export function assertPointsToClientClasses(
  operations: Readonly<Record<string, Operation>>,
  auth: AuthContext,
  rules: Rules,
): void {
  if (auth.kind === "master") return;
  for (const path in operations) {
    const operation = operations[path];
    if (operation) for (const value of valuesIn(operation)) assertValuePointers(value, rules);
  }
}

/** Types of values that name a class. */
const TYPES_WITH_CLASS: ReadonlySet<JsonValue | undefined> = new Set(["Pointer", "Object", "Relation"]);

function assertValuePointers(value: JsonValue, rules: Rules): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) assertValuePointers(item, rules);
    return;
  }
  const { __type: type, className } = value;
  if (TYPES_WITH_CLASS.has(type) && typeof className === "string" && !isClientClass(className, rules)) {
    throw operationForbidden(
      `Clients aren't allowed to store pointers to the ${className.slice(0, 128)} collection.`,
    );
  }
  for (const key in value) {
    const item = value[key];
    if (isJsonObject(item) || Array.isArray(item)) assertValuePointers(item, rules);
  }
}
