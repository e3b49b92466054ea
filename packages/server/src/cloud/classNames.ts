import { ParseObject } from "@purse/client";
import type { TriggerName } from "./messages.ts";

/** A class by name, or the constructor of one. */
export type ClassReference =
  | string
  | { readonly className?: string; readonly name?: string }
  | (abstract new (
      ...given: never[]
    ) => unknown);

/** Stand for the files and the settings among the classes of triggers, as in Parse Server. */
export const FILE_CLASS = "@File";
export const CONFIG_CLASS = "@Config";

/** Classes of the SDK that are no classes of objects. */
const OTHER_CLASSES: ReadonlyMap<string, string> = new Map([
  ["ParseFile", FILE_CLASS],
  ["File", FILE_CLASS],
  ["ParseConfig", CONFIG_CLASS],
  ["Config", CONFIG_CLASS],
]);
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["User", "Role", "Session", "Installation"]);

/** The name of the class; the classes of the SDK stand for the server's own. Throws Error. */
export function classNameOf(reference: ClassReference): string {
  const name = typeof reference === "string" ? reference : nameOf(reference);
  const other = isObjectClass(reference) ? undefined : OTHER_CLASSES.get(name);
  if (typeof reference !== "string" && other !== undefined) return other;
  if (SYSTEM_NAMES.has(name)) return `_${name}`;
  if (name) return name;
  throw new Error("A trigger needs the name of a class");
}

function nameOf(reference: Exclude<ClassReference, string>): string {
  const own = "className" in reference ? reference.className : undefined;
  return own ?? reference.name ?? "";
}

/** Whether a value is a class of objects: `Parse.User`, `Parse.Object.extend("Note")`, a class of one's own. */
export function isObjectClass(value: unknown): value is ClassReference {
  if (typeof value !== "function") return false;
  return value.prototype instanceof ParseObject || Object.hasOwn(value, "className");
}

/** Throws Error where a class has no such trigger. */
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
