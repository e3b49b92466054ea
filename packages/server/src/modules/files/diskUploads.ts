import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { SavedFile } from "./files.ts";
import { removeOrphans, unfinishedUploadIds, uploadIds } from "./orphanedUploads.ts";
import { type UploadQuota, uploadOwnerOfKey } from "./uploadQuota.ts";
import {
  isUploadId,
  isUploadLocked,
  type PendingUpload,
  type UploadDescription,
  type UploadLock,
  type UploadStorage,
} from "./uploadStorage.ts";

export interface DiskUploadsOptions {
  /** The folder of incomplete uploads. */
  folder: string;
  uploadQuota: UploadQuota;
  /** Whether other processes may use the folder at the same time. */
  isShared: boolean;
  /** Locks uploads for all processes that use the folder. */
  withLock: UploadLock;
  /** In ms since the epoch. */
  clock(): number;
}

type StoredUpload = UploadDescription & { saved?: SavedFile };

/**
 * Stores resumable uploads in a folder, which several processes may share. A load balancer must route the requests of an
 * upload to servers with its folder.
 */
export async function openDiskUploads(options: DiskUploadsOptions): Promise<UploadStorage> {
  const { folder, uploadQuota, isShared, withLock, clock } = options;
  await mkdir(folder, { recursive: true });
  /** Functions that release the quota of incomplete uploads, by id. */
  const reservations = new Map<string, () => void>();
  /** Uploads whose files are being created. */
  const created = new Set<string>();
  const contentPath = (id: string) => join(folder, `${id}.part`);
  const statePath = (id: string) => join(folder, `${id}.json`);

  async function load(id: string): Promise<StoredUpload | undefined> {
    if (!isUploadId(id)) return undefined;
    try {
      const upload: StoredUpload = JSON.parse(await readFile(statePath(id), "utf8"));
      return upload;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async function save(id: string, upload: StoredUpload): Promise<void> {
    const temporary = `${statePath(id)}.new`;
    await writeFile(temporary, JSON.stringify(upload), { flush: true });
    await rename(temporary, statePath(id));
  }

  async function remove(id: string): Promise<void> {
    await rm(statePath(id), { force: true });
    await rm(contentPath(id), { force: true });
    release(id);
  }

  function release(id: string): void {
    reservations.get(id)?.();
    reservations.delete(id);
  }

  /** Counts the incomplete uploads of the folder: those of earlier runs, and of other processes, which also end ours. */
  async function countUnfinished(): Promise<void> {
    const counted = [...reservations.keys()].filter((id) => !created.has(id));
    const unfinished = new Set(await unfinishedUploadIds(folder));
    for (const id of counted) if (!unfinished.has(id)) release(id);
    for (const id of unfinished) {
      if (reservations.has(id)) continue;
      const upload = await load(id);
      if (!upload || upload.saved || reservations.has(id)) continue;
      const { countedFor, length } = upload;
      const owner = countedFor === undefined ? undefined : uploadOwnerOfKey(countedFor);
      reservations.set(id, uploadQuota.reserveUnchecked(owner, length));
    }
  }

  await countUnfinished();
  await removeOrphans(folder, clock());

  return {
    async create(id, upload, owner) {
      created.add(id);
      try {
        if (isShared) await countUnfinished();
        reservations.set(id, await uploadQuota.reserve(owner, upload.length));
        await writeFile(contentPath(id), "", { flag: "wx" });
        await save(id, upload);
      } catch (error) {
        await remove(id);
        throw error;
      } finally {
        created.delete(id);
      }
    },

    async find(id): Promise<PendingUpload | undefined> {
      const upload = await load(id);
      if (!upload) return undefined;
      const offset = upload.saved ? upload.length : (await stat(contentPath(id))).size;
      return { ...upload, offset };
    },

    withLock,

    async append(id, content) {
      const path = contentPath(id);
      // Each byte has its place: a process that has lost its lock writes the same there as the one that has it now.
      const { size } = await stat(path);
      await pipeline(content, createWriteStream(path, { flags: "r+", start: size, flush: true }));
    },

    async contentOf(id) {
      const path = contentPath(id);
      return { path, size: (await stat(path)).size };
    },

    async finish(id, saved) {
      const upload = await load(id);
      if (upload) await save(id, { ...upload, saved });
      await rm(contentPath(id), { force: true });
      release(id);
    },

    remove,

    async sweep(now) {
      for (const id of await uploadIds(folder)) {
        const upload = await load(id);
        if (!upload || upload.expiresAt >= now) continue;
        await withLock(id, () => remove(id)).catch((error: unknown) => {
          if (!isUploadLocked(error)) throw error;
        });
      }
      if (isShared) await countUnfinished();
      await removeOrphans(folder, now);
    },
  };
}
