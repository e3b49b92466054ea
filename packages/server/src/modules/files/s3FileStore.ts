import { createHash, randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import PQueue from "p-queue";
import { contentTypeOf } from "../../core/http/contentTypes.ts";
import { continueReading } from "../../core/s3/continueReading.ts";
import { putFile } from "../../core/s3/putFile.ts";
import {
  createS3Client,
  FileStoreError,
  type S3Timeouts,
  undefinedIfMissing,
} from "../../core/s3/s3Client.ts";
import type { S3Config } from "../../core/s3/s3Config.ts";
import { isValidStoredName } from "./fileNames.ts";
import { type FileAttributes, type FileStore, MAX_ATTRIBUTES_BYTES, parseAttributes } from "./fileStore.ts";
import { writeTemporaryFile } from "./writeFile.ts";

export interface S3FileStoreOptions {
  config: S3Config;
  /** The folder in which content is spooled: only complete files are sent to S3. */
  spoolFolder: string;
  /** Called with errors of S3, whose details clients do not see. */
  report(error: unknown): void;
  timeouts?: S3Timeouts;
}

/** Number of files that are sent concurrently. Parts are buffered in memory. */
const MAX_CONCURRENT_PUTS = 16;

/** The key of a file's content below the prefix of the bucket. */
export function contentKeyOf(name: string): string {
  return `content/${name}`;
}

/**
 * Stores files in an S3 bucket. Responses of S3 are validated: lengths, ranges and names; file names and types are
 * determined here.
 */
export function openS3FileStore({ config, spoolFolder, report, timeouts }: S3FileStoreOptions): FileStore {
  const { bucket: Bucket, prefix } = config;
  const client = createS3Client(config, timeouts);
  const putQueue = new PQueue({ concurrency: MAX_CONCURRENT_PUTS });
  const contentKey = (name: string) => prefix + contentKeyOf(name);
  const attributesKey = (name: string) => `${prefix}about/${name}.json`;

  /** Reports an error of S3 and rejects with FileStoreError. */
  async function reportFailure<T>(response: Promise<T>): Promise<T> {
    try {
      return await response;
    } catch (error) {
      report(error);
      throw new FileStoreError(error);
    }
  }

  return {
    async write(name, content) {
      const path = join(spoolFolder, randomBytes(16).toString("hex"));
      try {
        const md5 = createHash("md5");
        const size = await writeTemporaryFile(path, hashChunks(content, md5));
        const upload = {
          Bucket,
          Key: contentKey(name),
          ContentType: contentTypeOf(name).type,
          path,
          size,
          md5: md5.digest("base64"),
        };
        await reportFailure(putQueue.add(() => putFile(client, upload)));
        return size;
      } finally {
        await rm(path, { force: true });
      }
    },

    async writeAttributes(name, about) {
      const Body = Buffer.from(JSON.stringify(about));
      const command = { Bucket, Key: attributesKey(name), Body, ContentType: "application/json" };
      await reportFailure(client.send(new PutObjectCommand(command)));
    },

    async open(name) {
      const Key = contentKey(name);
      const response = await reportFailure(
        undefinedIfMissing(client.send(new HeadObjectCommand({ Bucket, Key }))),
      );
      if (!response) return undefined;
      const size = parseLength(response.ContentLength);
      return {
        size,
        modifiedAt: parseTime(response.LastModified),
        etag: etagOrHash(response.ETag, `${Key} ${size}`),
        read: (first, end) =>
          continueReading(async (received) => {
            const start = first + received;
            const isFullRange = start === 0 && end === size - 1;
            const Range = isFullRange ? undefined : `bytes=${start}-${end}`;
            const response = await reportFailure(
              client.send(new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) })),
            );
            return assertRange(response, { start, end, size, isFullRange });
          }),
      };
    },

    async readAttributes(name) {
      const response = client.send(new GetObjectCommand({ Bucket, Key: attributesKey(name) }));
      return reportFailure(
        undefinedIfMissing(response).then((response) => response && readAttributesBody(response)),
      );
    },

    async list(after, limit) {
      const Prefix = contentKey("");
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix,
        MaxKeys: Math.min(limit, 1_000),
        ...(after !== "" && { StartAfter: contentKey(after) }),
      });
      const { Contents = [] } = await reportFailure(client.send(command));
      const names = Contents.flatMap(({ Key }) =>
        Key?.startsWith(Prefix) ? [Key.slice(Prefix.length)] : [],
      );
      return names.filter((name) => name > after && isValidStoredName(name)).slice(0, limit);
    },

    async remove(name) {
      const Key = contentKey(name);
      if (!(await reportFailure(undefinedIfMissing(client.send(new HeadObjectCommand({ Bucket, Key }))))))
        return false;
      const Objects = [{ Key }, { Key: attributesKey(name) }];
      const { Errors = [] } = await reportFailure(
        client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
      );
      const [failed] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
      if (failed) throw new Error(`S3 did not delete ${failed.Key}: ${failed.Message}`);
      return true;
    },
  };
}

async function* hashChunks(
  content: AsyncIterable<Uint8Array>,
  hash: { update(data: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

async function readAttributesBody({ Body }: GetObjectCommandOutput): Promise<FileAttributes> {
  if (!(Body instanceof Readable)) throw new Error("S3 returned no stream");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of Body) {
    size += chunk.length;
    if (size > MAX_ATTRIBUTES_BYTES) throw new Error("S3 returned too many attributes of a file");
    chunks.push(chunk);
  }
  return parseAttributes(Buffer.concat(chunks).toString("utf8"));
}

interface RequestedRange {
  start: number;
  end: number;
  size: number;
  isFullRange: boolean;
}

/** Yields the requested bytes. Throws Error if S3 sends other, fewer or more bytes. */
async function* assertRange(
  { Body, ContentRange }: GetObjectCommandOutput,
  { start, end, size, isFullRange }: RequestedRange,
): AsyncGenerator<Uint8Array> {
  if (!(Body instanceof Readable)) throw new Error("S3 returned no stream");
  const length = end - start + 1;
  let receivedBytes = 0;
  try {
    if (!isFullRange && ContentRange !== `bytes ${start}-${end}/${size}`) {
      throw new Error(`S3 returned ${ContentRange ?? "everything"} for bytes ${start}-${end}/${size}`);
    }
    for await (const chunk of Body) {
      receivedBytes += chunk.length;
      if (receivedBytes > length) throw new Error(`S3 returned more than ${length} bytes`);
      yield chunk;
    }
  } finally {
    Body.destroy();
  }
  if (receivedBytes < length) throw new Error(`S3 returned ${receivedBytes} of ${length} bytes`);
}

function parseLength(length: number | undefined): number {
  if (length !== undefined && Number.isSafeInteger(length) && length >= 0) return length;
  throw new FileStoreError(new Error(`S3 reports a length of ${length}`));
}

function parseTime(time: Date | undefined): Date {
  return time && !Number.isNaN(time.getTime()) ? time : new Date(0);
}

/** Uses the ETag of S3 if it is valid, because it is sent as a header. */
function etagOrHash(etag: string | undefined, hashInput: string): string {
  if (etag !== undefined && /^"[\x21\x23-\x7e]{1,200}"$/.test(etag)) return etag;
  return `"${createHash("sha256").update(hashInput).digest("base64url")}"`;
}
