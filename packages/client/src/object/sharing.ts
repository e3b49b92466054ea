import { servesOnePerson } from "../storage.ts";

let shared: boolean | undefined;

/** Whether all instances of one object share its data (see singleInstance.ts): where one person is served, unless it is said here. */
export function shareInstances(enabled: boolean): void {
  shared = enabled;
}

export function sharesInstances(): boolean {
  shared ??= servesOnePerson();
  return shared;
}
