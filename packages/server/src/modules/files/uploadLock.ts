import { randomBytes } from "node:crypto";
import { type Store, UniqueConstraintError } from "../../database/store.ts";
import { type UploadLock, uploadLocked } from "./uploadStorage.ts";

const SCOPE = "resumableUpload";
const LOCK_MS = 15_000;
const RENEW_MS = 5_000;

/** Locks uploads for all servers of a database. The lock of a server that was killed ends after some seconds. */
export function createSharedUploadLock(store: Pick<Store, "write" | "now">): UploadLock {
  return async (id, work) => {
    const lock = { scope: SCOPE, value: id, owner: randomBytes(16).toString("hex") };
    const reserve = () =>
      store.write([{ kind: "reserveUnique", ...lock, expiresAt: store.now() + LOCK_MS }]).catch((error) => {
        throw error instanceof UniqueConstraintError ? uploadLocked() : error;
      });
    await reserve();
    // If it cannot be renewed, another server may continue; the storage makes sure that both together do no harm.
    const timer = setInterval(() => void reserve().catch(() => undefined), RENEW_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await store.write([{ kind: "releaseUnique", ...lock }]);
    }
  };
}

/** Locks uploads that only this process can continue. */
export function createUploadLock(): UploadLock {
  const locked = new Set<string>();
  return async (id, work) => {
    if (locked.has(id)) throw uploadLocked();
    locked.add(id);
    try {
      return await work();
    } finally {
      locked.delete(id);
    }
  };
}
