import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { FilesStoreConfig } from "../config/filesStore.ts";
import type { Logger } from "../core/logger.ts";
import { PROGRAM } from "../core/programName.ts";
import type { Bucket } from "../core/s3/bucket.ts";
import { openBucket } from "../core/s3/openBucket.ts";
import type { BackupMethod } from "../dataTransfer/backupMethod.ts";
import type { Progress } from "../dataTransfer/progress.ts";
import type { BackupSource } from "../dataTransfer/replaceDatabase.ts";
import { removeAbandoned } from "../dataTransfer/unfinishedFiles.ts";
import type { StudioBackup, StudioBackupState } from "../studioApi/backups.ts";

type BackupKind = "" | "scheduled-" | "uploaded-" | "before-restore-";

type BackupsState = Pick<StudioBackupState, "isRunning" | "copied" | "total" | "unit" | "error" | "backups">;

export interface BackupsDependencies {
  method: BackupMethod;
  /** The folder in which backups are created, and kept unless there is a bucket. */
  folder: string;
  /** Where complete backups are kept. */
  backupsStore: FilesStoreConfig;
  logger: Logger;
  /** In ms since the epoch; the names of backups contain the time. */
  clock?(): number;
}

/** Creates and manages backups of the database while the server is running. */
export class Backups {
  readonly folder: string;
  readonly method: BackupMethod;
  readonly #store: FilesStoreConfig;
  readonly #logger: Logger;
  readonly #clock: () => number;
  #bucket: Promise<Bucket> | undefined;
  #running: Promise<void> | undefined;
  #copied = 0;
  #total = 0;
  #error: string | undefined;
  #scheduled: Promise<string> | undefined;
  #isStopped = false;

  constructor({ method, folder, backupsStore, logger, clock = Date.now }: BackupsDependencies) {
    this.method = method;
    this.folder = folder;
    this.#store = backupsStore;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Starts a backup; `getState` returns its progress. Throws 409 if a backup is running. */
  async begin(): Promise<string> {
    if (this.#running)
      throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "A backup is already running.", 409);
    const file = this.newName("");
    void this.#start(file);
    return file;
  }

  /**
   * Creates a backup and deletes the oldest scheduled ones, so that `keep` of them are left. Returns its name. Waits for
   * a running backup; a second call during the first one returns the same backup.
   */
  createScheduled(keep: number): Promise<string> {
    this.#scheduled ??= this.#createScheduled(keep).finally(() => {
      this.#scheduled = undefined;
    });
    return this.#scheduled;
  }

  async getState(): Promise<BackupsState> {
    const local = await Promise.all(
      (await this.#files()).map(async (file): Promise<StudioBackup> => {
        const { size, mtime } = await stat(join(this.folder, file));
        return { file, sizeBytes: size, createdAt: mtime.toISOString(), origin: originOf(file) };
      }),
    );
    const backups = [...local, ...(await this.#listBucket())];
    return {
      isRunning: this.#running !== undefined,
      copied: this.#copied,
      total: this.#total,
      unit: this.method.unit,
      ...(this.#error !== undefined && { error: this.#error }),
      backups: backups.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)),
    };
  }

  /** Throws 108 if other servers use the database: uploads and restores are work of one server. */
  async assertOnlyServer(): Promise<void> {
    if (await this.method.isOnlyServer()) return;
    throw new ProtocolError(
      ErrorCode.COMMAND_UNAVAILABLE,
      `Other servers use this database: stop them first, or stop all of them and run ${PROGRAM} restore.`,
    );
  }

  /** Throws 101 if a backup does not exist. */
  async assertExists(file: string): Promise<void> {
    if (await this.#isLocal(file)) return;
    const bucket = this.#isName(file) ? await this.#openBucket() : undefined;
    if (!(await bucket?.head(file))) throw backupMissing();
  }

  /** Opens a backup. Throws 101. */
  async open(file: string): Promise<BackupSource> {
    if (await this.#isLocal(file)) {
      const path = join(this.folder, file);
      return { size: (await stat(path)).size, content: createReadStream(path) };
    }
    const bucket = this.#isName(file) ? await this.#openBucket() : undefined;
    const source = await bucket?.get(file);
    if (!source) throw backupMissing();
    return source;
  }

  /** Throws 101. */
  async remove(file: string): Promise<void> {
    await this.assertExists(file);
    if (await this.#isLocal(file)) await rm(join(this.folder, file));
    else await (await this.#openBucket())?.remove(file);
  }

  /** Moves a complete backup from the folder to the bucket, if there is one. It stays in the folder if S3 fails. */
  async moveToBucket(file: string): Promise<void> {
    const bucket = await this.#openBucket();
    if (!bucket) return;
    const path = join(this.folder, file);
    const { size } = await stat(path);
    await bucket.putFile(file, path, size, this.method.contentType);
    await rm(path);
  }

  async createFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Waits for a running backup, and starts no more scheduled ones. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Returns a name for a new backup. */
  newName(kind: BackupKind): string {
    const now = new Date(this.#clock()).toISOString().replaceAll(/[:.]/g, "-");
    return `purse-${kind}${now}${this.method.extension}`;
  }

  /** Rejects if the backup fails; the error is also part of the state. */
  #start(file: string): Promise<void> {
    this.#copied = 0;
    this.#total = 0;
    this.#error = undefined;
    const created = this.#create(file);
    this.#running = created
      .catch((error: unknown) => {
        this.#error = "The backup failed. See the log for details.";
        this.#logger.error("a backup failed", { error });
      })
      .finally(() => {
        this.#running = undefined;
      });
    return created;
  }

  async #createScheduled(keep: number): Promise<string> {
    while (this.#running) await this.#running;
    if (this.#isStopped) throw new Error("The server was stopped.");
    const file = this.newName("scheduled-");
    await this.#start(file);
    const { backups } = await this.getState();
    const scheduled = backups.filter(({ origin }) => origin === "scheduled").map((backup) => backup.file);
    // Their names contain the times at which they began.
    const superseded = scheduled.toSorted().slice(0, -keep);
    for (const old of superseded) await this.remove(old);
    return file;
  }

  async #create(file: string): Promise<void> {
    const progress: Progress = {
      report: (_, copied, total = 0) => {
        this.#copied = copied;
        this.#total = total;
      },
      done: () => undefined,
    };
    const bucket = this.method.createInBucket && (await this.#openBucket());
    if (bucket) {
      await this.method.createInBucket?.(bucket, file, progress);
      return;
    }
    await this.createFolder();
    await removeAbandoned(this.folder, (name) => /^purse-.*\.unfinished(-\w+)?$/.test(name));
    await this.method.create(join(this.folder, file), progress);
    await this.moveToBucket(file);
  }

  /** Backups of the other database cannot be restored and are not listed. */
  #isName(file: string): boolean {
    return /^purse-[\w-]+\.[a-z.]+$/.test(file) && file.endsWith(this.method.extension);
  }

  async #isLocal(file: string): Promise<boolean> {
    return (await this.#files()).includes(file);
  }

  async #openBucket(): Promise<Bucket | undefined> {
    const store = this.#store;
    if (store.kind === "disk") return undefined;
    this.#bucket ??= openBucket(store);
    return this.#bucket;
  }

  async #listBucket(): Promise<StudioBackup[]> {
    const bucket = await this.#openBucket();
    if (!bucket) return [];
    const objects = await bucket.list("purse-");
    return objects
      .filter(({ key }) => this.#isName(key))
      .map(({ key, size, modifiedAt }) => ({
        file: key,
        sizeBytes: size,
        createdAt: new Date(modifiedAt).toISOString(),
        origin: originOf(key),
      }));
  }

  async #files(): Promise<string[]> {
    try {
      return (await readdir(this.folder)).filter((name) => this.#isName(name));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  }
}

function backupMissing(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The backup does not exist.");
}

function originOf(file: string): StudioBackup["origin"] {
  if (file.startsWith("purse-uploaded-")) return "uploaded";
  if (file.startsWith("purse-scheduled-")) return "scheduled";
  return file.startsWith("purse-before-restore-") ? "beforeRestore" : "made";
}
