import { createReadStream, type ReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { isTransient } from "./s3Client.ts";

/** Content from this size on (in bytes) is sent in parts, each of which is retried. */
const MULTIPART_MIN_BYTES = 64 * 1024 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
/** Number of parts that S3 accepts, with a reserve. */
const MAX_PARTS = 9_000;
/** Delays between attempts, in ms. */
const RETRY_MS = [200, 1_000];

/** The size of the parts of an object of `size` bytes, in bytes. */
export function partSizeOf(size: number): number {
  return Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
}

/** Sends a file, again if S3 failed or was not reached: each attempt reads it from its beginning. */
export async function sendFileWithRetries<T>(
  path: string,
  send: (body: ReadStream) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const body = createReadStream(path);
    try {
      return await send(body).finally(() => body.destroy());
    } catch (error) {
      const retryDelayMs = RETRY_MS[attempt];
      if (retryDelayMs === undefined || !isTransient(error)) throw error;
      await delay(retryDelayMs);
    }
  }
}

/** Size of the parts of content of unknown size, of which S3 accepts 160 GB, in bytes. Two of them are in memory. */
const STREAM_PART_BYTES = 16 * 1024 * 1024;

/** Uploads content of unknown size. If it fails, the uploaded parts are aborted, so that they are not billed. */
export async function putStream(
  client: S3Client,
  params: { Bucket: string; Key: string; ContentType: string; Body: Readable },
): Promise<void> {
  const options = { queueSize: 1, partSize: STREAM_PART_BYTES, leavePartsOnError: false };
  await new Upload({ client, params, ...options }).done();
}

export interface PutFileOptions {
  Bucket: string;
  Key: string;
  ContentType: string;
  path: string;
  /** In bytes. */
  size: number;
  /** The hash of the content, in base64. */
  md5?: string;
}

/** Uploads a file. If it fails, the uploaded parts are aborted, so that they are not billed. */
export async function putFile(client: S3Client, options: PutFileOptions): Promise<void> {
  const { path, size, md5, ...params } = options;
  if (size >= MULTIPART_MIN_BYTES) {
    const Body = createReadStream(path);
    const upload = new Upload({
      client,
      params: { ...params, Body },
      queueSize: 2,
      partSize: partSizeOf(size),
      leavePartsOnError: false,
    });
    await upload.done().finally(() => Body.destroy());
    return;
  }
  await sendFileWithRetries(path, (Body) =>
    client.send(
      new PutObjectCommand({
        ...params,
        Body,
        ContentLength: size,
        ...(md5 !== undefined && { ContentMD5: md5 }),
      }),
    ),
  );
}
