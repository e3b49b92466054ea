import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import PQueue from "p-queue";
import { contentTypeOf } from "../http/contentTypes.ts";
import { type FileAbout, type FileStore, MAX_ABOUT_BYTES, parseAbout } from "./fileStore.ts";
import { canBeStored } from "./names.ts";
import {
  createS3Client,
  FileStoreError,
  isTransient,
  orAbsent,
  type S3Config,
  type S3Timeouts,
} from "./s3Client.ts";
import { writeTemporaryFile } from "./writeFile.ts";

export interface S3FileStoreOptions {
  config: S3Config;
  /** Where content waits until all of it is there: S3 is sent whole files only. */
  spoolFolder: string;
  /** Told why S3 failed, which clients are not. */
  report(error: unknown): void;
  timeouts?: S3Timeouts;
}

/** Larger content is sent in parts, each of which is sent again where it fails; in bytes. */
const MULTIPART_FROM = 64 * 1024 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
/** Files that are sent at once. Parts are held in memory while they are sent. */
const MAX_PUTS = 16;
/** Pauses between attempts to send a file, in ms. */
const RETRY_MS = [200, 1_000];

/** Files in a bucket of S3. What S3 answers is checked: lengths, ranges, names; types and names of files are our own. */
export function openS3FileStore({ config, spoolFolder, report, timeouts }: S3FileStoreOptions): FileStore {
  const { bucket: Bucket, prefix } = config;
  const client = createS3Client(config, timeouts);
  const puts = new PQueue({ concurrency: MAX_PUTS });
  const contentKey = (name: string) => `${prefix}content/${name}`;
  const aboutKey = (name: string) => `${prefix}about/${name}.json`;

  /** Rejects with FileStoreError where S3 fails. */
  async function reporting<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      report(error);
      throw new FileStoreError(error);
    }
  }

  async function put(Key: string, path: string, size: number, md5: string, type: string): Promise<void> {
    const params = { Bucket, Key, ContentType: type };
    if (size >= MULTIPART_FROM) {
      // Where it fails, the uploaded parts are aborted, so that nobody pays for them.
      const Body = createReadStream(path);
      const upload = new Upload({
        client,
        params: { ...params, Body },
        queueSize: 2,
        partSize: PART_BYTES,
        leavePartsOnError: false,
      });
      await upload.done().finally(() => Body.destroy());
      return;
    }
    for (let attempt = 0; ; attempt += 1) {
      const Body = createReadStream(path);
      try {
        await client.send(new PutObjectCommand({ ...params, Body, ContentLength: size, ContentMD5: md5 }));
        return;
      } catch (error) {
        const pause = RETRY_MS[attempt];
        if (pause === undefined || !isTransient(error)) throw error;
        await delay(pause);
      } finally {
        Body.destroy();
      }
    }
  }

  return {
    async write(name, content) {
      const path = join(spoolFolder, randomBytes(16).toString("hex"));
      try {
        const md5 = createHash("md5");
        const size = await writeTemporaryFile(path, hashed(content, md5));
        const type = contentTypeOf(name).type;
        await reporting(puts.add(() => put(contentKey(name), path, size, md5.digest("base64"), type)));
        return size;
      } finally {
        await rm(path, { force: true });
      }
    },

    async describe(name, about) {
      const Body = Buffer.from(JSON.stringify(about));
      const command = { Bucket, Key: aboutKey(name), Body, ContentType: "application/json" };
      await reporting(client.send(new PutObjectCommand(command)));
    },

    async open(name) {
      const Key = contentKey(name);
      const found = await reporting(orAbsent(client.send(new HeadObjectCommand({ Bucket, Key }))));
      if (!found) return undefined;
      const size = lengthIn(found.ContentLength);
      return {
        size,
        modifiedAt: timeIn(found.LastModified),
        etag: etagIn(found.ETag, `${Key} ${size}`),
        read: async function* (start, end) {
          const isWhole = start === 0 && end === size - 1;
          const Range = isWhole ? undefined : `bytes=${start}-${end}`;
          const answer = await reporting(
            client.send(new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) })),
          );
          yield* exactly(answer, { start, end, size, isWhole });
        },
      };
    },

    async about(name) {
      const found = client.send(new GetObjectCommand({ Bucket, Key: aboutKey(name) }));
      return reporting(orAbsent(found).then((answer) => answer && aboutIn(answer)));
    },

    async list(after, limit) {
      const Prefix = contentKey("");
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix,
        MaxKeys: Math.min(limit, 1_000),
        ...(after !== "" && { StartAfter: contentKey(after) }),
      });
      const { Contents = [] } = await reporting(client.send(command));
      const names = Contents.flatMap(({ Key }) =>
        Key?.startsWith(Prefix) ? [Key.slice(Prefix.length)] : [],
      );
      return names.filter((name) => name > after && canBeStored(name)).slice(0, limit);
    },

    async remove(name) {
      const Key = contentKey(name);
      if (!(await reporting(orAbsent(client.send(new HeadObjectCommand({ Bucket, Key })))))) return false;
      const Objects = [{ Key }, { Key: aboutKey(name) }];
      const { Errors = [] } = await reporting(
        client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
      );
      const [refused] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
      if (refused) throw new Error(`S3 does not delete ${refused.Key}: ${refused.Message}`);
      return true;
    },
  };
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: { update(data: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

async function aboutIn({ Body }: GetObjectCommandOutput): Promise<FileAbout> {
  if (!(Body instanceof Readable)) throw new Error("S3 answers no stream");
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of Body) {
    size += piece.length;
    if (size > MAX_ABOUT_BYTES) throw new Error("S3 answers too much about a file");
    pieces.push(piece);
  }
  return parseAbout(Buffer.concat(pieces).toString("utf8"));
}

interface RequestedRange {
  start: number;
  end: number;
  size: number;
  isWhole: boolean;
}

/** The requested bytes. Throws Error where S3 sends other ones, fewer or more. */
async function* exactly(
  { Body, ContentRange }: GetObjectCommandOutput,
  { start, end, size, isWhole }: RequestedRange,
): AsyncGenerator<Uint8Array> {
  if (!(Body instanceof Readable)) throw new Error("S3 answers no stream");
  const length = end - start + 1;
  let got = 0;
  try {
    if (!isWhole && ContentRange !== `bytes ${start}-${end}/${size}`) {
      throw new Error(`S3 answers ${ContentRange ?? "everything"} for bytes ${start}-${end}/${size}`);
    }
    for await (const piece of Body) {
      got += piece.length;
      if (got > length) throw new Error(`S3 answers more than ${length} bytes`);
      yield piece;
    }
  } finally {
    Body.destroy();
  }
  if (got < length) throw new Error(`S3 answers ${got} of ${length} bytes`);
}

function lengthIn(length: number | undefined): number {
  if (length !== undefined && Number.isSafeInteger(length) && length >= 0) return length;
  throw new FileStoreError(new Error(`S3 reports a length of ${length}`));
}

function timeIn(time: Date | undefined): Date {
  return time && !Number.isNaN(time.getTime()) ? time : new Date(0);
}

/** S3's own where it is one; it goes into a header. */
function etagIn(etag: string | undefined, otherwise: string): string {
  if (etag !== undefined && /^"[\x21\x23-\x7e]{1,200}"$/.test(etag)) return etag;
  return `"${createHash("sha256").update(otherwise).digest("base64url")}"`;
}
