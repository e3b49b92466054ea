import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { DatabaseConfig } from "../config/database.ts";
import type { Logger } from "../core/logger.ts";
import { backupDatabase } from "../dataTransfer/backup.ts";
import type { StudioBackup, StudioBackupState } from "../studioApi/backups.ts";

const BACKUP_FILE_NAME = /^purse-(uploaded-|before-restore-)?[\w-]+\.sqlite$/;

/** Creates and manages backups of the SQLite database while the server is running. */
export class Backups {
  readonly folder: string;
  readonly #database: DatabaseConfig;
  readonly #logger: Logger;
  #running: Promise<void> | undefined;
  #pages = 0;
  #totalPages = 0;
  #error: string | undefined;

  constructor(database: DatabaseConfig, folder: string, logger: Logger) {
    this.#database = database;
    this.folder = folder;
    this.#logger = logger;
  }

  /** The file of the database. Throws 108 for other databases than SQLite. */
  get path(): string {
    if (this.#database.kind === "sqlite") return this.#database.path;
    throw new ProtocolError(
      ErrorCode.COMMAND_UNAVAILABLE,
      "A PostgreSQL database is backed up with pg_dump and restored with pg_restore.",
    );
  }

  /** Starts a backup; `getState` returns its progress. Throws 108, and 409 if a backup is running. */
  async begin(): Promise<string> {
    const { path } = this;
    if (this.#running)
      throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "A backup is already running.", 409);
    const file = backupFileName("");
    this.#pages = 0;
    this.#totalPages = 0;
    this.#error = undefined;
    this.#running = this.createFolder()
      .then(() =>
        backupDatabase(path, join(this.folder, file), {
          report: (_, pages, totalPages = 0) => {
            this.#pages = pages;
            this.#totalPages = totalPages;
          },
          done: () => undefined,
        }),
      )
      .catch((error: unknown) => {
        this.#error = "The backup failed. See the log for details.";
        this.#logger.error("a backup failed", { error });
      })
      .finally(() => {
        this.#running = undefined;
      });
    return file;
  }

  async getState(): Promise<Omit<StudioBackupState, "canRestore">> {
    const backups = await Promise.all(
      (await this.#files()).map(async (file): Promise<StudioBackup> => {
        const { size, mtime } = await stat(join(this.folder, file));
        return { file, sizeBytes: size, createdAt: mtime.toISOString(), origin: originOf(file) };
      }),
    );
    return {
      isRunning: this.#running !== undefined,
      pages: this.#pages,
      totalPages: this.#totalPages,
      ...(this.#error !== undefined && { error: this.#error }),
      backups: backups.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)),
      canBackUp: this.#database.kind === "sqlite",
    };
  }

  /** Returns the path of a backup. Throws 101 if it does not exist. */
  async find(file: string): Promise<string> {
    if ((await this.#files()).includes(file)) return join(this.folder, file);
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The backup does not exist.");
  }

  /** Streams the content of a backup. Throws 101. */
  async open(file: string): Promise<AsyncIterable<Uint8Array>> {
    return createReadStream(await this.find(file));
  }

  /** Throws 101. */
  async remove(file: string): Promise<void> {
    await rm(await this.find(file));
  }

  async createFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Waits for a running backup. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #files(): Promise<string[]> {
    try {
      return (await readdir(this.folder)).filter((name) => BACKUP_FILE_NAME.test(name));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  }
}

/** Returns a file name for a new backup. */
export function backupFileName(kind: "" | "uploaded-" | "before-restore-"): string {
  return `purse-${kind}${new Date().toISOString().replaceAll(/[:.]/g, "-")}.sqlite`;
}

function originOf(file: string): StudioBackup["origin"] {
  if (file.startsWith("purse-uploaded-")) return "uploaded";
  return file.startsWith("purse-before-restore-") ? "beforeRestore" : "made";
}
