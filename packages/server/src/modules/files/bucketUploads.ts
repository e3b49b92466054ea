import { randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { contentTypeOf } from "../../core/http/contentTypes.ts";
import { type Bucket, MAX_COPY_BYTES } from "../../core/s3/bucket.ts";
import { partSizeOf } from "../../core/s3/putFile.ts";
import { FileStoreError } from "../../core/s3/s3Client.ts";
import type { Store } from "../../database/store.ts";
import type { FileStore } from "./fileStore.ts";
import { removeOrphans } from "./orphanedUploads.ts";
import { contentKeyOf } from "./s3FileStore.ts";
import { removeOldUploads } from "./uploadExpiry.ts";
import { createSharedUploadLock } from "./uploadLock.ts";
import type { UploadQuota } from "./uploadQuota.ts";
import { EXPIRED_PAGE, type UploadRecord, UploadRecords } from "./uploadRecords.ts";
import { isUploadLocked, type PendingUpload, type UploadStorage } from "./uploadStorage.ts";

export interface BucketUploadsOptions {
  bucket: Bucket;
  /** The file store in the same bucket. */
  files: FileStore;
  store: Store;
  uploadQuota: UploadQuota;
  /** The folder in which a part is collected before it is sent. */
  spoolFolder: string;
  /** Called with errors of S3, whose details clients do not see. */
  report(error: unknown): void;
}

/** Uploads that one sweep removes at most, in pages. */
const MAX_SWEPT_PAGES = 100;
const TYPE = "application/octet-stream";

/**
 * Stores resumable uploads in a bucket: full parts in a multipart upload, the bytes after them as an object, the state in
 * the database. Any server that shares both continues any upload.
 */
export async function openBucketUploads(options: BucketUploadsOptions): Promise<UploadStorage> {
  const { bucket, files, store, uploadQuota, spoolFolder, report } = options;
  const records = await UploadRecords.open(store);
  const keyOf = (id: string) => `resumable/${id}`;
  const tailKeyOf = (id: string, { parts }: Pick<UploadRecord, "parts">) => `${keyOf(id)}.${parts.length}`;

  /** Reports an error of S3 and rejects with FileStoreError. */
  async function reportFailure<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      report(error);
      throw new FileStoreError(error);
    }
  }

  /** Another server sweeps, too. */
  function reportUnlessLocked(error: unknown): void {
    if (!isUploadLocked(error)) report(error);
  }

  async function require(id: string): Promise<UploadRecord> {
    const record = await records.find(id);
    if (!record) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such upload", 404);
    return record;
  }

  /** Sends a full or last part, and then stores its ETag. */
  async function addPart(id: string, record: UploadRecord, path: string, size: number): Promise<void> {
    const multipartId = record.multipartId ?? (await bucket.beginMultipart(keyOf(id), TYPE));
    const tail = record.tailSize > 0 ? tailKeyOf(id, record) : undefined;
    const etag = await bucket.putPart(keyOf(id), multipartId, record.parts.length + 1, { path, size });
    await records.update(id, record, { multipartId, parts: [...record.parts, { etag, size }], tailSize: 0 });
    if (tail !== undefined) await bucket.remove(tail);
  }

  async function readTail(id: string, record: UploadRecord, part: FileHandle): Promise<void> {
    if (record.tailSize === 0) return;
    const tail = await bucket.read(tailKeyOf(id, record), partSizeOf(record.length));
    // More bytes than those of the state were sent by a server that could not store its state.
    if (!tail || tail.size < record.tailSize)
      throw new Error(`the bytes after the parts of ${id} are missing`);
    await part.write(tail.bytes.subarray(0, record.tailSize), 0, record.tailSize, 0);
  }

  async function append(id: string, record: UploadRecord, content: AsyncIterable<Uint8Array>): Promise<void> {
    const partSize = partSizeOf(record.length);
    const path = join(spoolFolder, randomBytes(16).toString("hex"));
    const part = await open(path, "wx+");
    let size = record.tailSize;
    let failure: { error: unknown } | undefined;
    try {
      await reportFailure(readTail(id, record, part));
      const received = content[Symbol.asyncIterator]();
      for (;;) {
        // What has arrived before the content fails is kept.
        const next = await received.next().catch((error: unknown) => {
          failure = { error };
          return { done: true, value: undefined } as const;
        });
        if (next.done) break;
        let rest = next.value;
        while (rest.length > 0) {
          const bytes = rest.subarray(0, partSize - size);
          const { bytesWritten } = await part.write(bytes, 0, bytes.length, size);
          size += bytesWritten;
          rest = rest.subarray(bytesWritten);
          if (size < partSize) continue;
          await reportFailure(addPart(id, record, path, size));
          await part.truncate(0);
          size = 0;
        }
      }
      const isComplete = sizeOf(record) - record.tailSize + size === record.length;
      if (size > 0 && isComplete) await reportFailure(addPart(id, record, path, size));
      else if (size > record.tailSize) {
        await reportFailure(bucket.putFile(tailKeyOf(id, record), path, size, TYPE));
        await records.update(id, record, { tailSize: size });
      }
    } finally {
      await part.close();
      await rm(path, { force: true });
    }
    if (failure) throw failure.error;
  }

  /** Joins the parts to one object. */
  async function joinParts(id: string, record: UploadRecord): Promise<void> {
    if (record.isJoined || record.multipartId === undefined) return;
    try {
      await bucket.completeMultipart(keyOf(id), record.multipartId, record.parts);
    } catch (error) {
      // A server may have joined them before it could store that.
      if ((await bucket.head(keyOf(id)))?.size !== record.length) throw error;
    }
    await records.update(id, record, { isJoined: true });
  }

  async function* readJoined(id: string): AsyncGenerator<Uint8Array> {
    const object = await reportFailure(bucket.get(keyOf(id)));
    if (!object) throw new FileStoreError(new Error(`the content of ${id} is missing`));
    yield* object.content;
  }

  async function removeContent(id: string, record: UploadRecord): Promise<void> {
    const { multipartId, isJoined, tailSize } = record;
    if (tailSize > 0) await bucket.remove(tailKeyOf(id, record));
    if (isJoined) await bucket.remove(keyOf(id));
    // Some servers cannot abort uploads; a lifecycle rule of the bucket removes what is left.
    else if (multipartId !== undefined) await bucket.abortMultipart(keyOf(id), multipartId).catch(report);
  }

  async function remove(id: string): Promise<void> {
    const record = await records.find(id);
    if (!record) return;
    if (record.saved === undefined) await reportFailure(removeContent(id, record));
    await records.remove(id);
  }

  const withLock = createSharedUploadLock(store);
  await removeOrphans(spoolFolder, store.now());

  return {
    async create(id, upload, owner) {
      uploadQuota.assertFits(owner, upload.length, await records.usage(owner));
      await records.create(id, upload);
    },

    async find(id): Promise<PendingUpload | undefined> {
      const record = await records.find(id);
      if (!record) return undefined;
      const { saved, ...known } = record;
      const offset = saved === undefined ? sizeOf(record) : record.length;
      return { ...known, offset, ...(saved !== undefined && { saved: JSON.parse(saved) }) };
    },

    withLock,

    append: async (id, content) => append(id, await require(id), content),

    async contentOf(id) {
      const record = await require(id);
      await reportFailure(joinParts(id, record));
      const read = () => readJoined(id);
      return {
        size: record.length,
        stored: {
          read,
          async copyTo(name) {
            // S3 copies larger objects only in parts.
            if (record.length > MAX_COPY_BYTES) return files.write(name, read());
            const type = contentTypeOf(name).type;
            await reportFailure(bucket.copy(keyOf(id), contentKeyOf(name), type));
            return record.length;
          },
        },
      };
    },

    async finish(id, saved) {
      const record = await require(id);
      await records.update(id, record, { saved: JSON.stringify(saved) });
      await removeContent(id, record).catch(report);
    },

    remove,

    async sweep(now) {
      await removeOrphans(spoolFolder, now);
      await removeOldUploads(spoolFolder, now);
      for (let page = 0; page < MAX_SWEPT_PAGES; page += 1) {
        const ids = await records.findExpired(now);
        for (const id of ids) await withLock(id, () => remove(id)).catch(reportUnlessLocked);
        if (ids.length < EXPIRED_PAGE) return;
      }
    },
  };
}

/** Number of stored bytes. */
function sizeOf({ parts, tailSize }: Pick<UploadRecord, "parts" | "tailSize">): number {
  return parts.reduce((total, { size }) => total + size, tailSize);
}
