import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseFilesStore } from "../config/filesStore.ts";
import type { Bucket } from "../core/s3/bucket.ts";
import { openBucket } from "../core/s3/openBucket.ts";
import type { S3Config } from "../core/s3/s3Config.ts";
import { backupDatabase, restoreDatabase } from "./backup.ts";
import { SQLITE_BACKUP_TYPE } from "./backupMethod.ts";
import type { Progress } from "./progress.ts";
import { removeAbandoned, removeDatabaseFile } from "./unfinishedFiles.ts";

/** Whether a backup is an object of S3 instead of a file. */
export function isBucketUrl(text: string): boolean {
  return text.startsWith("s3://");
}

/** Parses `s3://bucket/folder/file.sqlite?region=…`. Throws Error that says what is allowed. */
export function parseObjectUrl(text: string): { config: S3Config; key: string } {
  const config = parseFilesStore(text);
  const path = config.kind === "s3" ? config.prefix.replace(/\/$/, "") : "";
  if (config.kind !== "s3" || path === "") {
    throw new Error(
      "a backup in S3 must be s3://bucket/file?region=…&endpoint=https://…&forcePathStyle=1, with the name of its file",
    );
  }
  const slash = path.lastIndexOf("/") + 1;
  return { config: { ...config, prefix: path.slice(0, slash) }, key: path.slice(slash) };
}

/** Uploads a copy of an SQLite database to S3 while it is in use. The copy is checked before it is sent. */
export async function backupToBucket(path: string, url: string, progress: Progress): Promise<void> {
  const { config, key } = parseObjectUrl(url);
  const bucket = await openBucket(config);
  await withTemporaryFile(path, async (file) => {
    await backupDatabase(path, file, progress);
    const { size } = await stat(file);
    await bucket.putFile(key, file, size, SQLITE_BACKUP_TYPE);
  });
}

/** Replaces a database with a backup in S3; see restoreDatabase. */
export async function restoreFromBucket(url: string, path: string, force: boolean): Promise<void> {
  const { config, key } = parseObjectUrl(url);
  const bucket = await openBucket(config);
  await mkdir(dirname(path), { recursive: true });
  await withTemporaryFile(path, async (file) => {
    await download(bucket, key, file);
    await restoreDatabase(file, path, force);
  });
}

async function download(bucket: Bucket, key: string, file: string): Promise<void> {
  const object = await bucket.get(key);
  if (!object) throw new Error(`the bucket has no backup ${key}`);
  await pipeline(object.content, createWriteStream(file, { mode: 0o600 }));
  const { size } = await stat(file);
  if (size !== object.size) throw new Error(`S3 returned ${size} of ${object.size} bytes of ${key}`);
}

/** Runs `work` with a path next to the database, and removes the file and what SQLite created beside it. */
async function withTemporaryFile(path: string, work: (file: string) => Promise<void>): Promise<void> {
  const isTransfer = (name: string) => name.startsWith(`${basename(path)}.`) && name.includes(".transfer");
  await removeAbandoned(dirname(path), isTransfer);
  const file = `${path}.${randomUUID()}.transfer`;
  try {
    await work(file);
  } finally {
    await removeDatabaseFile(file);
  }
}
