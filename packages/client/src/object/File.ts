import { ErrorCode, type JsonObject, ProtocolError, type WireFile } from "@purse/protocol";
import { connection } from "../connection.ts";
import { credentialHeaders, type RequestOptions, request, send } from "../transport.ts";
import type { Bytes, ResumableUpload } from "./resumableUpload.ts";

/** Content of a file: bytes, a blob, base64 (a data URI will do) or an address to fetch it from. */
export type FileData = readonly number[] | Uint8Array | Blob | { base64: string } | { uri: string };

export interface FileSaveOptions extends RequestOptions {
  /** Keeps the content in IPFS too. */
  ipfs?: boolean;
  /**
   * Told how much of the content is on the server, in bytes and as a part of 1. Small files, and those
   * for servers without resumable uploads, are told of once they are there.
   */
  progress?: (part: number, loaded: number, total: number, about: { type: "upload" }) => void;
}

/** Content of so many bytes is uploaded in parts, where the server takes those. */
const RESUMABLE_FROM = 5 * 1024 * 1024;
/** Bytes of one part. */
const PART = 1024 * 1024;

const DATA_URI = /^data:([a-zA-Z]+\/[-a-zA-Z0-9+.]+)?(;charset=[a-zA-Z0-9\-/]*)?;base64,/;

/** A file on the server. Saved once; afterwards fields hold its name and address. */
export class ParseFile {
  #name: string;
  #url: string | undefined;
  #ipfs: string | undefined;
  #hash: string | undefined;
  #data: FileData | undefined;
  #type: string;
  #metadata: Record<string, string | number | boolean>;
  #tags: Record<string, string | number | boolean>;
  #saving: Promise<this> | undefined;
  #abort: AbortController | undefined;
  /** Broken off; the next save goes on with it. */
  #upload: ResumableUpload | undefined;

  /** `type` is a media type; without one that of the data, or else what the server makes of the name. */
  constructor(
    name: string,
    data?: FileData,
    type = "",
    metadata: Record<string, string | number | boolean> = {},
    tags: Record<string, string | number | boolean> = {},
  ) {
    if (data !== undefined && !isFileData(data))
      throw new TypeError("Cannot create a Parse.File with that data.");
    this.#name = name;
    this.#data = data;
    this.#type = type;
    this.#metadata = { ...metadata };
    this.#tags = { ...tags };
  }

  name(): string {
    return this.#name;
  }

  url(options: { forceSecure?: boolean } = {}): string | undefined {
    return options.forceSecure ? this.#url?.replace(/^http:\/\//i, "https://") : this.#url;
  }

  /** Address of the content in IPFS, when it was saved there. */
  ipfs(): string | undefined {
    return this.#ipfs;
  }

  /** Content identifier, when it was saved to IPFS. */
  hash(): string | undefined {
    return this.#hash;
  }

  metadata(): Record<string, string | number | boolean> {
    return this.#metadata;
  }

  tags(): Record<string, string | number | boolean> {
    return this.#tags;
  }

  setMetadata(metadata: Record<string, string | number | boolean>): void {
    for (const [key, value] of Object.entries(metadata)) this.addMetadata(key, value);
  }

  addMetadata(key: string, value: string | number | boolean): void {
    this.#metadata[key] = value;
  }

  setTags(tags: Record<string, string | number | boolean>): void {
    for (const [key, value] of Object.entries(tags)) this.addTag(key, value);
  }

  addTag(key: string, value: string | number | boolean): void {
    this.#tags[key] = value;
  }

  /** The content in base64; fetched from the server if this client did not make the file. */
  async getData(): Promise<string> {
    if (!this.#data && !this.#url) {
      throw new ProtocolError(ErrorCode.FILE_READ_ERROR, "Cannot retrieve data for unsaved ParseFile.");
    }
    const content = await contentOf(this.#data ?? { uri: this.#url ?? "" }, this.#abortable());
    return base64Of(content);
  }

  /**
   * Uploads the content; large content in parts, where the server takes those. A second call gives the
   * first one's answer; a failed one may be repeated and goes on where it was broken off.
   */
  save(options: FileSaveOptions = {}): Promise<this> {
    this.#saving ??= this.#send(options).catch((error: unknown) => {
      this.#saving = undefined;
      throw error;
    });
    return this.#saving;
  }

  /** Uploads the content to IPFS too. */
  saveIPFS(options: FileSaveOptions = {}): Promise<this> {
    return this.save({ ...options, ipfs: true });
  }

  async #send({ ipfs = false, progress, ...rest }: FileSaveOptions): Promise<this> {
    if (!this.#data) return this;
    const signal = this.#abortable(rest.signal);
    const options = { ...rest, signal };
    const content = await contentOf(this.#data, signal);
    const type = this.#type || content.type;
    const size = sizeOf(content);
    const told = (loaded: number, total: number): void =>
      progress?.(loaded / total, loaded, total, { type: "upload" });
    const isLarge = size >= RESUMABLE_FROM || (progress !== undefined && size > PART);
    // Where a resumable upload ends in IPFS, its answer does not say.
    if (isLarge && !ipfs) {
      const earlier = await this.#upload?.run(options, told);
      // Begun anew where there was none, or where the server has forgotten it.
      if (!earlier) this.#upload = await this.#begin(content, type, options);
      const answer = earlier ?? (await this.#upload?.run(options, told));
      this.#upload = undefined;
      if (answer) {
        this.#accept(answer);
        return this;
      }
    }
    const fileData: JsonObject = { metadata: this.#metadata, tags: this.#tags };
    if (ipfs) fileData.ipfs = true;
    const payload: JsonObject = { base64: await base64Of(content), fileData };
    if (type) payload._ContentType = type;
    const { body } = await request("POST", `files/${encodeName(this.#name)}`, payload, options);
    this.#accept(body);
    if (size > 0) told(size, size);
    return this;
  }

  /** Undefined where the server takes no parts. */
  async #begin(
    content: Content,
    type: string,
    options: RequestOptions,
  ): Promise<ResumableUpload | undefined> {
    const { ResumableUpload } = await import("./resumableUpload.ts");
    const [name, metadata, tags] = [this.#name, this.#metadata, this.#tags];
    const about = { size: sizeOf(content), part: PART, name, type, metadata, tags };
    return ResumableUpload.begin(bytesOf(content), about, options);
  }

  #abortable(signal?: AbortSignal): AbortSignal {
    this.#abort ??= new AbortController();
    return signal ? AbortSignal.any([signal, this.#abort.signal]) : this.#abort.signal;
  }

  #accept(answer: unknown): void {
    if (typeof answer !== "object" || answer === null) return;
    if ("name" in answer && typeof answer.name === "string") this.#name = answer.name;
    if ("url" in answer && typeof answer.url === "string") this.#url = answer.url;
    if ("ipfs" in answer && typeof answer.ipfs === "string") this.#ipfs = answer.ipfs;
    if ("hash" in answer && typeof answer.hash === "string") this.#hash = answer.hash;
  }

  /** Ends an upload or a download under way; its promise rejects. */
  cancel(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /** Deletes the file on the server; with the master key unless told otherwise. */
  async destroy(options: { useMasterKey?: boolean; signal?: AbortSignal } = {}): Promise<this> {
    if (!this.#name) {
      throw new ProtocolError(ErrorCode.FILE_DELETE_UNNAMED_ERROR, "Cannot delete an unnamed file.");
    }
    const on = connection();
    const { useMasterKey = true } = options;
    const headers = {
      "Content-Type": "text/plain",
      ...(await credentialHeaders({ ...options, useMasterKey }, on)),
    };
    await send(
      `${on.serverUrl}/files/${encodeName(this.#name)}`,
      { method: "DELETE", headers },
      { ...options, emptyAllowed: true },
      on,
    );
    return this;
  }

  equals(other: unknown): boolean {
    return (
      this === other ||
      (other instanceof ParseFile &&
        this.#url !== undefined &&
        other.name() === this.#name &&
        other.url() === this.#url)
    );
  }

  toJSON(): WireFile {
    const json: WireFile = { __type: "File", name: this.#name };
    if (this.#url) json.url = this.#url;
    if (this.#ipfs) json.ipfs = this.#ipfs;
    if (this.#hash) json.hash = this.#hash;
    return json;
  }

  static fromJSON(json: WireFile): ParseFile {
    if (json.__type !== "File") throw new TypeError("JSON object does not represent a ParseFile");
    const file = new ParseFile(json.name);
    file.#accept(json);
    return file;
  }

  static encodeBase64(bytes: readonly number[] | Uint8Array): string {
    const array = Uint8Array.from(bytes);
    const parts: string[] = [];
    for (let at = 0; at < array.length; at += 0x8000) {
      parts.push(String.fromCharCode(...array.subarray(at, at + 0x8000)));
    }
    return btoa(parts.join(""));
  }
}

function isFileData(data: unknown): data is FileData {
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data) || data instanceof Uint8Array) return true;
  if (typeof Blob !== "undefined" && data instanceof Blob) return true;
  if ("base64" in data) return typeof data.base64 === "string";
  return "uri" in data && typeof data.uri === "string";
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
  return ParseFile.encodeBase64(
    bytes instanceof Uint8Array ? bytes : new Uint8Array(await bytes.arrayBuffer()),
  );
}

function bytesOf(content: Content): Bytes {
  if ("bytes" in content) return content.bytes;
  return Uint8Array.from(atob(content.base64), (character) => character.charCodeAt(0));
}

/** Names may have folders. */
function encodeName(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
