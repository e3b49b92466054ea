import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { DatabaseConfig } from "../config/database.ts";
import type { Bucket } from "../core/s3/bucket.ts";
import { backupDatabase } from "./backup.ts";
import { checkIntegrity } from "./integrityCheck.ts";
import type { PostgresConfig } from "./postgresBackup.ts";
import type { Progress } from "./progress.ts";
import {
  type BackupSource,
  deleteStaged,
  replaceDatabase,
  replaceWithFile,
  stageBackup,
  stagedPath,
} from "./replaceDatabase.ts";

/** How a kind of database is backed up while it is in use, and restored while the server is stopped. */
export interface BackupMethod {
  /** Of the names of backups. */
  extension: ".sqlite" | ".postgres.gz";
  contentType: string;
  /** What the progress of a backup counts. */
  unit: "pages" | "rows";
  /** Creates a backup. The file only exists once it is complete. */
  create(file: string, progress: Progress): Promise<void>;
  /** Creates a backup in S3 without a copy on disk, if that is possible. */
  createInBucket?(bucket: Bucket, key: string, progress: Progress): Promise<void>;
  /** Whether no other server uses the database: others would keep what they have in memory after a restore. */
  isOnlyServer(): Promise<boolean>;
  /** Rejects with the reason if a file cannot be restored. */
  check(file: string): Promise<void>;
  /** Where a backup is kept from `stage` to `replace`. */
  stagedFile: string;
  /** Copies the backup that `open` opens to where it can be restored quickly. `report` receives the progress in bytes. */
  stage(
    open: () => Promise<BackupSource>,
    report: (bytes: number, totalBytes: number) => void,
  ): Promise<void>;
  deleteStaged(): Promise<void>;
  /**
   * Replaces the database with the staged backup, except for operators, and keeps the previous content as a backup. If
   * it rejects, the database is unchanged, unless the error says that this is unknown: the previous content is then kept.
   */
  replace(keptFile: string): Promise<void>;
  /** Replaces the database with the previous content. */
  revert(keptFile: string): Promise<void>;
}

export const SQLITE_BACKUP_TYPE = "application/vnd.sqlite3";
export const POSTGRES_BACKUP_TYPE = "application/gzip";

/** `folder` is where backups are created. */
export function backupMethodOf(database: DatabaseConfig, folder: string): BackupMethod {
  return database.kind === "sqlite" ? sqliteBackups(database.path) : postgresBackups(database, folder);
}

function sqliteBackups(path: string): BackupMethod {
  return {
    extension: ".sqlite",
    contentType: SQLITE_BACKUP_TYPE,
    unit: "pages",
    create: (file, progress) => backupDatabase(path, file, progress),
    // A second server refuses to start.
    isOnlyServer: () => Promise.resolve(true),
    check: checkIntegrity,
    stagedFile: stagedPath(path),
    async stage(open, report) {
      await deleteStaged(path);
      await stageBackup(await open(), stagedPath(path), report);
    },
    deleteStaged: () => deleteStaged(path),
    replace: (keptFile) => replaceDatabase(path, keptFile),
    revert: (keptFile) => replaceWithFile(keptFile, path),
  };
}

/** The modules of PostgreSQL are loaded by the first backup. */
function postgresBackups(config: PostgresConfig, folder: string): BackupMethod {
  const stagedFile = join(folder, "restore.unfinished");
  const silent: Progress = { report: () => undefined, done: () => undefined };
  const create = async (file: string, progress: Progress) => {
    await backupPostgresToFile(config, file, progress);
  };
  const restore = async (file: string) => {
    const { restorePostgres } = await import("./postgresRestore.ts");
    const options = { force: true, keepsOperators: true, progress: silent };
    await restorePostgres(config, () => createReadStream(file), options);
  };
  const isOnlyServer = async () => {
    const { isOnlyServer: isOnly } = await import("./postgresRestore.ts");
    return isOnly(config);
  };
  return {
    extension: ".postgres.gz",
    contentType: POSTGRES_BACKUP_TYPE,
    unit: "rows",
    create,
    async createInBucket(bucket, key, progress) {
      const { backupPostgres } = await import("./postgresBackup.ts");
      await backupPostgres(
        config,
        (content) => bucket.putStream(key, content, POSTGRES_BACKUP_TYPE),
        progress,
      );
    },
    isOnlyServer,
    async check(file) {
      const { checkPostgresBackup } = await import("./postgresRestore.ts");
      await checkPostgresBackup(createReadStream(file));
    },
    stagedFile,
    async stage(open, report) {
      if (!(await isOnlyServer())) throw new Error("other servers use this database: stop them first");
      await stageBackup(await open(), stagedFile, report);
    },
    deleteStaged: () => rm(stagedFile, { force: true }),
    async replace(keptFile) {
      await create(keptFile, silent);
      try {
        await restore(stagedFile);
      } catch (error) {
        const { RestoreOutcomeUnknownError } = await import("./restoreCommit.ts");
        if (error instanceof RestoreOutcomeUnknownError) {
          throw new Error(`${error.message} (the previous data is in ${basename(keptFile)})`, {
            cause: error,
          });
        }
        await rm(keptFile, { force: true });
        throw error;
      }
    },
    revert: restore,
  };
}

/** Copies a PostgreSQL database to a file, which only exists once it is complete and on disk. */
export async function backupPostgresToFile(
  config: PostgresConfig,
  file: string,
  progress: Progress,
): Promise<Record<string, number>> {
  const { backupPostgres } = await import("./postgresBackup.ts");
  const temporaryFile = `${file}.unfinished`;
  try {
    const counts = await backupPostgres(
      config,
      (content) => pipeline(content, createWriteStream(temporaryFile, { mode: 0o600, flush: true })),
      progress,
    );
    await rename(temporaryFile, file);
    return counts;
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}
