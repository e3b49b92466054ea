import { Moralis, ParseFile, type ParseObject } from "@purse/client";
import type { UploadRules } from "../../settings.ts";
import { newRecord } from "./fileRecord.ts";
import type { Folder } from "./fileSelection.ts";
import { rejectionOf } from "./rejection.ts";
import { safeName } from "./safeName.ts";

export type UploadState = "waiting" | "running" | "paused" | "failed" | "done";

/** The state of an upload. */
export interface UploadView {
  id: string;
  name: string;
  size: number;
  state: UploadState;
  /** From 0 to 1. */
  progress: number;
  /** Server uploads are resumable; IPFS uploads are a single request. */
  canPause: boolean;
  error: unknown;
}

/** The work of an upload; called again to resume or retry. */
interface UploadTask {
  run: (signal: AbortSignal, progress: (part: number) => void) => Promise<ParseObject>;
}

/** Hashing reads the whole file into memory. */
const MAX_HASHED_BYTES = 256 * 1024 * 1024;

/** The upload queue of a user, which runs one upload at a time. The snapshot is a new array after each change. */
export class Uploads {
  readonly #userId: string;
  readonly #onStored: (record: ParseObject) => void;
  readonly #rules: UploadRules | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #tasks = new Map<string, UploadTask>();
  #running: { id: string; controller: AbortController } | undefined;
  #views: readonly UploadView[] = [];
  #lastId = 0;

  constructor(userId: string, onStored: (record: ParseObject) => void, rules?: UploadRules) {
    this.#userId = userId;
    this.#onStored = onStored;
    this.#rules = rules;
  }

  readonly get = (): readonly UploadView[] => this.#views;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  add(file: File, ipfs: boolean): void {
    const upload = new ParseFile(safeName(file.name), file, file.type);
    this.#enqueue(file.name, file.size, !ipfs, rejectionOf(file, this.#rules), {
      run: async (signal, progress) => {
        const options = { signal, progress };
        const [sha256] = await Promise.all([
          sha256Of(file),
          ipfs ? upload.saveIPFS(options) : upload.save(options),
        ]);
        const cid = upload.hash();
        const { name, type, size } = file;
        const fields = { name, type, size, file: upload, ...(sha256 && { sha256 }), ...(cid && { cid }) };
        return newRecord(this.#userId, fields).save();
      },
    });
  }

  /** Uploads a folder to IPFS under one CID. */
  addFolder({ name, files }: Folder): void {
    const size = files.reduce((sum, { file }) => sum + file.size, 0);
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#rules ?? {};
    const oversized = files.find(({ file }) => file.size > maxBytes);
    const rejection = oversized && rejectionOf(oversized.file, this.#rules);
    this.#enqueue(`${name}/`, size, false, rejection, {
      run: async (signal) => {
        const data = await Promise.all(
          files.map(async ({ path, file }) => ({ path, content: await base64Of(file) })),
        );
        signal.throwIfAborted();
        const result = await Moralis.Web3API.storage.uploadFolder({ abi: data });
        signal.throwIfAborted();
        const [first] = result;
        const cid = /\/ipfs\/([^/]+)\//.exec(first?.path ?? "")?.[1];
        if (cid === undefined) throw new Error("The server did not return a CID for the folder.");
        const parts = files.map(({ path }) => path);
        return newRecord(this.#userId, { name: `${name}/`, type: "folder", size, cid, parts }).save();
      },
    });
  }

  pause(id: string): void {
    this.#set(id, { state: "paused" });
    this.#stop(id);
  }

  /** Resumes a paused upload or retries a failed one. */
  resume(id: string): void {
    this.#set(id, { state: "waiting", error: undefined });
    this.#startNext();
  }

  /** Cancels an upload, or removes a finished one from the list. */
  dismiss(id: string): void {
    this.#tasks.delete(id);
    this.#views = this.#views.filter((view) => view.id !== id);
    this.#notify();
    this.#stop(id);
  }

  /** With an error, the server would refuse it, and nothing is sent. */
  #enqueue(name: string, size: number, canPause: boolean, error: unknown, task: UploadTask): void {
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#tasks.set(id, task);
    this.#views = [
      ...this.#views,
      { id, name, size, state: error ? "failed" : "waiting", progress: 0, canPause, error },
    ];
    this.#notify();
    this.#startNext();
  }

  #startNext(): void {
    if (this.#running) return;
    const view = this.#views.find(({ state }) => state === "waiting");
    const task = view && this.#tasks.get(view.id);
    if (view && task) void this.#run(view.id, task);
  }

  async #run(id: string, task: UploadTask): Promise<void> {
    const controller = new AbortController();
    this.#running = { id, controller };
    this.#set(id, { state: "running" });
    try {
      const record = await task.run(controller.signal, (progress) => this.#set(id, { progress }));
      this.#set(id, { state: "done", progress: 1 });
      this.#onStored(record);
    } catch (error) {
      // Paused and cancelled uploads already have their state.
      if (!controller.signal.aborted) this.#set(id, { state: "failed", error });
    } finally {
      this.#running = undefined;
      this.#startNext();
    }
  }

  #stop(id: string): void {
    if (this.#running?.id === id) this.#running.controller.abort();
  }

  #set(id: string, change: Partial<UploadView>): void {
    this.#views = this.#views.map((view) => (view.id === id ? { ...view, ...change } : view));
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** As hex; undefined for large files and on insecure origins. */
async function sha256Of(file: File): Promise<string | undefined> {
  const { subtle } = crypto;
  if (subtle === undefined || file.size > MAX_HASHED_BYTES) return undefined;
  const digest = new Uint8Array(await subtle.digest("SHA-256", await file.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function base64Of(file: File): Promise<string> {
  return ParseFile.encodeBase64(new Uint8Array(await file.arrayBuffer()));
}
