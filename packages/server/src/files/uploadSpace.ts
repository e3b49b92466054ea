import { statfs } from "node:fs/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import { addressKey } from "../http/address.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";

export interface UploadSpaceOptions {
  /** Where uploads wait. Its disk keeps some room free, whatever clients announce. */
  folder: string;
  /** Uploads that one user, or one address without a user, may have under way. */
  maxPerOwner: number;
  /** Bytes of those together. */
  maxBytesPerOwner: number;
  /** Bytes of the uploads of all clients together. */
  maxBytes: number;
}

/** Uploads of all clients together: each is remembered, and may be a file. */
const MAX_UPLOADS = 10_000;
/** How long somebody who has too many uploads under way should wait, in ms. */
const RETRY_MS = 60_000;
/** What uploads leave free on their disk: this many bytes, or on a small disk a part of it. */
const FREE_BYTES = 100 * 1024 * 1024;
const FREE_SHARE = 0.05;

/** Users who may share an address: of uploads whose user is known only at their end, so many times more may be there. */
const SHARED = 4;

/** Who an upload is counted for whose credentials are not known yet. */
export function sharedOwnerOf(ip: string): UploadOwner {
  return { key: `shared ${addressKey(ip)}`, share: SHARED };
}

export interface UploadOwner {
  key: string;
  /** How many times the limits of one owner hold for it. */
  share: number;
}

/** Who an upload is counted for; undefined for the operator, who is not counted. */
export function uploadOwnerOf({ auth, ip }: Pick<RequestContext, "auth" | "ip">): UploadOwner | undefined {
  if (auth.kind === "master") return undefined;
  return ownerOf(auth.kind === "user" ? `user ${auth.userId}` : `address ${addressKey(ip)}`);
}

/** The owner that was written down by its key. */
export function ownerOf(key: string): UploadOwner {
  return { key, share: 1 };
}

/** Room for what clients send before it is stored: what they announce is reserved, so that nobody takes all of it. */
export class UploadSpace {
  readonly #options: UploadSpaceOptions;
  readonly #owners = new Map<string, { uploads: number; bytes: number }>();
  #uploads = 0;
  #bytes = 0;

  constructor(options: UploadSpaceOptions) {
    this.#options = options;
  }

  /** Uploads under way, and their bytes as announced. */
  get used(): { uploads: number; bytes: number; owners: number } {
    return { uploads: this.#uploads, bytes: this.#bytes, owners: this.#owners.size };
  }

  /**
   * Reserves room for an upload of so many bytes. Answers the way to give it back, once. Throws 429 where the owner has
   * too many uploads under way, 503 where all clients together have, 507 where the disk is full.
   */
  async reserve(owner: UploadOwner | undefined, bytes: number): Promise<() => void> {
    this.#assertRoom(owner, bytes);
    const release = this.take(owner, bytes);
    try {
      await this.#assertFree(bytes);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  /** The same for an upload that is there already: it is counted and never refused. */
  take(owner: UploadOwner | undefined, bytes: number): () => void {
    const counted = owner && (this.#owners.get(owner.key) ?? { uploads: 0, bytes: 0 });
    if (counted) {
      counted.uploads += 1;
      counted.bytes += bytes;
      this.#owners.set(owner.key, counted);
    }
    this.#uploads += 1;
    this.#bytes += bytes;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#uploads -= 1;
      this.#bytes -= bytes;
      if (!counted) return;
      counted.uploads -= 1;
      counted.bytes -= bytes;
      if (counted.uploads === 0) this.#owners.delete(owner.key);
    };
  }

  #assertRoom(owner: UploadOwner | undefined, bytes: number): void {
    const { maxPerOwner, maxBytesPerOwner, maxBytes } = this.#options;
    const share = owner?.share ?? 1;
    const own = owner && this.#owners.get(owner.key);
    // One upload always fits: how large it may be is decided elsewhere.
    if (own && (own.uploads >= maxPerOwner * share || own.bytes + bytes > maxBytesPerOwner * share)) {
      throw tooManyRequests(RETRY_MS, "Too many uploads are under way: finish or delete some of them first.");
    }
    const isFull = this.#uploads >= MAX_UPLOADS || this.#bytes + bytes > maxBytes;
    if (isFull && this.#uploads > 0) {
      throw new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "The server takes no more uploads now.", 503);
    }
  }

  async #assertFree(bytes: number): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#options.folder);
    const kept = Math.min(FREE_BYTES, blocks * bsize * FREE_SHARE);
    if (bavail * bsize - bytes < kept) throw diskFull();
  }
}

/** What clients are told where the disk has no room for their upload. */
export function diskFull(): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "The server has no room for this upload.", 507);
}

const NO_ROOM: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Whether writing has failed as the disk, or what the server may use of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && NO_ROOM.has(error.code);
}
