import type { FileData, Moralis, File as ParseFile, RequestOptions } from "@purse/client";
import { type Callbacks, splitCallbacks, withCallbacks } from "./callbacks.ts";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./observableStore.ts";

export interface SaveFileOptions extends Callbacks<ParseFile>, Pick<RequestOptions, "signal"> {
  /** A media type. */
  type?: string;
  metadata?: Record<string, string | number | boolean>;
  tags?: Record<string, string | number | boolean>;
  /** Uploads the content to IPFS too. */
  saveIPFS?: boolean;
}

/** The state of an upload. */
export interface UploadState {
  file: ParseFile | null;
  isUploading: boolean;
  /** From 0 to 1. */
  progress: number;
  error: CallError | null;
}

/** Uploads files; the state is that of the last started upload. */
export class Upload {
  readonly store = new Store<UploadState>({ file: null, isUploading: false, progress: 0, error: null });
  readonly #core: typeof Moralis;
  #running: AbortController | undefined;

  constructor(core: typeof Moralis) {
    this.#core = core;
  }

  /** Resolves with the file, or undefined if it failed or was aborted. */
  readonly start = (
    name: string,
    data: FileData,
    options: SaveFileOptions = {},
  ): Promise<ParseFile | undefined> => {
    const [callbacks, { type, metadata, tags, saveIPFS, signal }] = splitCallbacks<
      ParseFile,
      SaveFileOptions
    >(options);
    const running = new AbortController();
    this.#running = running;
    const set = (change: Partial<UploadState>) => {
      if (this.#running === running) this.store.set(change);
    };
    return withCallbacks(async () => {
      set({ isUploading: true, progress: 0, error: null });
      try {
        const file = new this.#core.File(name, data, type, metadata, tags);
        const saveOptions = {
          signal: signal ? AbortSignal.any([signal, running.signal]) : running.signal,
          progress: (done: number | null) => set({ progress: done ?? 0 }),
        };
        await (saveIPFS ? file.saveIPFS(saveOptions) : file.save(saveOptions));
        set({ file, isUploading: false, progress: 1 });
        return file;
      } catch (thrown) {
        const error = errorOf(thrown);
        set({ isUploading: false, error });
        throw error;
      }
    }, callbacks);
  };

  /** Aborts the running upload, which then fails with an AbortError. */
  readonly abort = (): void => this.#running?.abort();
}
