import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError, type StudioBackup, type StudioBackupState } from "@purse/protocol";
import { backupDatabase } from "../moving/backup.ts";
import type { Logger } from "../observe/logger.ts";
import type { DatabaseConfig } from "../store/openStore.ts";

const BACKUP = /^purse-(uploaded-|before-restore-)?[\w-]+\.sqlite$/;

/** Where copies of the SQLite database are kept, and how they are made while the server runs. */
export class Backups {
  readonly folder: string;
  readonly #database: DatabaseConfig;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #pages = 0;
  #totalPages = 0;
  #error: string | undefined;

  constructor(database: DatabaseConfig, folder: string, log: Logger) {
    this.#database = database;
    this.folder = folder;
    this.#log = log;
  }

  /** The database's file. Throws 108 where it is backed up by other means. */
  get path(): string {
    if (this.#database.kind === "sqlite") return this.#database.path;
    throw new ProtocolError(
      ErrorCode.COMMAND_UNAVAILABLE,
      "A PostgreSQL database is backed up by pg_dump and put back by pg_restore.",
    );
  }

  /** Begins; `state` tells how far it has come. Throws 108, and 409 where one runs. */
  async begin(): Promise<string> {
    const { path } = this;
    if (this.#running) throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "A backup is being made.", 409);
    const file = fileName("");
    this.#pages = 0;
    this.#totalPages = 0;
    this.#error = undefined;
    this.#running = this.makeFolder()
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
        this.#error = "The backup failed: the log tells why.";
        this.#log.error("a backup failed", { error });
      })
      .finally(() => {
        this.#running = undefined;
      });
    return file;
  }

  async state(): Promise<Omit<StudioBackupState, "canRestore">> {
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

  /** Where a backup is. Throws 101 where there is no such backup. */
  async find(file: string): Promise<string> {
    if ((await this.#files()).includes(file)) return join(this.folder, file);
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such backup.");
  }

  /** A backup's bytes, a piece at a time. Throws 101. */
  async open(file: string): Promise<AsyncIterable<Uint8Array>> {
    return createReadStream(await this.find(file));
  }

  /** Throws 101. */
  async remove(file: string): Promise<void> {
    await rm(await this.find(file));
  }

  async makeFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Waits for the one that is being made. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #files(): Promise<string[]> {
    try {
      return (await readdir(this.folder)).filter((name) => BACKUP.test(name));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  }
}

/** The name of a backup of now. */
export function fileName(kind: "" | "uploaded-" | "before-restore-"): string {
  return `purse-${kind}${new Date().toISOString().replaceAll(/[:.]/g, "-")}.sqlite`;
}

function originOf(file: string): StudioBackup["origin"] {
  if (file.startsWith("purse-uploaded-")) return "uploaded";
  return file.startsWith("purse-before-restore-") ? "beforeRestore" : "made";
}
