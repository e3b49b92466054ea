import type { JsonObject } from "@purse/protocol";
import { type Connection, connection } from "../connection.ts";
import {
  attemptOnce,
  failure,
  type HttpAnswer,
  mayRecover,
  pauseAfter,
  type RequestOptions,
} from "../transport.ts";
import { credentialHeaders } from "./credentialHeaders.ts";

const VERSION = "1.0.0";

export type Bytes = Blob | Uint8Array<ArrayBuffer>;

export interface UploadedFile {
  /** In bytes. */
  size: number;
  /** Bytes per request. */
  part: number;
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
  readonly #about: UploadedFile;
  readonly #url: string;
  readonly #on: Connection;
  /** Uploaded bytes; undefined if only the server knows. */
  #offset: number | undefined = 0;

  private constructor(content: Bytes, about: UploadedFile, url: string, on: Connection) {
    this.#content = content;
    this.#about = about;
    this.#url = url;
    this.#on = on;
  }

  /** Returns undefined if the server does not support resumable uploads. Throws if it refuses this one. */
  static async begin(
    content: Bytes,
    about: UploadedFile,
    options: RequestOptions,
  ): Promise<ResumableUpload | undefined> {
    const on = connection();
    const url = `${on.serverUrl}/files/resumable`;
    const headers = {
      ...(await credentialHeaders(options, on)),
      "Tus-Resumable": VERSION,
      "Upload-Length": String(about.size),
      "Upload-Metadata": uploadMetadata(about),
    };
    const answer = await attemptOnce(url, { method: "POST", headers }, options.signal, on);
    const id = answer.headers.get("location")?.split("/").at(-1);
    // Always below the server's own URL, so that credentials are sent nowhere else.
    if (answer.status === 201 && id) return new ResumableUpload(content, about, `${url}/${id}`, on);
    if (isUnknown(answer)) return undefined;
    throw failure(answer);
  }

  /** Sends the remaining bytes; returns undefined if the server does not know the upload any more. */
  async run(
    options: RequestOptions,
    told: (loaded: number, total: number) => void,
  ): Promise<JsonObject | undefined> {
    const { size } = this.#about;
    for (let failures = 0; ; ) {
      const before = this.#offset;
      // The offset is unknown until the response arrives.
      this.#offset = undefined;
      const answer = await (before === undefined ? this.#ask(options) : this.#append(before, options));
      const offset = answer.headers.get("upload-offset");
      if (answer.status < 300 && answer.status > 0 && offset !== null) {
        this.#offset = Number(offset);
        if (this.#offset !== before) failures = 0;
        told(this.#offset, size);
        if (this.#offset >= size) return savedFile(answer);
        continue;
      }
      if (answer.status === 404) return undefined;
      failures += 1;
      // 409 and 423: an earlier attempt that seemed lost has succeeded or is still running.
      const isDelayed = answer.status === 409 || answer.status === 423;
      if (!(isDelayed || mayRecover(answer)) || failures >= this.#on.requestAttemptLimit) {
        throw failure(answer);
      }
      await pauseAfter(failures, this.#on, options.signal);
    }
  }

  async #ask(options: RequestOptions): Promise<HttpAnswer> {
    return this.#exchange("HEAD", {}, undefined, options);
  }

  async #append(offset: number, options: RequestOptions): Promise<HttpAnswer> {
    const headers = {
      "Upload-Offset": String(offset),
      "Content-Type": "application/offset+octet-stream",
    };
    return this.#exchange("PATCH", headers, this.#content.slice(offset, offset + this.#about.part), options);
  }

  async #exchange(
    method: string,
    headers: Record<string, string>,
    body: Bytes | undefined,
    options: RequestOptions,
  ): Promise<HttpAnswer> {
    const credentials = await credentialHeaders(options, this.#on);
    const all = { ...credentials, "Tus-Resumable": VERSION, ...headers };
    return attemptOnce(this.#url, { method, headers: all, ...(body && { body }) }, options.signal, this.#on);
  }
}

/** Whether the response, or the browser's CORS failure, means that the server does not support such uploads. */
function isUnknown({ status, text }: HttpAnswer): boolean {
  return mayRecover({ status }) || status === 404 || status === 405 || /invalid file upload/i.test(text);
}

function savedFile(answer: HttpAnswer): JsonObject {
  const saved: JsonObject = {};
  for (const field of ["name", "url", "ipfs", "hash"]) {
    const value = answer.headers.get(`x-parse-file-${field}`);
    if (value !== null) saved[field] = value;
  }
  if (saved.name === undefined || saved.url === undefined) throw failure(answer);
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
