import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { PROGRAM } from "../core/programName.ts";
import type { StudioRestore, StudioRestoreProgress } from "../studioApi/backups.ts";
import type { Audit } from "./audit.ts";
import type { Backups } from "./backups.ts";

/** Reverts what was done while the server was stopped. */
export type Undo = () => Promise<void>;

/**
 * Stops the whole server, runs `whileStopped`, and starts the server again. If it fails to start, the change is
 * reverted and the server starts as before.
 */
export type Restart = (whileStopped: () => Promise<Undo | undefined>) => void;

export interface RestoreDependencies {
  backups: Backups;
  /** Undefined if the server cannot restart itself. */
  restart: Restart | undefined;
  logger: Logger;
}

interface RestoreRecord extends StudioRestore {
  /** Whether the result was added to the audit log. Stored in a file, so the name must not change. */
  isTold: boolean;
}

/**
 * Restores backups from the dashboard. The backup is copied and checked while the server is running; then the server
 * stops, replaces the content of the database, and starts again. If anything fails, the previous state is kept.
 */
export class Restores {
  readonly #dependencies: RestoreDependencies;
  #restoring: StudioRestoreProgress | undefined;

  constructor(dependencies: RestoreDependencies) {
    this.#dependencies = dependencies;
  }

  get canRestore(): boolean {
    return this.#dependencies.restart !== undefined;
  }

  /** Starts a restore. Throws 101, 108 if this server cannot restart itself or is not the only one, and 409 if a restore is running. */
  async begin(file: string, username: string): Promise<void> {
    const { backups, restart } = this.#dependencies;
    if (!restart) {
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        `This server cannot restart itself: stop it and run ${PROGRAM} restore.`,
      );
    }
    await backups.assertExists(file);
    await backups.assertOnlyServer();
    if (this.#restoring) {
      throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "A backup is already being restored.", 409);
    }
    const restoring: StudioRestoreProgress = { file, phase: "copying", bytes: 0, totalBytes: 0 };
    this.#restoring = restoring;
    this.#prepare(file, restoring).then(
      () => {
        restoring.phase = "restarting";
        restart(() => this.#replace({ file, username }));
      },
      async (error: unknown) => {
        await this.#finish({ file, username, outcome: "failed", error: errorMessage(error) });
        this.#restoring = undefined;
      },
    );
  }

  async getState(): Promise<{ restoring?: StudioRestoreProgress; lastRestore?: StudioRestore }> {
    const record = await this.#read();
    return {
      ...(this.#restoring && { restoring: this.#restoring }),
      ...(record && { lastRestore: toStudioRestore(record) }),
    };
  }

  /** Adds the result of the last restore to the audit log, which could not be written during the restore. */
  async recordInAudit(audit: Audit): Promise<void> {
    const record = await this.#read();
    if (!record || record.isTold) return;
    const { username, file, outcome, error } = record;
    await audit.record({
      username,
      action: "backup restored",
      target: file,
      address: "",
      requestId: "",
      outcome: outcome === "done" ? "done" : "refused",
      ...(error !== undefined && { error }),
    });
    await this.#write({ ...record, isTold: true });
  }

  async #prepare(file: string, restoring: StudioRestoreProgress): Promise<void> {
    const { backups } = this.#dependencies;
    const { method } = backups;
    await backups.createFolder();
    const report = (bytes: number, totalBytes: number) => Object.assign(restoring, { bytes, totalBytes });
    await method.stage(() => backups.open(file), report);
    restoring.phase = "checking";
    await method.check(method.stagedFile);
  }

  /** Runs while the server is stopped. */
  async #replace(restore: Pick<StudioRestore, "file" | "username">): Promise<Undo | undefined> {
    const { backups } = this.#dependencies;
    const keptAs = backups.newName("before-restore-");
    const keptPath = join(backups.folder, keptAs);
    try {
      await backups.method.replace(keptPath);
    } catch (error) {
      await this.#finish({ ...restore, outcome: "failed", error: errorMessage(error) });
      return undefined;
    }
    await this.#finish({ ...restore, outcome: "done", keptAs });
    return async () => {
      await backups.method.revert(keptPath);
      const error = "The server failed to start with the backup. See the log for details.";
      await this.#finish({ ...restore, outcome: "failed", error });
    };
  }

  async #finish(result: Omit<StudioRestore, "at">): Promise<void> {
    const { logger } = this.#dependencies;
    if (result.outcome === "done")
      logger.info("a backup was restored", { file: result.file, keptAs: result.keptAs });
    else logger.error("a backup could not be restored", { file: result.file, error: result.error });
    await this.#dependencies.backups.method.deleteStaged();
    await this.#write({ ...result, at: new Date().toISOString(), isTold: false });
  }

  get #recordFile(): string {
    return join(this.#dependencies.backups.folder, "last-restore.json");
  }

  async #read(): Promise<RestoreRecord | undefined> {
    try {
      return JSON.parse(await readFile(this.#recordFile, "utf8"));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async #write(record: RestoreRecord): Promise<void> {
    await writeFile(this.#recordFile, JSON.stringify(record), { mode: 0o600 });
  }
}

function toStudioRestore({ isTold: _, ...restore }: RestoreRecord): StudioRestore {
  return restore;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
