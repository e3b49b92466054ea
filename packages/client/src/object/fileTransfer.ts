import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { connection } from "../connection.ts";
import { pathOf } from "../pathOf.ts";
import { type RequestOptions, request, send } from "../transport.ts";
import { credentialHeaders } from "./credentialHeaders.ts";
import { encodeBase64, type FileData, type FileSaveOptions } from "./fileData.ts";
import { type Bytes, ResumableUpload } from "./resumableUpload.ts";
import { xhrFetch } from "./xhrFetch.ts";

/* Uploads, downloads and deletes files. Loaded on first use. */

/** Content of this size in bytes is uploaded in chunks, if the server supports it. */
const RESUMABLE_MIN_SIZE = 5 * 1024 * 1024;
/** Bytes of one chunk. */
const CHUNK_SIZE = 1024 * 1024;

const DATA_URI = /^data:([a-zA-Z]+\/[-a-zA-Z0-9+.]+)?(;charset=[a-zA-Z0-9\-/]*)?;base64,/;

export interface FileDescription {
  name: string;
  type: string;
  metadata: JsonObject;
  tags: JsonObject;
}

/** The upload of one file. After an interruption another `run` resumes it. */
export class FileUpload {
  readonly #data: FileData;
  #resumable: ResumableUpload | undefined;

  constructor(data: FileData) {
    this.#data = data;
  }

  /** Returns the server's response: `name`, `url` and, if stored in IPFS, `ipfs` and `hash`. */
  async run(
    file: FileDescription,
    { ipfs = false, progress, ...options }: FileSaveOptions & { signal: AbortSignal },
  ): Promise<JsonValue> {
    const content = await contentOf(this.#data, options.signal);
    const type = file.type || content.type;
    const size = sizeOf(content);
    const reportProgress = (loaded: number, total: number): void =>
      progress?.(loaded / total, loaded, total, { type: "upload" });
    if (size >= RESUMABLE_MIN_SIZE || (progress !== undefined && size > CHUNK_SIZE)) {
      const resumed = await this.#resumable?.run(options, reportProgress);
      if (resumed) return resumed;
      // Starts over if there was no upload, or if the server does not know it any more.
      const description = { ...file, type, size, chunkSize: CHUNK_SIZE, ipfs };
      this.#resumable = await ResumableUpload.create(bytesOf(content), description, options);
      const response = await this.#resumable?.run(options, reportProgress);
      if (response) return response;
    }
    const fileData: JsonObject = { metadata: file.metadata, tags: file.tags };
    if (ipfs) fileData.ipfs = true;
    const payload: JsonObject = { base64: await base64Of(content), fileData };
    if (type) payload._ContentType = type;
    // The request is larger than the content: progress is reported as a fraction of it, and completion with the response.
    const onUploadProgress = (fraction: number): void => {
      if (fraction < 1) reportProgress(Math.floor(fraction * size), size);
    };
    const conn = connection();
    const fetchWithProgress = progress && size > 0 ? xhrFetch(conn, onUploadProgress) : conn.fetch;
    const path = filePath(file.name);
    const { body } = await request("POST", path, payload, options, { ...conn, fetch: fetchWithProgress });
    if (size > 0) reportProgress(size, size);
    return body;
  }
}

/** The content in base64. Throws 601 without content and URL. */
export async function downloadFile(
  data: FileData | undefined,
  url: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (data) return base64Of(await contentOf(data, signal));
  if (url) return base64Of(await contentOf({ uri: url }, signal));
  throw new ProtocolError(ErrorCode.FILE_READ_ERROR, "Cannot retrieve data for unsaved ParseFile.");
}

/** Throws 161 without a name. */
export async function deleteFile(name: string, options: RequestOptions): Promise<void> {
  if (!name) throw new ProtocolError(ErrorCode.FILE_DELETE_UNNAMED_ERROR, "Cannot delete an unnamed file.");
  const conn = connection();
  const headers = { "Content-Type": "text/plain", ...(await credentialHeaders(options, conn)) };
  const url = `${conn.serverUrl}/${filePath(name)}`;
  await send(url, { method: "DELETE", headers }, { ...options, allowsEmpty: true }, conn);
}

type Content = ({ base64: string } | { bytes: Bytes }) & { type: string };

async function contentOf(data: FileData, signal: AbortSignal): Promise<Content> {
  if ("base64" in data) {
    const [prefix, type = ""] = DATA_URI.exec(data.base64) ?? [""];
    return { base64: data.base64.slice(prefix.length), type };
  }
  if ("uri" in data) {
    const response = await connection().fetch(data.uri, { signal });
    if (!response.ok) {
      throw new ProtocolError(
        ErrorCode.FILE_READ_ERROR,
        `Error response [${response.status}] ${response.statusText}`,
      );
    }
    const type = response.headers.get("content-type") ?? "";
    return { bytes: new Uint8Array(await response.arrayBuffer()), type };
  }
  if (data instanceof Blob) return { bytes: data, type: data.type };
  return { bytes: Uint8Array.from(data), type: "" };
}

/** In bytes. */
function sizeOf(content: Content): number {
  if ("base64" in content) return Math.floor((content.base64.replace(/=+$/, "").length * 3) / 4);
  return content.bytes instanceof Uint8Array ? content.bytes.length : content.bytes.size;
}

async function base64Of(content: Content): Promise<string> {
  if ("base64" in content) return content.base64;
  const { bytes } = content;
  return encodeBase64(bytes instanceof Uint8Array ? bytes : new Uint8Array(await bytes.arrayBuffer()));
}

function bytesOf(content: Content): Bytes {
  if ("bytes" in content) return content.bytes;
  const text = atob(content.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Names may contain folders. */
function filePath(name: string): string {
  return pathOf("files", ...name.split("/"));
}
