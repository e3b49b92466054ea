import { open, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { assertSound } from "../moving/sound.ts";
import { newObjectId } from "../objects/objectId.ts";
import { type Backups, fileName } from "./backups.ts";

interface Upload {
  id: string;
  sizeBytes: number;
  received: number;
  /** Pieces are written one after the other. */
  isWriting: boolean;
}

/** Of a backup from elsewhere, a piece at a time: one piece fits into a request. */
export const PIECE_BYTES = 8 * 1024 * 1024;

/** Backups that an owner brings from elsewhere. Only a whole and sound one becomes one of the backups. */
export class BackupUploads {
  readonly #backups: Backups;
  #upload: Upload | undefined;

  constructor(backups: Backups) {
    this.#backups = backups;
  }

  /** Begins one, and forgets one that was left unfinished. Throws 108, and 104 where the disk has no room for it. */
  async begin(sizeBytes: number): Promise<{ id: string; pieceBytes: number }> {
    // Asked for what it throws: other databases are put back by other means.
    void this.#backups.path;
    await this.#backups.makeFolder();
    const { bavail, bsize } = await statfs(this.#backups.folder);
    // It is kept here, and copied beside the database when it is put back.
    if (sizeBytes * 2 > bavail * bsize) {
      throw new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, "The disk of the server has no room for it.", 413);
    }
    this.#upload = { id: newObjectId(), sizeBytes, received: 0, isWriting: false };
    await rm(this.#place, { force: true });
    return { id: this.#upload.id, pieceBytes: PIECE_BYTES };
  }

  /** Adds a piece, which begins where the last one ended; answers where the next one does. Throws 409 where it does not. */
  async add(id: string, offset: number, piece: Buffer): Promise<number> {
    const upload = this.#find(id);
    if (upload.isWriting || offset !== upload.received) {
      throw new ProtocolError(
        ErrorCode.DUPLICATE_REQUEST,
        `The next piece begins at ${upload.received}.`,
        409,
      );
    }
    if (offset + piece.length > upload.sizeBytes) {
      throw new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, "The file is larger than was said.", 413);
    }
    upload.isWriting = true;
    try {
      const handle = await open(this.#place, offset === 0 ? "w" : "r+", 0o600);
      try {
        await handle.write(piece, 0, piece.length, offset);
        if (offset + piece.length === upload.sizeBytes) await handle.sync();
      } finally {
        await handle.close();
      }
      upload.received = offset + piece.length;
    } finally {
      upload.isWriting = false;
    }
    return upload.received;
  }

  /** Makes it one of the backups. Throws 102, and keeps nothing, where it is none that can be put back. */
  async finish(id: string): Promise<string> {
    const upload = this.#find(id);
    if (upload.isWriting || upload.received !== upload.sizeBytes) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "Not all of the file has come.");
    }
    this.#upload = undefined;
    try {
      await assertSound(this.#place);
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(this.#place, "The file") : String(error);
      await rm(this.#place, { force: true });
      throw new ProtocolError(ErrorCode.INVALID_QUERY, `${reason}.`);
    } finally {
      for (const suffix of ["-wal", "-shm"]) await rm(this.#place + suffix, { force: true });
    }
    const file = fileName("uploaded-");
    await rename(this.#place, join(this.#backups.folder, file));
    return file;
  }

  get #place(): string {
    return join(this.#backups.folder, "upload.unfinished");
  }

  #find(id: string): Upload {
    if (this.#upload?.id === id) return this.#upload;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such upload: begin it anew.");
  }
}
