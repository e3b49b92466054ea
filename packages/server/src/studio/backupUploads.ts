import { open, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Backups } from "./backups.ts";

interface Upload {
  id: string;
  sizeBytes: number;
  received: number;
  /** Chunks are written one after the other. */
  isWriting: boolean;
}

/** Size of the chunks of an upload, each of which is sent in one request. */
export const CHUNK_BYTES = 8 * 1024 * 1024;

/** Uploads of backups. An upload only becomes a backup once it is complete and has passed the integrity check. */
export class BackupUploads {
  readonly #backups: Backups;
  #upload: Upload | undefined;

  constructor(backups: Backups) {
    this.#backups = backups;
  }

  /** Starts an upload and discards an unfinished one. Throws 116 if there is not enough disk space. */
  async begin(sizeBytes: number): Promise<{ id: string; pieceBytes: number }> {
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
    this.#upload = { id: newObjectId(), sizeBytes, received: 0, isWriting: false };
    await rm(this.#temporaryFile, { force: true });
    return { id: this.#upload.id, pieceBytes: CHUNK_BYTES };
  }

  /** Appends a chunk and returns the offset of the next one. Throws 409 if the offset is wrong. */
  async add(id: string, offset: number, chunk: Buffer): Promise<number> {
    const upload = this.#find(id);
    if (upload.isWriting || offset !== upload.received) {
      throw new ProtocolError(
        ErrorCode.DUPLICATE_REQUEST,
        `The next chunk begins at ${upload.received}.`,
        409,
      );
    }
    if (offset + chunk.length > upload.sizeBytes) {
      throw new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, "The file is larger than announced.", 413);
    }
    upload.isWriting = true;
    try {
      const handle = await open(this.#temporaryFile, offset === 0 ? "w" : "r+", 0o600);
      try {
        await handle.write(chunk, 0, chunk.length, offset);
        if (offset + chunk.length === upload.sizeBytes) await handle.sync();
      } finally {
        await handle.close();
      }
      upload.received = offset + chunk.length;
    } finally {
      upload.isWriting = false;
    }
    return upload.received;
  }

  /** Completes the upload as a backup. Throws 102, and deletes the file, if it cannot be restored. */
  async finish(id: string): Promise<string> {
    const upload = this.#find(id);
    if (upload.isWriting || upload.received !== upload.sizeBytes) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "The upload is incomplete.");
    }
    this.#upload = undefined;
    try {
      await this.#backups.method.check(this.#temporaryFile);
    } catch (error) {
      const reason =
        error instanceof Error ? error.message.replace(this.#temporaryFile, "The file") : String(error);
      await rm(this.#temporaryFile, { force: true });
      throw new ProtocolError(ErrorCode.INVALID_QUERY, `${reason}.`);
    } finally {
      for (const suffix of ["-wal", "-shm"]) await rm(this.#temporaryFile + suffix, { force: true });
    }
    const file = this.#backups.newName("uploaded-");
    await rename(this.#temporaryFile, join(this.#backups.folder, file));
    await this.#backups.moveToBucket(file);
    return file;
  }

  get #temporaryFile(): string {
    return join(this.#backups.folder, "upload.unfinished");
  }

  #find(id: string): Upload {
    if (this.#upload?.id === id) return this.#upload;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The upload does not exist: start it again.");
  }
}
