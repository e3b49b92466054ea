import type { DataField } from "@purse/ui";

/** Fields of sample classes that are known before there are records. */
export const SAMPLE_FIELDS: Readonly<Record<string, readonly DataField[]>> = {
  Note: [
    { name: "text", type: "String" },
    { name: "done", type: "Boolean" },
  ],
};

export const DEFAULT_CLASS = "Note";

const NAME = /^[A-Za-z]\w{0,127}$/;
const STORAGE_KEY = "purse/classes";
const MAX_STORED = 20;

export function isClassName(name: string): boolean {
  return NAME.test(name);
}

export function isFieldName(name: string): boolean {
  return NAME.test(name);
}

/** The page of the studio with the permissions of a class. */
export function permissionsUrl(className: string): string {
  return `/studio/permissions?class=${className}`;
}

/** The classes viewed in this browser, used if the server does not list classes. */
export function knownClasses(): string[] {
  const stored = (localStorage.getItem(STORAGE_KEY) ?? "").split(" ").filter(isClassName);
  return [...new Set([DEFAULT_CLASS, ...stored])];
}

export function rememberClass(name: string): void {
  const others = knownClasses().filter((each) => each !== name && each !== DEFAULT_CLASS);
  localStorage.setItem(STORAGE_KEY, [name, ...others].slice(0, MAX_STORED).join(" "));
}
