import type { JsonObject, JsonValue } from "@purse/protocol";

/** What the connection knows of an object of a class. */
export interface LocalObject {
  readonly className: string;
  id: string | undefined;
}

/** Objects kept on this device. The connection holds it, so that only applications that use it carry it. */
export interface LocalStore {
  pin(name: string, objects: readonly LocalObject[]): Promise<void>;
  unpin(name: string, objects: readonly LocalObject[]): Promise<void>;
  /** Forgets a pin; its objects stay where another pin holds them. */
  unpinAll(name: string): Promise<void>;
  isPinned(object: LocalObject): Promise<boolean>;
  /** Gives the object what is kept of it. Throws when nothing is. */
  restore(object: LocalObject): Promise<void>;
  /** Answers a query, with `params` as it travels, among all objects kept or those of one pin. */
  find(
    className: string,
    params: JsonObject,
    pin: string | undefined,
  ): Promise<{ results: LocalObject[]; count: number }>;
  /** After objects were saved or fetched: what is kept of them follows. Of the connection's, it never rejects. */
  synced(objects: readonly LocalObject[]): Promise<void>;
  /** After they were destroyed: they are gone here too. */
  destroyed(objects: readonly LocalObject[]): Promise<void>;
  /** Everything kept, by key. */
  dump(): Promise<Record<string, JsonValue>>;
  /** Fetches from the server everything that is kept. */
  refresh(): Promise<void>;
}

/**
 * Where the local datastore writes, under `_default`, `parsePin_<name>` (lists of keys) and
 * `Parse_LDS_<class>_<id>` (lists with one object).
 */
export interface LocalDatastoreController {
  fromPinWithName(key: string): JsonValue[] | Promise<JsonValue[]>;
  pinWithName(key: string, value: JsonValue[]): unknown;
  unPinWithName(key: string): unknown;
  getAllContents(): Record<string, JsonValue> | Promise<Record<string, JsonValue>>;
}
