import type { JsonObject } from "@purse/protocol";
import { type Connection, connection } from "../connection.ts";
import {
  errorFrom,
  type HttpResponse,
  isRetryable,
  type RequestOptions,
  sendOnce,
  waitBeforeRetry,
} from "../transport.ts";
import { credentialHeaders } from "./credentialHeaders.ts";

const VERSION = "1.0.0";

export type Bytes = Blob | Uint8Array<ArrayBuffer>;

export interface UploadedFile {
  /** In bytes. */
  size: number;
  /** Bytes per request. */
  chunkSize: number;
  name: string;
  type: string;
  metadata: JsonObject;
  tags: JsonObject;
  /** Whether the content is stored in IPFS too. */
  ipfs: boolean;
}

/** An upload by the tus protocol, which can be resumed. */
export class ResumableUpload {
  readonly #content: Bytes;
  readonly #file: UploadedFile;
  readonly #url: string;
  readonly #connection: Connection;
  /** Uploaded bytes; undefined if only the server knows. */
  #offset: number | undefined = 0;

  private constructor(content: Bytes, file: UploadedFile, url: string, conn: Connection) {
    this.#content = content;
    this.#file = file;
    this.#url = url;
    this.#connection = conn;
  }

  /** Returns undefined if the server does not support resumable uploads. Throws if it refuses this one. */
  static async create(
    content: Bytes,
    file: UploadedFile,
    options: RequestOptions,
  ): Promise<ResumableUpload | undefined> {
    const conn = connection();
    const url = `${conn.serverUrl}/files/resumable`;
    const headers = {
      ...(await credentialHeaders(options, conn)),
      "Tus-Resumable": VERSION,
      "Upload-Length": String(file.size),
      "Upload-Metadata": uploadMetadata(file),
    };
    const response = await sendOnce(url, { method: "POST", headers }, options.signal, conn);
    const id = response.headers.get("location")?.split("/").at(-1);
    // Always below the server's own URL, so that credentials are sent nowhere else.
    if (response.status === 201 && id) return new ResumableUpload(content, file, `${url}/${id}`, conn);
    if (isUnsupported(response)) return undefined;
    throw errorFrom(response);
  }

  /** Sends the remaining bytes; returns undefined if the server does not know the upload any more. */
  async run(
    options: RequestOptions,
    onProgress: (loaded: number, total: number) => void,
  ): Promise<JsonObject | undefined> {
    const { size } = this.#file;
    for (let failures = 0; ; ) {
      const offsetBefore = this.#offset;
      // The offset is unknown until the response arrives.
      this.#offset = undefined;
      const response = await (offsetBefore === undefined
        ? this.#fetchOffset(options)
        : this.#uploadChunk(offsetBefore, options));
      const offset = response.headers.get("upload-offset");
      if (response.status < 300 && response.status > 0 && offset !== null) {
        this.#offset = Number(offset);
        if (this.#offset !== offsetBefore) failures = 0;
        onProgress(this.#offset, size);
        if (this.#offset >= size) return savedFile(response);
        continue;
      }
      if (response.status === 404) return undefined;
      failures += 1;
      // 409 and 423: an earlier attempt that seemed lost has succeeded or is still running.
      const isConflict = response.status === 409 || response.status === 423;
      if (!(isConflict || isRetryable(response)) || failures >= this.#connection.requestAttemptLimit) {
        throw errorFrom(response);
      }
      await waitBeforeRetry(failures, this.#connection, options.signal);
    }
  }

  async #fetchOffset(options: RequestOptions): Promise<HttpResponse> {
    return this.#request("HEAD", {}, undefined, options);
  }

  async #uploadChunk(offset: number, options: RequestOptions): Promise<HttpResponse> {
    const headers = {
      "Upload-Offset": String(offset),
      "Content-Type": "application/offset+octet-stream",
    };
    return this.#request(
      "PATCH",
      headers,
      this.#content.slice(offset, offset + this.#file.chunkSize),
      options,
    );
  }

  async #request(
    method: string,
    headers: Record<string, string>,
    body: Bytes | undefined,
    options: RequestOptions,
  ): Promise<HttpResponse> {
    const credentials = await credentialHeaders(options, this.#connection);
    const all = { ...credentials, "Tus-Resumable": VERSION, ...headers };
    return sendOnce(
      this.#url,
      { method, headers: all, ...(body && { body }) },
      options.signal,
      this.#connection,
    );
  }
}

/** Whether the response, or the browser's CORS failure, means that the server does not support such uploads. */
function isUnsupported({ status, text }: HttpResponse): boolean {
  return isRetryable({ status }) || status === 404 || status === 405 || /invalid file upload/i.test(text);
}

function savedFile(response: HttpResponse): JsonObject {
  const saved: JsonObject = {};
  for (const field of ["name", "url", "ipfs", "hash"]) {
    const value = response.headers.get(`x-parse-file-${field}`);
    if (value !== null) saved[field] = value;
  }
  if (saved.name === undefined || saved.url === undefined) throw errorFrom(response);
  return saved;
}

function uploadMetadata({ name, type, metadata, tags, ipfs }: UploadedFile): string {
  const values: [string, string][] = [["filename", name]];
  if (type) values.push(["filetype", type]);
  if (ipfs) values.push(["ipfs", "true"]);
  if (Object.keys(metadata).length > 0) values.push(["metadata", JSON.stringify(metadata)]);
  if (Object.keys(tags).length > 0) values.push(["tags", JSON.stringify(tags)]);
  return values.map(([key, value]) => `${key} ${base64(value)}`).join(",");
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}
