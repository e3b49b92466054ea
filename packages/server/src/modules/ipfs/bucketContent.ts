import { randomBytes } from "node:crypto";
import { ProtocolError } from "@purse/protocol";
import { base32 } from "multiformats/bases/base32";
import type { CID } from "multiformats/cid";
import PQueue from "p-queue";
import type { Bucket } from "../../core/s3/bucket.ts";
import { hasHash, isSupportedHash } from "./blockHash.ts";
import { BlockNotFound } from "./blockNotFound.ts";
import type { Pin } from "./diskPins.ts";
import { type BlockReader, linksOf, readBlock } from "./reachableBlocks.ts";

export type ContentBucket = Pick<Bucket, "read" | "put" | "list" | "removeAll">;

export interface BucketContentOptions {
  /** Opens the bucket when it is needed first, because the S3 client is large. */
  openBucket(): Promise<ContentBucket>;
  /** Called with errors of S3, whose details clients do not see. */
  report(error: unknown): void;
}

/** Stores the blocks of content that is added. */
export interface BlockWriter {
  put(cid: CID, content: Uint8Array): Promise<CID>;
}

const BLOCKS = "ipfs/blocks/";
const PINS = "ipfs/pins/";
/** Maximum size of a block, and of the list of a pin's blocks, in bytes. */
const MAX_BLOCK_BYTES = 4 * 1024 * 1024;
const MAX_LIST_BYTES = 256 * 1024 * 1024;
const PUT_CONCURRENCY = 8;
/** How often a block is searched again that was replaced while it was read. */
const READ_ATTEMPTS = 5;

/**
 * IPFS content in a bucket, for all servers that use it, without any lock between them: each pin has its own copies of its
 * blocks, `ipfs/blocks/{hash}/{pin}`, and `ipfs/pins/{cid}/{pin}` lists them once all are stored. No key is ever written
 * again after its removal, so a late removal cannot affect other pins. Adding the same content again replaces the older
 * copies. Rejects with 100 (HTTP 503) if S3 fails.
 */
export class BucketContent {
  readonly #options: BucketContentOptions;
  #bucket: Promise<ContentBucket> | undefined;

  constructor(options: BucketContentOptions) {
    this.#options = options;
  }

  /** Stores the blocks that `addBlocks` puts, and pins the root that it returns. If it fails, they are removed. */
  async add(addBlocks: (blocks: BlockWriter) => Promise<CID>): Promise<CID> {
    const bucket = await this.#use(async (opened) => opened);
    const pinId = newPinId();
    const hashes = new Set<string>();
    let pin: string | undefined;
    const queue = new PQueue({ concurrency: PUT_CONCURRENCY });
    const blocks: BlockWriter = {
      put: async (cid, content) => {
        const hash = hashOf(cid);
        if (hashes.has(hash)) return cid;
        hashes.add(hash);
        await queue.add(() =>
          this.#use(() => bucket.put(blockKey(hash, pinId), content, "application/octet-stream")),
        );
        return cid;
      },
    };
    try {
      const root = await addBlocks(blocks);
      // Blocks that were put twice may not be stored yet.
      await queue.onIdle();
      const list = Buffer.from([...hashes].join("\n"));
      const key = pinKey(root, pinId);
      pin = key;
      await this.#use(() => bucket.put(key, list, "text/plain"));
      await this.#removePins(root, (other) => other < pinId).catch(this.#options.report);
      return root;
    } catch (error) {
      const keys = [...hashes].map((hash) => blockKey(hash, pinId));
      // It may be stored if only the response of S3 was lost.
      if (pin !== undefined) keys.push(pin);
      await queue.onIdle();
      await bucket.removeAll(keys).catch(this.#options.report);
      throw error;
    }
  }

  /** Pins content that `source` has, and copies its blocks. Rejects with BlockNotFound if one is missing. */
  async pin(root: CID, source: BlockReader): Promise<void> {
    await this.add(async (blocks) => {
      const seen = new Set<string>();
      const waiting = [root];
      for (let cid = waiting.pop(); cid; cid = waiting.pop()) {
        if (seen.has(cid.toString())) continue;
        seen.add(cid.toString());
        const content = await readBlock(source, cid);
        await blocks.put(cid, content);
        waiting.push(...linksOf(cid, content));
      }
      return root;
    });
  }

  /** Removes the pins of a root with their blocks. Returns whether there was one. */
  unpin(root: CID): Promise<boolean> {
    return this.#removePins(root, () => true);
  }

  async list(): Promise<Pin[]> {
    const objects = await this.#use((bucket) => bucket.list(PINS));
    const pinnedAt = new Map<string, number>();
    for (const { key, modifiedAt } of objects) {
      const [cid = ""] = key.slice(PINS.length).split("/");
      pinnedAt.set(cid, Math.max(modifiedAt, pinnedAt.get(cid) ?? 0));
    }
    return [...pinnedAt]
      .sort(([, a], [, b]) => a - b)
      .map(([cid, at]) => ({ cid, pinnedAt: new Date(at).toISOString() }));
  }

  /** Returns a reader, which searches most blocks once for all of them. `get` rejects with BlockNotFound. */
  reader(): { get(cid: CID): Promise<Uint8Array> } {
    // Blocks that are read together mostly belong to the same pin.
    let lastPin: string | undefined;
    return {
      get: async (cid) => {
        if (!isSupportedHash(cid)) throw new BlockNotFound(cid.toString());
        const hash = hashOf(cid);
        for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
          const pin = lastPin ?? (await this.#findPin(hash));
          if (pin === undefined) break;
          const block = await this.#use((bucket) => bucket.read(blockKey(hash, pin), MAX_BLOCK_BYTES));
          lastPin = block && pin;
          if (!block) continue;
          if (await hasHash(block.bytes, cid)) return block.bytes;
          const error = new Error(`S3 returned other content for the block ${cid}`);
          return this.#use(() => Promise.reject(error));
        }
        throw new BlockNotFound(cid.toString());
      },
    };
  }

  async #findPin(hash: string): Promise<string | undefined> {
    const [block] = await this.#use((bucket) => bucket.list(`${BLOCKS}${hash}/`, 1));
    return block?.key.split("/").at(-1);
  }

  /** Removes pins, each after its blocks, so that an interrupted removal can be repeated. */
  async #removePins(root: CID, isRemoved: (pinId: string) => boolean): Promise<boolean> {
    const pins = await this.#use((bucket) => bucket.list(`${PINS}${root}/`));
    const removed = pins.map(({ key }) => key).filter((key) => isRemoved(key.split("/").at(-1) ?? ""));
    for (const key of removed) {
      await this.#use(async (bucket) => {
        const pinId = key.split("/").at(-1) ?? "";
        const list = await bucket.read(key, MAX_LIST_BYTES);
        const hashes = list?.bytes.toString("utf8").split("\n") ?? [];
        await bucket.removeAll(hashes.filter(Boolean).map((hash) => blockKey(hash, pinId)));
        await bucket.removeAll([key]);
      });
    }
    return removed.length > 0;
  }

  /** Reports an error of S3, and rejects with FileStoreError. */
  async #use<T>(work: (bucket: ContentBucket) => Promise<T>): Promise<T> {
    try {
      this.#bucket ??= this.#options.openBucket().catch((error: unknown) => {
        this.#bucket = undefined;
        throw error;
      });
      return await work(await this.#bucket);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      this.#options.report(error);
      const { FileStoreError } = await import("../../core/s3/s3Client.ts");
      throw new FileStoreError(error);
    }
  }
}

/** CIDs of version 0 and 1 may refer to the same block. */
function hashOf({ multihash }: CID): string {
  return base32.encode(multihash.bytes);
}

function blockKey(hash: string, pinId: string): string {
  return `${BLOCKS}${hash}/${pinId}`;
}

function pinKey(root: CID, pinId: string): string {
  return `${PINS}${root}/${pinId}`;
}

/** Later ids are larger. */
function newPinId(): string {
  return Date.now().toString(36).padStart(9, "0") + randomBytes(8).toString("hex");
}
