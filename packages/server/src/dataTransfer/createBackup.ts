import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseConfig } from "../config/database.ts";
import { openBucket } from "../core/s3/openBucket.ts";
import { backupDatabase, restoreDatabase } from "./backup.ts";
import { backupPostgresToFile, POSTGRES_BACKUP_TYPE } from "./backupMethod.ts";
import { backupToBucket, isBucketUrl, parseObjectUrl, restoreFromBucket } from "./bucketBackup.ts";
import type { PostgresConfig } from "./postgresBackup.ts";
import type { Progress } from "./progress.ts";

/**
 * Backs up a database while it is in use, to a file or an object of S3 (`s3://bucket/file?region=…`). Returns the path
 * or URL of the backup, and the number of rows of a PostgreSQL database by table.
 */
export async function createBackup(
  database: DatabaseConfig,
  out: string,
  progress: Progress,
): Promise<{ file: string; rows?: Record<string, number> }> {
  const file = isBucketUrl(out) ? out : resolve(out);
  if (database.kind === "postgres") {
    const rows = isBucketUrl(out)
      ? await backupPostgresToBucket(database, out, progress)
      : await backupPostgresToFile(database, file, progress);
    return { file, rows };
  }
  if (isBucketUrl(out)) await backupToBucket(database.path, out, progress);
  else await backupDatabase(database.path, file, progress);
  return { file };
}

/**
 * Replaces a database with a backup in a file or in S3. Without `force`, rejects if an SQLite database exists or a
 * PostgreSQL database has data. Returns the number of rows of a PostgreSQL database by table.
 */
export async function restoreBackup(
  database: DatabaseConfig,
  source: string,
  force: boolean,
  progress: Progress,
): Promise<Record<string, number> | undefined> {
  if (database.kind === "postgres") {
    const { restorePostgres } = await import("./postgresRestore.ts");
    const options = { force, keepsOperators: false, progress };
    return restorePostgres(database, () => openSource(source), options);
  }
  if (isBucketUrl(source)) await restoreFromBucket(source, database.path, force);
  else await restoreDatabase(resolve(source), database.path, force);
  return undefined;
}

async function backupPostgresToBucket(
  config: PostgresConfig,
  url: string,
  progress: Progress,
): Promise<Record<string, number>> {
  const { config: bucketConfig, key } = parseObjectUrl(url);
  const bucket = await openBucket(bucketConfig);
  const { backupPostgres } = await import("./postgresBackup.ts");
  return backupPostgres(config, (content) => bucket.putStream(key, content, POSTGRES_BACKUP_TYPE), progress);
}

async function openSource(source: string): Promise<AsyncIterable<Uint8Array>> {
  if (!isBucketUrl(source)) {
    const file = resolve(source);
    if (!existsSync(file)) throw new Error(`${file} does not exist`);
    return createReadStream(file);
  }
  const { config, key } = parseObjectUrl(source);
  const object = await (await openBucket(config)).get(key);
  if (!object) throw new Error(`the bucket has no backup ${key}`);
  return object.content;
}
