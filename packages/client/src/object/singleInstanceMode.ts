import { isSingleUserProcess } from "../storage.ts";

let isEnabled: boolean | undefined;

/** Sets whether all instances of one object share its data (see singleInstance.ts); by default in single-user processes. */
export function setSingleInstance(enabled: boolean): void {
  isEnabled = enabled;
}

export function isSingleInstance(): boolean {
  isEnabled ??= isSingleUserProcess();
  return isEnabled;
}
