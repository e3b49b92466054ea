import { isJsonObject, isWireFile, type WireFile } from "@purse/protocol";
import { encodeBase64, type FileData, type FileSaveOptions } from "./fileData.ts";
import type { FileUpload } from "./fileTransfer.ts";
import { registerValueType } from "./valueTypes.ts";

export type { FileData, FileSaveOptions } from "./fileData.ts";

/** What files send and fetch is loaded with the first of them that does. */
const transfer = () => import("./fileTransfer.ts");

type Labels = Record<string, string | number | boolean>;

/** A file on the server. Saved once; afterwards fields hold its name and address. */
export class ParseFile {
  #json: WireFile;
  #data: FileData | undefined;
  #type: string;
  #metadata: Labels;
  #tags: Labels;
  #saving: Promise<this> | undefined;
  #abort: AbortController | undefined;
  /** Broken off; the next save goes on with it. */
  #upload: FileUpload | undefined;

  /** `type` is a media type; without one that of the data, or else what the server makes of the name. */
  constructor(name: string, data?: FileData, type = "", metadata: Labels = {}, tags: Labels = {}) {
    if (data !== undefined && !isFileData(data))
      throw new TypeError("Cannot create a Parse.File with that data.");
    this.#json = { __type: "File", name };
    this.#data = data;
    this.#type = type;
    this.#metadata = { ...metadata };
    this.#tags = { ...tags };
  }

  name(): string {
    return this.#json.name;
  }

  url({ forceSecure = false }: { forceSecure?: boolean } = {}): string | undefined {
    const { url } = this.#json;
    return forceSecure ? url?.replace(/^http:/i, "https:") : url;
  }

  /** Address of the content in IPFS, when it was saved there. */
  ipfs(): string | undefined {
    return this.#json.ipfs;
  }

  /** Content identifier, when it was saved to IPFS. */
  hash(): string | undefined {
    return this.#json.hash;
  }

  metadata(): Labels {
    return this.#metadata;
  }

  tags(): Labels {
    return this.#tags;
  }

  setMetadata(metadata: Labels): void {
    Object.assign(this.#metadata, metadata);
  }

  addMetadata(key: string, value: string | number | boolean): void {
    this.#metadata[key] = value;
  }

  setTags(tags: Labels): void {
    Object.assign(this.#tags, tags);
  }

  addTag(key: string, value: string | number | boolean): void {
    this.#tags[key] = value;
  }

  /** The content in base64; fetched from the server if this client did not make the file. */
  async getData(): Promise<string> {
    const signal = this.#abortable();
    return (await transfer()).downloadFile(this.#data, this.#json.url, signal);
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
  saveIPFS(options?: FileSaveOptions): Promise<this> {
    return this.save({ ...options, ipfs: true });
  }

  async #send(options: FileSaveOptions): Promise<this> {
    if (!this.#data) return this;
    const signal = this.#abortable(options.signal);
    const { FileUpload } = await transfer();
    this.#upload ??= new FileUpload(this.#data);
    const file = { name: this.name(), type: this.#type, metadata: this.#metadata, tags: this.#tags };
    this.#accept(await this.#upload.run(file, { ...options, signal }));
    this.#upload = undefined;
    return this;
  }

  #abortable(signal?: AbortSignal): AbortSignal {
    this.#abort ??= new AbortController();
    return signal ? AbortSignal.any([signal, this.#abort.signal]) : this.#abort.signal;
  }

  #accept(answer: unknown): void {
    for (const key of ["name", "url", "ipfs", "hash"] as const) {
      const value = isJsonObject(answer) && answer[key];
      if (typeof value === "string") this.#json[key] = value;
    }
  }

  /** Ends an upload or a download under way; its promise rejects. */
  cancel(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /** Deletes the file on the server; with the master key unless told otherwise. */
  async destroy(options?: { useMasterKey?: boolean; signal?: AbortSignal }): Promise<this> {
    await (await transfer()).deleteFile(this.name(), { useMasterKey: true, ...options });
    return this;
  }

  equals(other: unknown): boolean {
    if (this === other) return true;
    if (!(other instanceof ParseFile) || !this.url()) return false;
    return other.name() === this.name() && other.url() === this.url();
  }

  toJSON(): WireFile {
    return { ...this.#json };
  }

  static fromJSON(json: WireFile): ParseFile {
    if (json.__type !== "File") throw new TypeError("JSON object does not represent a ParseFile");
    const file = new ParseFile(json.name);
    file.#accept(json);
    return file;
  }

  static {
    registerValueType("File", (json) => (isWireFile(json) ? ParseFile.fromJSON(json) : undefined));
  }

  static encodeBase64(bytes: readonly number[] | Uint8Array): string {
    return encodeBase64(bytes);
  }
}

function isFileData(data: unknown): data is FileData {
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data) || data instanceof Uint8Array) return true;
  if (typeof Blob !== "undefined" && data instanceof Blob) return true;
  if ("base64" in data) return typeof data.base64 === "string";
  return "uri" in data && typeof data.uri === "string";
}
