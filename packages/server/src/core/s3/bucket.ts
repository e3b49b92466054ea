import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { continueReading } from "./continueReading.ts";
import { putFile, putStream, sendFileWithRetries } from "./putFile.ts";
import { createS3Client, type S3Timeouts, undefinedIfMissing } from "./s3Client.ts";
import type { S3Config } from "./s3Config.ts";

export interface BucketObject {
  /** Without the prefix of the bucket. */
  key: string;
  /** In bytes. */
  size: number;
  /** In ms since the epoch. */
  modifiedAt: number;
}

/** A part of a multipart upload; its number is its position. */
export interface UploadedPart {
  etag: string;
  /** In bytes. */
  size: number;
}

/** Numbers of keys that S3 removes and lists at once. */
const MAX_REMOVED_KEYS = 1_000;
const MAX_LISTED_KEYS = 1_000;
/** S3 copies larger objects (in bytes) only in parts. */
export const MAX_COPY_BYTES = 5 * 1024 ** 3;

/**
 * Objects below the prefix of a bucket. Rejects with the errors of the S3 client. This module loads the client, which
 * is large: import it with `import()` when a bucket is configured.
 */
export class Bucket {
  readonly #client: ReturnType<typeof createS3Client>;
  readonly #name: string;
  readonly #prefix: string;

  constructor(config: S3Config, timeouts?: S3Timeouts) {
    this.#client = createS3Client(config, timeouts);
    this.#name = config.bucket;
    this.#prefix = config.prefix;
  }

  async head(key: string): Promise<BucketObject | undefined> {
    const response = await undefinedIfMissing(this.#client.send(new HeadObjectCommand(this.#object(key))));
    return (
      response && {
        key,
        size: response.ContentLength ?? 0,
        modifiedAt: response.LastModified?.getTime() ?? 0,
      }
    );
  }

  /** Returns the content as a stream, with its size and time; undefined if there is no such object. */
  async get(key: string): Promise<(BucketObject & { content: Readable }) | undefined> {
    const response = await undefinedIfMissing(this.#client.send(new GetObjectCommand(this.#object(key))));
    if (!response) return undefined;
    const { Body: body, ETag } = response;
    if (!(body instanceof Readable)) throw new Error("S3 returned no stream");
    const chunks = continueReading(async (received) =>
      received === 0 ? body : this.#readFrom(key, received, ETag),
    );
    const content = Readable.from(chunks, { objectMode: false });
    // Its errors are those of the content.
    body.on("error", () => undefined);
    content.once("close", () => body.destroy());
    return {
      key,
      content,
      size: response.ContentLength ?? 0,
      modifiedAt: response.LastModified?.getTime() ?? 0,
    };
  }

  /** Returns the content of an object of at most `maxBytes`; undefined if there is none. Throws Error if it is larger. */
  async read(key: string, maxBytes: number): Promise<(BucketObject & { bytes: Buffer }) | undefined> {
    const object = await this.get(key);
    if (!object) return undefined;
    const { content, ...attributes } = object;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`S3 returned more than ${maxBytes} bytes for ${key}`);
      chunks.push(chunk);
    }
    if (size < attributes.size) throw new Error(`S3 returned ${size} of ${attributes.size} bytes of ${key}`);
    return { ...attributes, bytes: Buffer.concat(chunks) };
  }

  async put(key: string, bytes: Uint8Array, type: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#object(key), Body: bytes, ContentType: type }));
  }

  async putFile(key: string, path: string, size: number, type: string): Promise<void> {
    await putFile(this.#client, { ...this.#object(key), path, size, ContentType: type });
  }

  /** Uploads content of unknown size in parts. If it fails, there is no object, and the parts are removed. */
  async putStream(key: string, content: Readable, type: string): Promise<void> {
    await putStream(this.#client, { ...this.#object(key), ContentType: type, Body: content });
  }

  /** Copies an object of at most MAX_COPY_BYTES within the bucket, without moving its content through this process. */
  async copy(from: string, to: string, type: string): Promise<void> {
    const source = `${this.#name}/${this.#prefix}${from}`.split("/").map(encodeURIComponent).join("/");
    await this.#client.send(
      new CopyObjectCommand({
        ...this.#object(to),
        CopySource: source,
        ContentType: type,
        MetadataDirective: "REPLACE",
      }),
    );
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(key)));
  }

  /** Removes objects; missing ones are ignored. Throws Error if S3 does not remove one. */
  async removeAll(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MAX_REMOVED_KEYS) {
      const Objects = keys.slice(at, at + MAX_REMOVED_KEYS).map((key) => ({ Key: this.#prefix + key }));
      const { Errors = [] } = await this.#client.send(
        new DeleteObjectsCommand({ Bucket: this.#name, Delete: { Objects, Quiet: true } }),
      );
      const [failed] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
      if (failed) throw new Error(`S3 did not delete ${failed.Key}: ${failed.Message}`);
    }
  }

  /** Lists objects whose keys begin with `prefix`, at most `limit`, in the order of their keys. */
  async list(prefix: string, limit = Number.POSITIVE_INFINITY): Promise<BucketObject[]> {
    const objects: BucketObject[] = [];
    let after: string | undefined;
    do {
      const response = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#name,
          Prefix: this.#prefix + prefix,
          ...(limit < MAX_LISTED_KEYS && { MaxKeys: limit }),
          ...(after !== undefined && { ContinuationToken: after }),
        }),
      );
      for (const { Key, Size = 0, LastModified } of response.Contents ?? []) {
        if (!Key?.startsWith(this.#prefix + prefix)) continue;
        objects.push({
          key: Key.slice(this.#prefix.length),
          size: Size,
          modifiedAt: LastModified?.getTime() ?? 0,
        });
      }
      after = response.IsTruncated ? response.NextContinuationToken : undefined;
    } while (after !== undefined && objects.length < limit);
    return objects.slice(0, limit);
  }

  /** Begins a multipart upload and returns its id. */
  async beginMultipart(key: string, type: string): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...this.#object(key), ContentType: type });
    const { UploadId } = await this.#client.send(command);
    if (UploadId === undefined) throw new Error("S3 returned no id of a multipart upload");
    return UploadId;
  }

  /** Uploads a file as a part; `number` begins at 1. Returns the part's ETag. */
  async putPart(key: string, uploadId: string, number: number, file: { path: string; size: number }) {
    return sendFileWithRetries(file.path, async (Body) => {
      const { ETag } = await this.#client.send(
        new UploadPartCommand({
          ...this.#object(key),
          UploadId: uploadId,
          PartNumber: number,
          Body,
          ContentLength: file.size,
        }),
      );
      if (ETag === undefined) throw new Error("S3 returned no ETag of a part");
      return ETag;
    });
  }

  async completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    const Parts = parts.map(({ etag }, index) => ({ ETag: etag, PartNumber: index + 1 }));
    await this.#client.send(
      new CompleteMultipartUploadCommand({
        ...this.#object(key),
        UploadId: uploadId,
        MultipartUpload: { Parts },
      }),
    );
  }

  async abortMultipart(key: string, uploadId: string): Promise<void> {
    await this.#client.send(new AbortMultipartUploadCommand({ ...this.#object(key), UploadId: uploadId }));
  }

  /** Returns the content from a byte on. Rejects if the object has another ETag. */
  async #readFrom(key: string, start: number, etag: string | undefined): Promise<Readable> {
    const command = new GetObjectCommand({
      ...this.#object(key),
      Range: `bytes=${start}-`,
      ...(etag !== undefined && { IfMatch: etag }),
    });
    const { Body, ContentRange } = await this.#client.send(command);
    if (!(Body instanceof Readable)) throw new Error("S3 returned no stream");
    if (ContentRange?.startsWith(`bytes ${start}-`)) return Body;
    Body.destroy();
    throw new Error(`S3 returned ${ContentRange ?? "everything"} for the bytes from ${start} on`);
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#name, Key: this.#prefix + key };
  }
}
