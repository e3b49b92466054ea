import { ParseObject } from "@purse/client";
import type { TriggerName } from "./workerMessages.ts";

/** A class name, or the constructor of a class. */
export type ClassReference =
  | string
  | { readonly className?: string; readonly name?: string }
  | (abstract new (
      ...given: never[]
    ) => unknown);

/** Pseudo-classes for the triggers of files and settings, as in Parse Server. */
export const FILE_CLASS = "@File";
export const CONFIG_CLASS = "@Config";

/** SDK classes that are not classes of objects. */
const SPECIAL_CLASSES: ReadonlyMap<string, string> = new Map([
  ["ParseFile", FILE_CLASS],
  ["File", FILE_CLASS],
  ["ParseConfig", CONFIG_CLASS],
  ["Config", CONFIG_CLASS],
]);
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["User", "Role", "Session", "Installation"]);

/** Returns the name of a class; SDK classes map to the system classes. Throws Error. */
export function classNameOf(reference: ClassReference): string {
  const name = typeof reference === "string" ? reference : nameOf(reference);
  const specialClass = isObjectClass(reference) ? undefined : SPECIAL_CLASSES.get(name);
  if (typeof reference !== "string" && specialClass !== undefined) return specialClass;
  if (SYSTEM_NAMES.has(name)) return `_${name}`;
  if (name) return name;
  throw new Error("A trigger requires a class name");
}

function nameOf(reference: Exclude<ClassReference, string>): string {
  const own = "className" in reference ? reference.className : undefined;
  return own ?? reference.name ?? "";
}

/** Whether a value is a class of objects: `Parse.User`, `Parse.Object.extend("Note")`, or a subclass. */
export function isObjectClass(value: unknown): value is ClassReference {
  if (typeof value !== "function") return false;
  return value.prototype instanceof ParseObject || Object.hasOwn(value, "className");
}

/** Throws Error if a class does not support the trigger. */
export function assertTrigger(trigger: TriggerName, className: string): void {
  if (className === "_PushStatus" && trigger === "beforeSave") {
    throw new Error("Only afterSave is allowed on _PushStatus");
  }
  if (className === CONFIG_CLASS && trigger !== "beforeSave" && trigger !== "afterSave") {
    throw new Error("Only beforeSave and afterSave are allowed for Parse.Config");
  }
  if (className === "_Session" && trigger !== "afterLogout") {
    throw new Error("Only the afterLogout trigger is allowed for the _Session class.");
  }
}
