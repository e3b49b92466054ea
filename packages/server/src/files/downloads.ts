import { createHash } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import PQueue from "p-queue";
import type { RequestContext } from "../authContext.ts";
import type { FileStore, StoredFile } from "./fileStore.ts";
import { type FileFacts, MAX_TRIGGER_CONTENT } from "./files.ts";
import { canBeStored } from "./names.ts";

export type DownloadTriggerName = "beforeFindFile" | "afterFindFile";

/**
 * The cloud code's trigger around downloads; undefined where there is none. It rejects to refuse, and may answer the
 * name of another file, other content (base64), and that browsers keep the file instead of showing it.
 */
export type DownloadTriggers = (
  trigger: DownloadTriggerName,
) =>
  | ((
      file: FileFacts,
      request: RequestContext,
    ) => Promise<{ name?: string; base64?: string; forceDownload?: boolean }>)
  | undefined;

export interface DownloadsOptions {
  store: FileStore;
  triggers: DownloadTriggers;
}

export interface Download {
  name: string;
  file: StoredFile;
  /** Whether browsers keep it instead of showing it. */
  forceDownload: boolean;
}

/** Contents that are held for triggers at once, and downloads that may wait for that. */
const MAX_CONTENTS = 4;
const MAX_WAITING = 200;

/** Files on their way to clients, past the triggers of the cloud code. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #contents = new PQueue({ concurrency: MAX_CONTENTS });

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  /** Whether the cloud code decides about downloads: what it has decided for one client holds for no other. */
  get isGuarded(): boolean {
    const { triggers } = this.#options;
    return triggers("beforeFindFile") !== undefined || triggers("afterFindFile") !== undefined;
  }

  /**
   * The name of the file that a client gets for a requested name. Throws 403 where the cloud code refuses; `request` is
   * called only where there is such code.
   */
  async nameFor(name: string, request: () => Promise<RequestContext>): Promise<string> {
    const before = this.#options.triggers("beforeFindFile");
    if (!before) return name;
    const { name: other = name } = await refusing(before({ name }, await request()));
    return other;
  }

  /** The file at a name; undefined for nothing. Throws 403 where the cloud code refuses, 503 where too many wait. */
  async open(name: string, request: () => Promise<RequestContext>): Promise<Download | undefined> {
    const chosen = await this.nameFor(name, request);
    const file = canBeStored(chosen) ? await this.#options.store.open(chosen) : undefined;
    if (!file) return undefined;
    const after = this.#options.triggers("afterFindFile");
    if (!after) return { name: chosen, file, forceDownload: false };
    if (this.#contents.size >= MAX_WAITING) {
      throw new ProtocolError(ErrorCode.TIMEOUT, "Too many files are being read: try again later.", 503);
    }
    const context = await request();
    return this.#contents.add(async () => {
      const base64 = file.size <= MAX_TRIGGER_CONTENT ? await base64Of(file) : undefined;
      const facts: FileFacts = { name: chosen, fileSize: file.size, ...(base64 !== undefined && { base64 }) };
      const changed = await refusing(after(facts, context));
      const isReplaced = changed.base64 !== undefined && changed.base64 !== base64;
      return {
        name: changed.name !== undefined && canBeStored(changed.name) ? changed.name : chosen,
        file: isReplaced ? fileOf(Buffer.from(changed.base64 ?? "", "base64"), file.modifiedAt) : file,
        forceDownload: changed.forceDownload ?? false,
      };
    });
  }
}

async function base64Of(file: StoredFile): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.read(0, file.size - 1)) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces).toString("base64");
}

function fileOf(content: Buffer, modifiedAt: Date): StoredFile {
  return {
    size: content.length,
    modifiedAt,
    etag: `"${createHash("sha256").update(content).digest("base64url")}"`,
    async *read(start, end) {
      yield content.subarray(start, end + 1);
    },
  };
}

/** What the cloud code refuses is forbidden, unless its error says otherwise. */
async function refusing<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof ProtocolError && error.status === undefined && error.code !== ErrorCode.TIMEOUT) {
      throw new ProtocolError(error.code, error.message, 403);
    }
    throw error;
  }
}
