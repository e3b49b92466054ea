import { createHash } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import PQueue from "p-queue";
import type { RequestContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { isValidStoredName } from "./fileNames.ts";
import type { FileStore, StoredFile } from "./fileStore.ts";
import { type FileInfo, MAX_TRIGGER_BYTES } from "./files.ts";
import type { FileDownload } from "./settings.ts";

type DownloadTriggerName = "beforeFindFile" | "afterFindFile";

/**
 * Returns the cloud code's download trigger; undefined if there is none. The trigger rejects to refuse, and may return
 * the name of another file, other content (base64), and whether browsers download the file instead of displaying it.
 */
type DownloadTriggers = (
  trigger: DownloadTriggerName,
) =>
  | ((
      file: FileInfo,
      request: RequestContext,
    ) => Promise<{ name?: string; base64?: string; forceDownload?: boolean }>)
  | undefined;

export interface DownloadsOptions {
  store: FileStore;
  triggers: DownloadTriggers;
  /** Who may download files. */
  allowed: FileDownload;
  isAnonymousUser(userId: string): Promise<boolean>;
}

export interface Download {
  name: string;
  file: StoredFile;
  /** Whether browsers download it instead of displaying it. */
  forceDownload: boolean;
}

/** Number of files that are buffered for triggers at once, and of downloads that may wait for that. */
const MAX_BUFFERED_FILES = 4;
const MAX_QUEUED = 200;

/** Opens files for download and runs the triggers of the cloud code. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #queue = new PQueue({ concurrency: MAX_BUFFERED_FILES });

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  /** Whether it depends on the client what it may download, so that responses must not be cached for other clients. */
  get areRestricted(): boolean {
    const { triggers } = this.#options;
    return (
      this.#isRestricted ||
      triggers("beforeFindFile") !== undefined ||
      triggers("afterFindFile") !== undefined
    );
  }

  get #isRestricted(): boolean {
    return Object.values(this.#options.allowed).includes(false);
  }

  /** Throws 119 if the client may not download any files. */
  async #assertAllowed({ auth }: RequestContext): Promise<void> {
    if (auth.kind === "master" || auth.kind === "maintenance") return;
    const { allowed, isAnonymousUser } = this.#options;
    if (auth.kind !== "user") {
      if (!allowed.enableForPublic) throw downloadDisabled("public");
    } else if (await isAnonymousUser(auth.userId)) {
      if (!allowed.enableForAnonymousUser) throw downloadDisabled("anonymous user");
    } else if (!allowed.enableForAuthenticatedUser) throw downloadDisabled("authenticated user");
  }

  /**
   * Resolves the name of the file that a client receives for a requested name. Throws 403 if the client may not download
   * files or the cloud code refuses; `request` is called only if downloads are restricted.
   */
  async resolveName(name: string, request: () => Promise<RequestContext>): Promise<string> {
    if (this.#isRestricted) await this.#assertAllowed(await request());
    const before = this.#options.triggers("beforeFindFile");
    if (!before) return name;
    const { name: replacement = name } = await asForbidden(before({ name }, await request()));
    return replacement;
  }

  /**
   * Opens the file with a name; undefined if there is none. Throws 403 if the cloud code refuses, 503 if too many
   * downloads wait.
   */
  async open(name: string, request: () => Promise<RequestContext>): Promise<Download | undefined> {
    const resolvedName = await this.resolveName(name, request);
    const file = isValidStoredName(resolvedName) ? await this.#options.store.open(resolvedName) : undefined;
    if (!file) return undefined;
    const after = this.#options.triggers("afterFindFile");
    if (!after) return { name: resolvedName, file, forceDownload: false };
    if (this.#queue.size >= MAX_QUEUED) {
      throw new ProtocolError(ErrorCode.TIMEOUT, "Too many files are being read: try again later.", 503);
    }
    const context = await request();
    return this.#queue.add(async () => {
      const base64 = file.size <= MAX_TRIGGER_BYTES ? await base64Of(file) : undefined;
      const fileInfo: FileInfo = {
        name: resolvedName,
        fileSize: file.size,
        ...(base64 !== undefined && { base64 }),
      };
      const changed = await asForbidden(after(fileInfo, context));
      const isReplaced = changed.base64 !== undefined && changed.base64 !== base64;
      return {
        name: changed.name !== undefined && isValidStoredName(changed.name) ? changed.name : resolvedName,
        file: isReplaced ? bufferedFile(Buffer.from(changed.base64 ?? "", "base64"), file.modifiedAt) : file,
        forceDownload: changed.forceDownload ?? false,
      };
    });
  }
}

function downloadDisabled(clientKind: string): ProtocolError {
  return operationForbidden(`File download by ${clientKind} is disabled.`, 403);
}

async function base64Of(file: StoredFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(0, file.size - 1)) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks).toString("base64");
}

function bufferedFile(content: Buffer, modifiedAt: Date): StoredFile {
  return {
    size: content.length,
    modifiedAt,
    etag: `"${createHash("sha256").update(content).digest("base64url")}"`,
    async *read(start, end) {
      yield content.subarray(start, end + 1);
    },
  };
}

/** Errors of the cloud code get status 403, unless they have another one. */
async function asForbidden<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof ProtocolError && error.status === undefined && error.code !== ErrorCode.TIMEOUT) {
      throw new ProtocolError(error.code, error.message, 403);
    }
    throw error;
  }
}
