import { statfs } from "node:fs/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { addressKey } from "../../core/http/address.ts";
import { tooManyRequests } from "../../core/limits/tooManyRequests.ts";

export interface UploadQuotaOptions {
  /** The upload folder. Its disk keeps a minimum of free space. */
  folder: string;
  /** Concurrent uploads per user, or per address without a user. */
  maxPerOwner: number;
  /** Total bytes of those uploads. */
  maxBytesPerOwner: number;
  /** Total bytes of the uploads of all clients. */
  maxBytes: number;
}

/** Maximum number of uploads of all clients: each uses memory and may be a file. */
const MAX_UPLOADS = 10_000;
/** How long a client with too many uploads should wait before a retry, in ms. */
const RETRY_MS = 60_000;
/** Disk space that uploads leave free, in bytes; on a small disk a share of it. */
const MIN_FREE_BYTES = 100 * 1024 * 1024;
const MIN_FREE_SHARE = 0.05;

/** Number of users who may share an address: the limits of uploads whose user is not known yet are multiplied by it. */
const SHARED_ADDRESS_FACTOR = 4;

/** The owner of an upload whose user is not known yet. */
export function sharedUploadOwner(ip: string): UploadOwner {
  return { key: `shared ${addressKey(ip)}`, factor: SHARED_ADDRESS_FACTOR };
}

export interface UploadOwner {
  key: string;
  /** Multiplier of the limits per owner. */
  factor: number;
}

/** The owner that an upload is counted for; undefined for the operator, who is not limited. */
export function uploadOwnerOf({ auth, ip }: Pick<RequestContext, "auth" | "ip">): UploadOwner | undefined {
  if (auth.kind === "master") return undefined;
  return uploadOwnerOfKey(auth.kind === "user" ? `user ${auth.userId}` : `address ${addressKey(ip)}`);
}

/** Restores an owner from its stored key. */
export function uploadOwnerOfKey(key: string): UploadOwner {
  return { key, factor: 1 };
}

/** Limits uploads: their announced sizes are reserved before content arrives, so that no client exhausts the disk. */
export class UploadQuota {
  readonly #options: UploadQuotaOptions;
  readonly #owners = new Map<string, { uploads: number; bytes: number }>();
  #uploads = 0;
  #bytes = 0;

  constructor(options: UploadQuotaOptions) {
    this.#options = options;
  }

  /** Reserved uploads and their announced bytes. */
  get usage(): { uploads: number; bytes: number; owners: number } {
    return { uploads: this.#uploads, bytes: this.#bytes, owners: this.#owners.size };
  }

  /**
   * Reserves space for an upload. Returns a function that releases it once. Throws 429 if the owner has too many
   * uploads, 503 if all clients together have, 507 if the disk is full.
   */
  async reserve(owner: UploadOwner | undefined, bytes: number): Promise<() => void> {
    this.#assertWithinQuota(owner, bytes);
    const release = this.reserveUnchecked(owner, bytes);
    try {
      await this.#assertDiskSpace(bytes);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  /**
   * Checks the limits for an upload whose usage is counted elsewhere: `stored` is what is stored there of the owner and of
   * all clients. Throws 429 or 503.
   */
  assertFits(
    owner: UploadOwner | undefined,
    bytes: number,
    stored: { owner: StoredUsage; all: StoredUsage },
  ): void {
    this.#assertWithinQuota(owner, bytes, stored);
  }

  /** Counts an existing upload without checking the limits. */
  reserveUnchecked(owner: UploadOwner | undefined, bytes: number): () => void {
    const ownerUsage = owner && (this.#owners.get(owner.key) ?? { uploads: 0, bytes: 0 });
    if (ownerUsage) {
      ownerUsage.uploads += 1;
      ownerUsage.bytes += bytes;
      this.#owners.set(owner.key, ownerUsage);
    }
    this.#uploads += 1;
    this.#bytes += bytes;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#uploads -= 1;
      this.#bytes -= bytes;
      if (!ownerUsage) return;
      ownerUsage.uploads -= 1;
      ownerUsage.bytes -= bytes;
      if (ownerUsage.uploads === 0) this.#owners.delete(owner.key);
    };
  }

  #assertWithinQuota(
    owner: UploadOwner | undefined,
    bytes: number,
    stored: { owner: StoredUsage; all: StoredUsage } = { owner: NO_USAGE, all: NO_USAGE },
  ): void {
    const { maxPerOwner, maxBytesPerOwner, maxBytes } = this.#options;
    const factor = owner?.factor ?? 1;
    const ownUsage = owner && sum(this.#owners.get(owner.key) ?? NO_USAGE, stored.owner);
    // A single upload is always accepted: its size is limited elsewhere.
    if (
      ownUsage &&
      ownUsage.uploads > 0 &&
      (ownUsage.uploads >= maxPerOwner * factor || ownUsage.bytes + bytes > maxBytesPerOwner * factor)
    ) {
      throw tooManyRequests(
        RETRY_MS,
        "Too many uploads are in progress: finish or delete some of them first.",
      );
    }
    const all = sum({ uploads: this.#uploads, bytes: this.#bytes }, stored.all);
    const isFull = all.uploads >= MAX_UPLOADS || all.bytes + bytes > maxBytes;
    if (isFull && all.uploads > 0) {
      throw new ProtocolError(
        ErrorCode.FILE_SAVE_ERROR,
        "The server accepts no more uploads at the moment.",
        503,
      );
    }
  }

  async #assertDiskSpace(bytes: number): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#options.folder);
    const minFree = Math.min(MIN_FREE_BYTES, blocks * bsize * MIN_FREE_SHARE);
    if (bavail * bsize - bytes < minFree) throw diskFull();
  }
}

/** Uploads and their announced bytes. */
export interface StoredUsage {
  uploads: number;
  bytes: number;
}

const NO_USAGE: StoredUsage = { uploads: 0, bytes: 0 };

function sum(a: StoredUsage, b: StoredUsage): StoredUsage {
  return { uploads: a.uploads + b.uploads, bytes: a.bytes + b.bytes };
}

/** The error for a full disk. */
export function diskFull(): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "The server has no disk space for this upload.", 507);
}

const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Whether a write failed because the disk, or the quota of the server on it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && DISK_FULL_CODES.has(error.code);
}
