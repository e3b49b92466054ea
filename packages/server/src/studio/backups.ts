import { createReadStream } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError, type StudioBackupState } from "@purse/protocol";
import { backupDatabase } from "../moving/backup.ts";
import type { Log } from "../observe/log.ts";
import type { DatabaseConfig } from "../store/openStore.ts";

const BACKUP = /^purse-[\w-]+\.sqlite$/;

/** Copies of the SQLite database, made while the server runs; put back by `npm run purse -- restore`, without it. */
export class Backups {
  readonly #database: DatabaseConfig;
  readonly #folder: string;
  readonly #log: Log;
  #running: Promise<void> | undefined;
  #pages = 0;
  #error: string | undefined;

  constructor(database: DatabaseConfig, folder: string, log: Log) {
    this.#database = database;
    this.#folder = folder;
    this.#log = log;
  }

  /** Begins; `state` tells how far it has come. Throws where the database is backed up by other means, and 409 where one runs. */
  async begin(): Promise<string> {
    if (this.#database.kind !== "sqlite") {
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        "A PostgreSQL database is backed up by pg_dump.",
      );
    }
    if (this.#running) throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "A backup is being made.", 409);
    const file = `purse-${new Date().toISOString().replaceAll(/[:.]/g, "-")}.sqlite`;
    const { path } = this.#database;
    this.#pages = 0;
    this.#error = undefined;
    this.#running = mkdir(this.#folder, { recursive: true, mode: 0o700 })
      .then(() =>
        backupDatabase(path, join(this.#folder, file), {
          report: (_, pages) => {
            this.#pages = pages;
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

  async state(): Promise<StudioBackupState> {
    const backups = await Promise.all(
      (await this.#files()).map(async (file) => {
        const { size, mtime } = await stat(join(this.#folder, file));
        return { file, sizeBytes: size, createdAt: mtime.toISOString() };
      }),
    );
    return {
      isRunning: this.#running !== undefined,
      pages: this.#pages,
      ...(this.#error !== undefined && { error: this.#error }),
      backups,
    };
  }

  /** A backup's bytes, a piece at a time. Throws 101 where there is no such backup. */
  async open(file: string): Promise<AsyncIterable<Uint8Array>> {
    if (!(await this.#files()).includes(file)) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such backup.");
    }
    return createReadStream(join(this.#folder, file));
  }

  /** Waits for the one that is being made. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #files(): Promise<string[]> {
    try {
      return (await readdir(this.#folder))
        .filter((name) => BACKUP.test(name))
        .sort()
        .reverse();
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  }
}
