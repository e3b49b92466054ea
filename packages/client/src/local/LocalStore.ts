import type { JsonObject, JsonValue } from "@purse/protocol";

/** The part of ParseObject that the local datastore needs. */
export interface LocalObject {
  readonly className: string;
  id: string | undefined;
}

/** The local datastore. It is part of the connection, so that only applications that use it bundle it. */
export interface LocalStore {
  pin(name: string, objects: readonly LocalObject[]): Promise<void>;
  unpin(name: string, objects: readonly LocalObject[]): Promise<void>;
  /** Deletes a pin; objects that are in another pin are kept. */
  unpinAll(name: string): Promise<void>;
  isPinned(object: LocalObject): Promise<boolean>;
  /** Restores the object from its record. Throws if there is none. */
  restore(object: LocalObject): Promise<void>;
  /** Runs a query (`params` in wire format) on all stored objects or those of one pin. */
  find(
    className: string,
    params: JsonObject,
    pin: string | undefined,
  ): Promise<{ results: LocalObject[]; count: number }>;
  /** Updates the records after objects were saved or fetched. The connection's never rejects. */
  synced(objects: readonly LocalObject[]): Promise<void>;
  /** Deletes the records after objects were destroyed. */
  destroyed(objects: readonly LocalObject[]): Promise<void>;
  /** All records, by key. */
  dump(): Promise<Record<string, JsonValue>>;
  /** Refetches all stored objects from the server. */
  refresh(): Promise<void>;
}

/**
 * The storage of the local datastore. Its keys are `_default`, `parsePin_<name>` (lists of keys) and
 * `Parse_LDS_<class>_<id>` (lists with one object).
 */
export interface LocalDatastoreController {
  fromPinWithName(key: string): JsonValue[] | Promise<JsonValue[]>;
  pinWithName(key: string, value: JsonValue[]): unknown;
  unPinWithName(key: string): unknown;
  getAllContents(): Record<string, JsonValue> | Promise<Record<string, JsonValue>>;
}
