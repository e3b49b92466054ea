import { servesOnePerson } from "../storage.ts";

let shared: boolean | undefined;

/** Sets whether all instances of one object share its data (see singleInstance.ts); by default in single-user processes. */
export function shareInstances(enabled: boolean): void {
  shared = enabled;
}

export function sharesInstances(): boolean {
  shared ??= servesOnePerson();
  return shared;
}
