import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import {
  assertStorable,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import type { AuthContext, RequestContext } from "../authContext.ts";
import type { FileUpload } from "../config/fileUpload.ts";
import { assertMaster, readOnly } from "../http/rights.ts";
import type { Ipfs } from "../ipfs/index.ts";
import type { FileAbout, FileStore, StoredFile } from "./fileStore.ts";
import type { FileUrls } from "./fileUrls.ts";
import { assertDirectory, assertExtension, assertFileName, canBeStored, storedName } from "./names.ts";
import { type UploadSpace, uploadOwnerOf } from "./uploadSpace.ts";

export type FileTriggerName = "beforeSaveFile" | "afterSaveFile" | "beforeDeleteFile" | "afterDeleteFile";

/** A file as triggers see it. */
export interface FileFacts {
  name: string;
  url?: string;
  contentType?: string;
  /** The content, where it is at hand: streams are not. */
  base64?: string;
  /** In bytes. */
  fileSize?: number;
  metadata?: JsonObject;
  tags?: JsonObject;
}

/**
 * Runs the cloud code's trigger of a kind; undefined where there is none. What a beforeSaveFile answers
 * takes the place of the file: `url` for one that is stored already, `base64` for other content.
 */
export type FileTriggers = (
  trigger: FileTriggerName,
) => ((file: FileFacts, request: RequestContext) => Promise<Partial<FileFacts> | undefined>) | undefined;

export interface FilesParts {
  store: FileStore;
  ipfs: Ipfs;
  urls: FileUrls;
  upload: FileUpload;
  /** In bytes. */
  maxUploadSize: number;
  isAnonymousUser(userId: string): Promise<boolean>;
  triggers: FileTriggers;
  space: UploadSpace;
  /** Called with errors that clients do not see: a file that could not be removed again. */
  report(error: unknown): void;
}

/** What somebody wants to store. */
export interface Upload {
  name: string;
  contentType: string | undefined;
  /** As the client sent it. */
  fileData: { metadata?: JsonValue; tags?: JsonValue; directory?: JsonValue; ipfs?: JsonValue };
  content:
    | { stream: AsyncIterable<Uint8Array>; size?: number }
    | { path: string; size: number }
    | { bytes: Buffer; size: number };
  /** In bytes; undefined for the server's own limit. */
  maxSize?: number | undefined;
}

export interface SavedFile {
  name: string;
  url: string;
  /** Where the content is in IPFS, and its CID. */
  ipfs?: string;
  hash?: string;
}

/** Larger content is not handed to triggers, which get it whole and as base64; in bytes. */
export const MAX_TRIGGER_CONTENT = 32 * 1024 * 1024;

/** Files of applications: rights, names and triggers, whichever door they come in by. */
export class Files {
  readonly #parts: FilesParts;

  constructor(parts: FilesParts) {
    this.#parts = parts;
  }

  get maxUploadSize(): number {
    return this.#parts.maxUploadSize;
  }

  /** Throws where a caller may not upload such a file: 119, 122 or 130. */
  async assertUpload(
    { auth }: RequestContext,
    { name, contentType, fileData }: Pick<Upload, "name" | "contentType" | "fileData">,
  ): Promise<void> {
    if (auth.kind === "master" && auth.readOnly) throw readOnly();
    await this.assertMayUpload(auth);
    assertFileName(name);
    const { allowsExtension } = this.#parts.upload;
    if (auth.kind !== "master" && allowsExtension) assertExtension(name, contentType, allowsExtension);
    if (fileData.directory === undefined) return;
    if (auth.kind !== "master") {
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        "Directory can only be set using the Master Key.",
      );
    }
    assertDirectory(fileData.directory);
  }

  /** Stores a file. Nothing of it stays where anything goes wrong. */
  async save(request: RequestContext, upload: Upload): Promise<SavedFile> {
    await this.assertUpload(request, upload);
    const { store, urls, triggers, space } = this.#parts;
    const metadata = plainObject(upload.fileData.metadata, "metadata");
    const tags = plainObject(upload.fileData.tags, "tags");
    const maxSize = upload.maxSize ?? this.#parts.maxUploadSize;
    const { size } = upload.content;
    if (size !== undefined && size > maxSize) throw tooLarge(maxSize);
    if (size === 0) throw empty();

    const given: FileFacts = {
      name: upload.name,
      metadata,
      tags,
      ...(upload.contentType !== undefined && { contentType: upload.contentType }),
      ...(size !== undefined && { fileSize: size }),
    };
    const before = triggers("beforeSaveFile");
    const after = triggers("afterSaveFile");
    if ((before || after) && (size ?? 0) <= MAX_TRIGGER_CONTENT) {
      const { content } = upload;
      if ("path" in content) given.base64 = await readFile(content.path, "base64");
      if ("bytes" in content) given.base64 = content.bytes.toString("base64");
    }
    const file = { ...given, ...(await before?.(given, request)) };
    if (file.url !== undefined) {
      await after?.(file, request);
      return { name: file.name, url: file.url };
    }
    assertFileName(file.name);

    const { directory } = upload.fileData;
    const folder = typeof directory === "string" ? directory : undefined;
    const name = storedName(file.name, upload.contentType, folder);
    const content = contentOf(upload, file.base64 === given.base64 ? undefined : file.base64);
    // What waits in a file has its room already.
    const isStreamed = "stream" in upload.content;
    const release = isStreamed ? await space.reserve(uploadOwnerOf(request), size ?? maxSize) : undefined;
    const stored = await store.write(name, limited(content, maxSize)).finally(release);
    try {
      const saved: SavedFile = { name, url: urls.urlOf(name, request) };
      if (upload.fileData.ipfs === true) {
        saved.hash = await this.#addToIpfs(name);
        saved.ipfs = urls.ipfsUrlOf(saved.hash, request);
      }
      const about = aboutOf(file, saved.hash);
      if (about) await store.describe(name, about);
      // By its address: the trigger reads the content where it needs it.
      const { base64: _, ...known } = file;
      await after?.({ ...known, name, url: saved.url, fileSize: stored }, request);
      return saved;
    } catch (error) {
      await store.remove(name).catch(this.#parts.report);
      throw error;
    }
  }

  async #addToIpfs(name: string): Promise<string> {
    const stored = await this.#parts.store.open(name);
    if (!stored) throw new Error(`${name} was written and is not there`);
    return this.#parts.ipfs.addFile(copies(stored.read(0, stored.size - 1)));
  }

  /** What stands at a name; undefined for nothing. */
  async open(name: string): Promise<StoredFile | undefined> {
    return canBeStored(name) ? this.#parts.store.open(name) : undefined;
  }

  /** What is known of a file; nothing is known of one that is not there. */
  async about(name: string): Promise<FileAbout | undefined> {
    return canBeStored(name) ? this.#parts.store.about(name) : undefined;
  }

  /** Files in the order of their names, those after one, with what is known of them. Throws 119 without the master key. */
  async list(request: RequestContext, after: string, limit: number): Promise<ListedFile[]> {
    assertMaster(request);
    const { store, urls } = this.#parts;
    const names = await store.list(after, limit);
    const files = await Promise.all(
      names.map(async (name): Promise<ListedFile[]> => {
        const [stored, about] = await Promise.all([store.open(name), store.about(name)]);
        // Deleted meanwhile.
        if (!stored) return [];
        const { size, modifiedAt } = stored;
        const known = { name, url: urls.urlOf(name, request), size, modifiedAt: modifiedAt.toISOString() };
        return [
          {
            ...known,
            ...(about && { metadata: about.metadata, tags: about.tags }),
            ...hashOf(about, urls, request),
          },
        ];
      }),
    );
    return files.flat();
  }

  /** Throws 119 without the master key, 153 where there is no such file. */
  async remove(request: RequestContext, name: string): Promise<void> {
    assertMaster(request, "write");
    const { store, urls, triggers } = this.#parts;
    const file: FileFacts = { name, url: urls.urlOf(name, request) };
    if (!canBeStored(name)) throw notDeleted();
    await triggers("beforeDeleteFile")?.(file, request);
    if (!(await store.remove(name))) throw notDeleted();
    await triggers("afterDeleteFile")?.(file, request);
  }

  /** Throws 130 where somebody may upload nothing at all. */
  async assertMayUpload(auth: AuthContext): Promise<void> {
    if (auth.kind === "master") return;
    const { upload, isAnonymousUser } = this.#parts;
    if (auth.kind === "anonymous") {
      if (!upload.enableForPublic) throw disabledFor("public");
    } else if (await isAnonymousUser(auth.userId)) {
      if (!upload.enableForAnonymousUser) throw disabledFor("anonymous user");
    } else if (!upload.enableForAuthenticatedUser) throw disabledFor("authenticated user");
  }
}

function hashOf(about: FileAbout | undefined, urls: FileUrls, request: RequestContext) {
  return about?.hash === undefined ? {} : { hash: about.hash, ipfs: urls.ipfsUrlOf(about.hash, request) };
}

function contentOf({ content }: Upload, replaced: string | undefined): AsyncIterable<Uint8Array> {
  if (replaced !== undefined) return Readable.from([Buffer.from(replaced, "base64")]);
  if ("bytes" in content) return Readable.from([content.bytes]);
  return "path" in content ? createReadStream(content.path) : content.stream;
}

/** A file as operators see it in a list. */
export interface ListedFile {
  name: string;
  url: string;
  /** In bytes. */
  size: number;
  modifiedAt: string;
  metadata?: JsonObject;
  tags?: JsonObject;
  /** CID, where the content is kept in IPFS too. */
  hash?: string;
  ipfs?: string;
}

/** For whoever keeps the pieces. */
async function* copies(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) yield Uint8Array.from(piece);
}

/** Passes content on up to a size in bytes. Throws 130 for more, and for none at all. */
async function* limited(content: AsyncIterable<Uint8Array>, maxSize: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxSize) throw tooLarge(maxSize);
    yield chunk;
  }
  if (size === 0) throw empty();
}

function plainObject(value: JsonValue | undefined, what: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw new ProtocolError(ErrorCode.INVALID_JSON, `${what} must be an object`);
  assertStorable(value);
  return value;
}

/** Undefined where there is nothing to know. */
function aboutOf({ metadata = {}, tags = {} }: FileFacts, hash: string | undefined): FileAbout | undefined {
  if (hash === undefined && Object.keys(metadata).length + Object.keys(tags).length === 0) return undefined;
  return { metadata, tags, ...(hash !== undefined && { hash }) };
}

function disabledFor(whom: string): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, `File upload by ${whom} is disabled.`);
}

export function tooLarge(maxSize: number): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, `File size exceeds maximum allowed: ${maxSize} bytes.`);
}

function empty(): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "Invalid file upload.");
}

function notDeleted(): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_DELETE_ERROR, "Could not delete file.");
}
