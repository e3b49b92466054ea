import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  assertStorable,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import { assertMaster, readOnlyKeyError } from "../../core/http/masterKeyAccess.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { FileUrls } from "../../data/fileUrls.ts";
import type { AssertAllowed } from "../../data/objects/keywordDenylist.ts";
import type { IpfsService } from "../ipfs/token.ts";
import {
  assertDirectory,
  assertExtension,
  assertFileName,
  isValidStoredName,
  newStoredName,
} from "./fileNames.ts";
import type { FileAttributes, FileStore, StoredFile } from "./fileStore.ts";
import type { FileUpload } from "./settings.ts";
import { type UploadQuota, uploadOwnerOf } from "./uploadQuota.ts";

export type FileTriggerName = "beforeSaveFile" | "afterSaveFile" | "beforeDeleteFile" | "afterDeleteFile";

/** A file as triggers see it. */
export interface FileInfo {
  name: string;
  url?: string;
  contentType?: string;
  /** The content in base64, if it is loaded; streams are not. */
  base64?: string;
  /** In bytes. */
  fileSize?: number;
  metadata?: JsonObject;
  tags?: JsonObject;
}

/**
 * Returns the cloud code's trigger of a kind; undefined if there is none. What a beforeSaveFile trigger returns
 * replaces the file: `url` for one that is already stored, `base64` for other content.
 */
type FileTriggers = (
  trigger: FileTriggerName,
) => ((file: FileInfo, request: RequestContext) => Promise<Partial<FileInfo> | undefined>) | undefined;

export interface FilesDependencies {
  store: FileStore;
  ipfs: IpfsService["content"];
  urls: FileUrls;
  upload: FileUpload;
  /** In bytes. */
  maxUploadSize: number;
  isAnonymousUser(userId: string): Promise<boolean>;
  triggers: FileTriggers;
  uploadQuota: UploadQuota;
  /** Throws 105 for denied keywords in metadata and tags. */
  assertAllowed?: AssertAllowed;
  /** Called with errors that clients do not see, such as a failed cleanup. */
  report(error: unknown): void;
}

/** A file to be stored. */
export interface Upload {
  name: string;
  contentType: string | undefined;
  /** As the client sent it. */
  fileData: { metadata?: JsonValue; tags?: JsonValue; directory?: JsonValue; ipfs?: JsonValue };
  content:
    | { stream: AsyncIterable<Uint8Array>; size?: number }
    | { path: string; size: number }
    | { bytes: Buffer; size: number }
    | { stored: StoredContent; size: number };
  /** In bytes; defaults to the server's limit. */
  maxSize?: number | undefined;
}

/** Content that is where the file store can copy it. */
interface StoredContent {
  read(): AsyncIterable<Uint8Array>;
  /** Stores it as a file. Returns its size in bytes. */
  copyTo(name: string): Promise<number>;
}

export interface SavedFile {
  name: string;
  url: string;
  /** The URL of the content in IPFS, and its CID. */
  ipfs?: string;
  hash?: string;
}

/** Larger content (in bytes) is not passed to triggers, which receive it as one base64 string. */
export const MAX_TRIGGER_BYTES = 32 * 1024 * 1024;

/** Stores files: permissions, names and triggers, for every API. */
export class Files {
  readonly #dependencies: FilesDependencies;

  constructor(dependencies: FilesDependencies) {
    this.#dependencies = dependencies;
  }

  get maxUploadSize(): number {
    return this.#dependencies.maxUploadSize;
  }

  /** Throws 119, 122 or 130 if the client may not upload such a file. */
  async assertUploadAllowed(
    { auth }: RequestContext,
    { name, contentType, fileData }: Pick<Upload, "name" | "contentType" | "fileData">,
  ): Promise<void> {
    if (auth.kind === "master" && auth.readOnly) throw readOnlyKeyError("create a file");
    await this.assertCanUpload(auth);
    assertFileName(name);
    const { allowsExtension } = this.#dependencies.upload;
    if (auth.kind !== "master" && allowsExtension) assertExtension(name, contentType, allowsExtension);
    if (fileData.directory === undefined) return;
    if (auth.kind !== "master") {
      throw operationForbidden("Directory can only be set using the Master Key.");
    }
    assertDirectory(fileData.directory);
  }

  /** Stores a file. If anything fails, nothing is kept. */
  async save(request: RequestContext, upload: Upload): Promise<SavedFile> {
    await this.assertUploadAllowed(request, upload);
    const { store, urls, triggers, uploadQuota, assertAllowed } = this.#dependencies;
    const metadata = plainObject(upload.fileData.metadata, "metadata");
    const tags = plainObject(upload.fileData.tags, "tags");
    assertAllowed?.({ metadata, tags });
    const maxSize = upload.maxSize ?? this.#dependencies.maxUploadSize;
    const { size } = upload.content;
    if (size !== undefined && size > maxSize) throw fileTooLarge(maxSize);
    if (size === 0) throw emptyUpload();

    const requested: FileInfo = {
      name: upload.name,
      metadata,
      tags,
      ...(upload.contentType !== undefined && { contentType: upload.contentType }),
      ...(size !== undefined && { fileSize: size }),
    };
    const before = triggers("beforeSaveFile");
    const after = triggers("afterSaveFile");
    if ((before || after) && (size ?? 0) <= MAX_TRIGGER_BYTES) {
      const { content } = upload;
      if ("path" in content) requested.base64 = await readFile(content.path, "base64");
      if ("bytes" in content) requested.base64 = content.bytes.toString("base64");
      if ("stored" in content) {
        requested.base64 = (await buffer(content.stored.read())).toString("base64");
      }
    }
    const file = { ...requested, ...(await before?.(requested, request)) };
    if (file.url !== undefined) {
      await after?.(file, request);
      return { name: file.name, url: file.url };
    }
    assertFileName(file.name);

    const { directory } = upload.fileData;
    const folder = typeof directory === "string" ? directory : undefined;
    const name = newStoredName(file.name, upload.contentType, folder);
    const replacement = file.base64 === requested.base64 ? undefined : file.base64;
    // Spooled content has already been counted.
    const isStreamed = "stream" in upload.content;
    const release = isStreamed
      ? await uploadQuota.reserve(uploadOwnerOf(request), size ?? maxSize)
      : undefined;
    const writing =
      "stored" in upload.content && replacement === undefined
        ? upload.content.stored.copyTo(name)
        : store.write(name, limitSize(contentStream(upload, replacement), maxSize));
    const stored = await writing.finally(release);
    try {
      const saved: SavedFile = { name, url: urls.urlOf(name, request) };
      if (upload.fileData.ipfs === true) {
        saved.hash = await this.#addToIpfs(name);
        saved.ipfs = urls.ipfsUrlOf(saved.hash, request);
      }
      const attributes = attributesOf(file, saved.hash);
      if (attributes) await store.writeAttributes(name, attributes);
      // With the URL only: the trigger downloads the content if it needs it.
      const { base64: _, ...known } = file;
      await after?.({ ...known, name, url: saved.url, fileSize: stored }, request);
      return saved;
    } catch (error) {
      await store.remove(name).catch(this.#dependencies.report);
      throw error;
    }
  }

  async #addToIpfs(name: string): Promise<string> {
    const stored = await this.#dependencies.store.open(name);
    if (!stored) throw new Error(`${name} was written and is not there`);
    return this.#dependencies.ipfs.addFile(copyChunks(stored.read(0, stored.size - 1)));
  }

  /** Opens the file with a name; undefined if there is none. */
  async open(name: string): Promise<StoredFile | undefined> {
    return isValidStoredName(name) ? this.#dependencies.store.open(name) : undefined;
  }

  /** Returns the attributes of a file; undefined if there are none. */
  async attributes(name: string): Promise<FileAttributes | undefined> {
    return isValidStoredName(name) ? this.#dependencies.store.readAttributes(name) : undefined;
  }

  /** Lists files after a name in the order of their names, with their attributes. Throws 119 without the master key. */
  async list(request: RequestContext, after: string, limit: number): Promise<ListedFile[]> {
    assertMaster(request);
    const { store, urls } = this.#dependencies;
    const names = await store.list(after, limit);
    const files = await Promise.all(
      names.map(async (name): Promise<ListedFile[]> => {
        const [stored, attributes] = await Promise.all([store.open(name), store.readAttributes(name)]);
        // Deleted meanwhile.
        if (!stored) return [];
        const { size, modifiedAt } = stored;
        const known = { name, url: urls.urlOf(name, request), size, modifiedAt: modifiedAt.toISOString() };
        return [
          {
            ...known,
            ...(attributes && { metadata: attributes.metadata, tags: attributes.tags }),
            ...hashOf(attributes, urls, request),
          },
        ];
      }),
    );
    return files.flat();
  }

  /** Removes a file. Throws 119 without the master key, 153 if there is no such file. */
  async remove(request: RequestContext, name: string): Promise<void> {
    assertMaster(request, "write");
    const { store, urls, triggers } = this.#dependencies;
    const file: FileInfo = { name, url: urls.urlOf(name, request) };
    if (!isValidStoredName(name)) throw deleteFailed();
    await triggers("beforeDeleteFile")?.(file, request);
    if (!(await store.remove(name))) throw deleteFailed();
    await triggers("afterDeleteFile")?.(file, request);
  }

  /** Throws 130 if the client may not upload any files. */
  async assertCanUpload(auth: AuthContext): Promise<void> {
    if (auth.kind === "master") return;
    const { upload, isAnonymousUser } = this.#dependencies;
    if (auth.kind !== "user") {
      if (!upload.enableForPublic) throw uploadDisabled("public");
    } else if (await isAnonymousUser(auth.userId)) {
      if (!upload.enableForAnonymousUser) throw uploadDisabled("anonymous user");
    } else if (!upload.enableForAuthenticatedUser) throw uploadDisabled("authenticated user");
  }
}

function hashOf(attributes: FileAttributes | undefined, urls: FileUrls, request: RequestContext) {
  return attributes?.hash === undefined
    ? {}
    : { hash: attributes.hash, ipfs: urls.ipfsUrlOf(attributes.hash, request) };
}

function contentStream({ content }: Upload, replacement: string | undefined): AsyncIterable<Uint8Array> {
  if (replacement !== undefined) return Readable.from([Buffer.from(replacement, "base64")]);
  if ("bytes" in content) return Readable.from([content.bytes]);
  if ("stored" in content) return content.stored.read();
  return "path" in content ? createReadStream(content.path) : content.stream;
}

/** A file in the list for operators. */
export interface ListedFile {
  name: string;
  url: string;
  /** In bytes. */
  size: number;
  modifiedAt: string;
  metadata?: JsonObject;
  tags?: JsonObject;
  /** The CID, if the content is also in IPFS. */
  hash?: string;
  ipfs?: string;
}

/** Copies chunks for a consumer that keeps them. */
async function* copyChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield Uint8Array.from(chunk);
}

/** Passes content through up to a size in bytes. Throws 130 if it is larger or empty. */
async function* limitSize(content: AsyncIterable<Uint8Array>, maxSize: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxSize) throw fileTooLarge(maxSize);
    yield chunk;
  }
  if (size === 0) throw emptyUpload();
}

function plainObject(value: JsonValue | undefined, what: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw new ProtocolError(ErrorCode.INVALID_JSON, `${what} must be an object`);
  assertStorable(value);
  return value;
}

/** Returns undefined if there are no attributes. */
function attributesOf(
  { metadata = {}, tags = {} }: FileInfo,
  hash: string | undefined,
): FileAttributes | undefined {
  if (hash === undefined && Object.keys(metadata).length + Object.keys(tags).length === 0) return undefined;
  return { metadata, tags, ...(hash !== undefined && { hash }) };
}

function uploadDisabled(clientKind: string): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, `File upload by ${clientKind} is disabled.`);
}

export function fileTooLarge(maxSize: number): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, `File size exceeds maximum allowed: ${maxSize} bytes.`);
}

function emptyUpload(): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "Invalid file upload.");
}

function deleteFailed(): ProtocolError {
  return new ProtocolError(ErrorCode.FILE_DELETE_ERROR, "Could not delete file.");
}
