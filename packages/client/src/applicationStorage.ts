import { connection } from "./connection.ts";
import { type StorageArea, type SyncStorage, storageKey, storageKeys } from "./storage.ts";

/** The connection's storage under its Parse name. The synchronous methods throw with an async storage. */
export const Storage = {
  /** 1 for an async storage. */
  async: (): 0 | 1 => (connection().storage.kind === "async" ? 1 : 0),
  getItem: (key: string): string | null => syncArea().getItem(key),
  getItemAsync: async (key: string): Promise<string | null> => connection().storage.area.getItem(key),
  setItem: (key: string, value: string): void => syncArea().setItem(key, value),
  setItemAsync: async (key: string, value: string): Promise<void> => {
    await connection().storage.area.setItem(key, value);
  },
  removeItem: (key: string): void => syncArea().removeItem(key),
  removeItemAsync: async (key: string): Promise<void> => {
    await connection().storage.area.removeItem(key);
  },
  getAllKeysAsync: (): Promise<readonly string[]> => storageKeys(connection().storage),
  /** The key of a value that belongs to the application. */
  generatePath: (name: string): string => storageKey(connection().applicationId, name.replace(/^\//, "")),
};

function syncArea(): SyncStorage {
  const { storage }: { storage: StorageArea } = connection();
  if (storage.kind === "sync") return storage.area;
  throw new Error("Synchronous storage is not supported by the current storage controller");
}
