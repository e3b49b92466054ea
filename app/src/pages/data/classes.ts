import type { ValueType } from "./values.ts";

/** Classes whose fields the app knows before there is a record. */
export const SAMPLES: Readonly<Record<string, readonly { name: string; type: ValueType }[]>> = {
  Note: [
    { name: "text", type: "string" },
    { name: "done", type: "boolean" },
  ],
};

export const FIRST_CLASS = "Note";

const CLASS = /^[A-Za-z]\w{0,127}$/;
const KEY = "purse/classes";
const MAX_KEPT = 20;

export function isClassName(name: string): boolean {
  return CLASS.test(name);
}

/** The classes that this browser has looked at: where the server tells of none, they are typed once and remembered. */
export function knownClasses(): string[] {
  const kept = (localStorage.getItem(KEY) ?? "").split(" ").filter(isClassName);
  return [...new Set([FIRST_CLASS, ...kept])];
}

export function rememberClass(name: string): void {
  const others = knownClasses().filter((each) => each !== name && each !== FIRST_CLASS);
  localStorage.setItem(KEY, [name, ...others].slice(0, MAX_KEPT).join(" "));
}
