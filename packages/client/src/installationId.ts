import { type Connection, connection } from "./connection.ts";
import { storageKey, withStorageFallback } from "./storage.ts";
import { identityOf } from "./storedUser.ts";
import { uuid } from "./uuid.ts";

/** A UUID v4 that is stable for a storage and application. */
export async function installationId(conn: Connection = connection()): Promise<string> {
  const identity = identityOf(conn);
  if (identity.installationId) return identity.installationId;
  const key = storageKey(conn.applicationId, "installationId");
  const known = await withStorageFallback(() => conn.storage.area.getItem(key), null);
  // A concurrent call may have set the id while this one waited for the storage.
  const id = identity.installationId ?? (known || uuid());
  identity.installationId = id;
  if (id !== known) await withStorageFallback(() => conn.storage.area.setItem(key, id), undefined);
  return id;
}
