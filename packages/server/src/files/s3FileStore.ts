import { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import type { FilesStoreConfig } from "../config/fileUpload.ts";
import { contentTypeOf } from "../http/contentTypes.ts";
import { type FileStore, parseAbout } from "./fileStore.ts";

/** Files in a bucket of S3, or of a server that speaks as it does; credentials are taken from the environment. */
export function openS3FileStore(config: Extract<FilesStoreConfig, { kind: "s3" }>): FileStore {
  const { bucket: Bucket, prefix, region, endpoint, forcePathStyle } = config;
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    // Other servers than Amazon's do not know the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const contentKey = (name: string) => `${prefix}content/${name}`;
  const aboutKey = (name: string) => `${prefix}about/${name}.json`;

  async function put(key: string, content: AsyncIterable<Uint8Array>, type: string): Promise<number> {
    let size = 0;
    let failure: unknown;
    async function* counted() {
      try {
        for await (const chunk of content) {
          size += chunk.length;
          yield chunk;
        }
      } catch (error) {
        failure = error;
        throw error;
      }
    }
    const Body = Readable.from(counted(), { objectMode: false });
    // Parts are held in memory while they are sent: two of 5 MiB.
    const upload = new Upload({
      client,
      params: { Bucket, Key: key, Body, ContentType: type },
      queueSize: 2,
      partSize: 5 * 1024 * 1024,
      leavePartsOnError: false,
    });
    try {
      await upload.done();
    } catch (error) {
      throw failure ?? error;
    }
    return size;
  }

  async function read(Key: string, Range?: string): Promise<Readable> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) }));
    if (Body instanceof Readable) return Body;
    throw new Error("S3 answered no stream");
  }

  return {
    write: (name, content) => put(contentKey(name), content, contentTypeOf(name).type),

    async describe(name, about) {
      await put(aboutKey(name), Readable.from([Buffer.from(JSON.stringify(about))]), "application/json");
    },

    async open(name) {
      const Key = contentKey(name);
      const found = await absent(client.send(new HeadObjectCommand({ Bucket, Key })));
      if (!found) return undefined;
      return {
        size: found.ContentLength ?? 0,
        modifiedAt: found.LastModified ?? new Date(0),
        etag: found.ETag ?? `"${found.ContentLength}"`,
        read: async function* (start, end) {
          yield* await read(Key, `bytes=${start}-${end}`);
        },
      };
    },

    async about(name) {
      const body = await absent(read(aboutKey(name)));
      return body && parseAbout(Buffer.concat(await body.toArray()).toString("utf8"));
    },

    async list(after, limit) {
      const Prefix = contentKey("");
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix,
        MaxKeys: Math.min(limit, 1_000),
        ...(after !== "" && { StartAfter: contentKey(after) }),
      });
      const { Contents = [] } = await client.send(command);
      return Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(Prefix.length)]));
    },

    async remove(name) {
      const Key = contentKey(name);
      if (!(await absent(client.send(new HeadObjectCommand({ Bucket, Key }))))) return false;
      const Objects = [{ Key }, { Key: aboutKey(name) }];
      const { Errors = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
      );
      const [refused] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
      if (refused) throw new Error(`S3 does not delete ${refused.Key}: ${refused.Message}`);
      return true;
    },
  };
}

/** Undefined where S3 has no such object. */
async function absent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
    throw error;
  }
}
