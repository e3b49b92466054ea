import { type FSWatcher, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Logger } from "../core/logger.ts";

/** Delay after a file change, in ms: an editor or a checkout may change more files. */
const DEBOUNCE_MS = 150;

/** Notices when one of the files of the cloud code changes. */
export class FileWatcher {
  readonly #onChanged: () => void;
  readonly #logger: Pick<Logger, "warn">;
  #watchers: FSWatcher[] = [];
  #files: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(onChanged: () => void, logger: Pick<Logger, "warn">) {
    this.#onChanged = onChanged;
    this.#logger = logger;
  }

  /** Watches these files instead of earlier ones. */
  watch(files: readonly string[]): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#files = new Set(files);
    this.#watchers = [...new Set(files.map((file) => dirname(file)))].flatMap(
      (folder) => this.#watchFolder(folder) ?? [],
    );
  }

  close(): void {
    clearTimeout(this.#timer);
    this.watch([]);
  }

  /** Returns undefined if the folder cannot be watched: it does not exist, or the system has too many watchers. */
  #watchFolder(folder: string): FSWatcher | undefined {
    const warn = (error: unknown) => this.#logger.warn("cloud code cannot be watched", { folder, error });
    try {
      return watch(folder, (_, name) => {
        if (name === null || this.#files.has(resolve(folder, name))) this.#changedSoon();
      }).on("error", warn);
    } catch (error) {
      warn(error);
      return undefined;
    }
  }

  #changedSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChanged, DEBOUNCE_MS).unref();
  }
}
