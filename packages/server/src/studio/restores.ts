import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError, type StudioRestore, type StudioRestoring } from "@purse/protocol";
import { forgetStaged, putInPlace, replaceDatabase, stageBackup, waitingPlace } from "../moving/replace.ts";
import { assertSound } from "../moving/sound.ts";
import type { Logger } from "../observe/logger.ts";
import type { Audit } from "./audit.ts";
import { type Backups, fileName } from "./backups.ts";

/** What takes back what was done while the server was stopped. */
export type Undo = () => Promise<void>;

/**
 * Stops the whole server, does something while nothing of it runs, and starts it again. Where it does not start then,
 * what was done is taken back, and it starts as it was.
 */
export type Restart = (between: () => Promise<Undo | undefined>) => void;

export interface RestoresParts {
  backups: Backups;
  /** Undefined where the server cannot start itself again. */
  restart: Restart | undefined;
  log: Logger;
}

interface Ended extends StudioRestore {
  /** Whether the audit trail has been told. */
  isTold: boolean;
}

/**
 * Puts backups back from the studio. The backup is copied and checked beside the running server; then the server
 * stops, one file takes the place of another, and it starts again. Where anything fails, everything is as it was.
 */
export class Restores {
  readonly #parts: RestoresParts;
  #restoring: StudioRestoring | undefined;

  constructor(parts: RestoresParts) {
    this.#parts = parts;
  }

  get canRestore(): boolean {
    return this.#parts.restart !== undefined;
  }

  /** Begins. Throws 101, 108 where this server cannot, and 409 where one is being put back already. */
  async begin(file: string, username: string): Promise<void> {
    const { backups, restart } = this.#parts;
    const { path } = backups;
    if (!restart) {
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        "This server cannot start itself again: stop it and run npm run purse -- restore.",
      );
    }
    const source = await backups.find(file);
    if (this.#restoring) {
      throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "A backup is being put back.", 409);
    }
    const restoring: StudioRestoring = { file, phase: "copying", bytes: 0, totalBytes: 0 };
    this.#restoring = restoring;
    this.#prepare(source, path, restoring).then(
      () => {
        restoring.phase = "restarting";
        restart(() => this.#replace(path, { file, username }));
      },
      async (error: unknown) => {
        await this.#end(path, { file, username, outcome: "failed", error: messageOf(error) });
        this.#restoring = undefined;
      },
    );
  }

  async state(): Promise<{ restoring?: StudioRestoring; lastRestore?: StudioRestore }> {
    const ended = await this.#read();
    return {
      ...(this.#restoring && { restoring: this.#restoring }),
      ...(ended && { lastRestore: shown(ended) }),
    };
  }

  /** Tells the audit trail how the last one ended: while it did, nobody could write. */
  async tell(audit: Audit): Promise<void> {
    const ended = await this.#read();
    if (!ended || ended.isTold) return;
    const { username, file, outcome, error } = ended;
    await audit.tell({
      username,
      action: "backup restored",
      target: file,
      address: "",
      requestId: "",
      outcome: outcome === "done" ? "done" : "refused",
      ...(error !== undefined && { error }),
    });
    await this.#write({ ...ended, isTold: true });
  }

  async #prepare(source: string, path: string, restoring: StudioRestoring): Promise<void> {
    await stageBackup(source, path, (bytes, totalBytes) => Object.assign(restoring, { bytes, totalBytes }));
    restoring.phase = "checking";
    await assertSound(waitingPlace(path));
  }

  /** While nothing of the server runs. */
  async #replace(path: string, of: Pick<StudioRestore, "file" | "username">): Promise<Undo | undefined> {
    const keptAs = fileName("before-restore-");
    const kept = join(this.#parts.backups.folder, keptAs);
    try {
      await replaceDatabase(path, kept);
    } catch (error) {
      await this.#end(path, { ...of, outcome: "failed", error: messageOf(error) });
      return undefined;
    }
    await this.#end(path, { ...of, outcome: "done", keptAs });
    return async () => {
      await putInPlace(kept, path);
      const error = "The server did not start with it: the log tells why.";
      await this.#end(path, { ...of, outcome: "failed", error });
    };
  }

  async #end(path: string, how: Omit<StudioRestore, "at">): Promise<void> {
    const { log } = this.#parts;
    if (how.outcome === "done") log.info("a backup was put back", { file: how.file, keptAs: how.keptAs });
    else log.error("a backup could not be put back", { file: how.file, error: how.error });
    await forgetStaged(path);
    await this.#write({ ...how, at: new Date().toISOString(), isTold: false });
  }

  get #record(): string {
    return join(this.#parts.backups.folder, "last-restore.json");
  }

  async #read(): Promise<Ended | undefined> {
    try {
      return JSON.parse(await readFile(this.#record, "utf8"));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async #write(ended: Ended): Promise<void> {
    await writeFile(this.#record, JSON.stringify(ended), { mode: 0o600 });
  }
}

function shown({ isTold: _, ...restore }: Ended): StudioRestore {
  return restore;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
