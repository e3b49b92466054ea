import type { JsonValue } from "@purse/protocol";
import { configure, setting } from "../connection.ts";
import type { LocalDatastoreController, LocalStore } from "./LocalStore.ts";

/** Enables the local datastore: `pin`, `unPin`, `fetchFromLocalDatastore`, `query.fromPin()` … */
export function enableLocalDatastore(): void {
  if (!isLocalDatastoreEnabled()) configure({ local: lazyStore() });
}

/** Whether objects can be pinned. */
export function isLocalDatastoreEnabled(): boolean {
  return setting("local") !== undefined;
}

/** Replaces the storage of the local datastore. */
export function setLocalDatastoreController(controller: LocalDatastoreController): void {
  for (const method of ["pinWithName", "fromPinWithName", "unPinWithName", "getAllContents"] as const) {
    if (typeof controller[method] !== "function") {
      throw new Error(`LocalDatastoreController must implement ${method}()`);
    }
  }
  configure({ localController: controller });
}

/** Everything in the local datastore, by key. */
export async function dumpLocalDatastore(): Promise<Record<string, JsonValue>> {
  const local = setting("local");
  if (local) return local.dump();
  console.log("Moralis.enableLocalDatastore() must be called first");
  return {};
}

/** Refetches all pinned objects. Unsaved changes and objects that the server does not find are kept. */
export async function updateLocalDatastore(): Promise<void> {
  await setting("local")?.refresh();
}

/** Loads the datastore on first use. */
function lazyStore(): LocalStore {
  let loading: Promise<LocalStore> | undefined;
  const store = (): Promise<LocalStore> => {
    loading ??= import("./Datastore.ts").then(({ Datastore }) => new Datastore());
    return loading;
  };
  return {
    pin: async (name, objects) => (await store()).pin(name, objects),
    unpin: async (name, objects) => (await store()).unpin(name, objects),
    unpinAll: async (name) => (await store()).unpinAll(name),
    isPinned: async (object) => (await store()).isPinned(object),
    restore: async (object) => (await store()).restore(object),
    find: async (className, params, pin) => (await store()).find(className, params, pin),
    synced: (objects) => ignoreErrors(async () => (await store()).synced(objects)),
    destroyed: (objects) => ignoreErrors(async () => (await store()).destroyed(objects)),
    dump: async () => (await store()).dump(),
    refresh: async () => (await store()).refresh(),
  };
}

/** A failure to update the pins must not fail the call that has changed the objects. */
async function ignoreErrors(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    console.warn("Moralis: the local datastore could not be updated.", error);
  }
}
