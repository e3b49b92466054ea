import { open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Backups } from "./backups.ts";

interface Upload {
  path: string;
  sizeBytes: number;
  received: number;
}

/** Size of the chunks of an upload, each of which is sent in one request. */
export const CHUNK_BYTES = 8 * 1024 * 1024;
/** The name of the file of an upload has its id and the size that was announced. */
const FILE_NAME = /^upload-(\w+)-(\d+)\.unfinished$/;

/** Uploads of backups. An upload only becomes a backup once it is complete and has passed the integrity check. */
export class BackupUploads {
  readonly #backups: Backups;
  /** The uploads with a request in progress: chunks are written one after the other. */
  readonly #busy = new Set<string>();

  constructor(backups: Backups) {
    this.#backups = backups;
  }

  /**
   * Starts an upload and discards unfinished ones. Throws 116 if there is not enough disk space, and 108 if other servers
   * use the database.
   */
  async begin(sizeBytes: number): Promise<{ id: string; pieceBytes: number }> {
    await this.#backups.assertOnlyServer();
    await this.#backups.createFolder();
    const { bavail, bsize } = await statfs(this.#backups.folder);
    // The backup is stored here, and copied once more when it is restored.
    if (sizeBytes * 2 > bavail * bsize) {
      throw new ProtocolError(
        ErrorCode.OBJECT_TOO_LARGE,
        "There is not enough disk space on the server.",
        413,
      );
    }
    for (const name of await readdir(this.#backups.folder)) {
      const [, unfinished] = FILE_NAME.exec(name) ?? [];
      if (unfinished !== undefined && !this.#busy.has(unfinished))
        await rm(join(this.#backups.folder, name), { force: true });
    }
    const id = newObjectId();
    const path = join(this.#backups.folder, `upload-${id}-${sizeBytes}.unfinished`);
    await (await open(path, "wx", 0o600)).close();
    return { id, pieceBytes: CHUNK_BYTES };
  }

  /** Appends a chunk and returns the offset of the next one. Throws 409 if the offset is wrong. */
  add(id: string, offset: number, chunk: Buffer): Promise<number> {
    return this.#exclusively(id, async () => {
      const { path, sizeBytes, received } = await this.#find(id);
      if (offset !== received) throw conflict(`The next chunk begins at ${received}.`);
      if (offset + chunk.length > sizeBytes) {
        throw new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, "The file is larger than announced.", 413);
      }
      const handle = await open(path, "a");
      try {
        await handle.appendFile(chunk);
        if (offset + chunk.length === sizeBytes) await handle.sync();
      } catch (error) {
        await handle.truncate(offset);
        throw error;
      } finally {
        await handle.close();
      }
      return offset + chunk.length;
    });
  }

  /** Completes the upload as a backup. Throws 102, and deletes the file, if it cannot be restored. */
  finish(id: string): Promise<string> {
    return this.#exclusively(id, async () => {
      const { path, sizeBytes, received } = await this.#find(id);
      if (received !== sizeBytes)
        throw new ProtocolError(ErrorCode.INVALID_QUERY, "The upload is incomplete.");
      try {
        await this.#backups.method.check(path);
      } catch (error) {
        const reason = error instanceof Error ? error.message.replace(path, "The file") : String(error);
        await rm(path, { force: true });
        throw new ProtocolError(ErrorCode.INVALID_QUERY, `${reason}.`);
      } finally {
        for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
      }
      const file = this.#backups.newName("uploaded-");
      await rename(path, join(this.#backups.folder, file));
      await this.#backups.moveToBucket(file);
      return file;
    });
  }

  async #exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(id)) throw conflict("Another request of this upload is in progress.");
    this.#busy.add(id);
    try {
      return await work();
    } finally {
      this.#busy.delete(id);
    }
  }

  async #find(id: string): Promise<Upload> {
    await this.#backups.createFolder();
    for (const name of await readdir(this.#backups.folder)) {
      const [, uploadId, sizeBytes] = FILE_NAME.exec(name) ?? [];
      if (uploadId !== id) continue;
      const path = join(this.#backups.folder, name);
      return { path, sizeBytes: Number(sizeBytes), received: (await stat(path)).size };
    }
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The upload does not exist: start it again.");
  }
}

function conflict(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.DUPLICATE_REQUEST, message, 409);
}
