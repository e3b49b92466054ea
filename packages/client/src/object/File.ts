import { isJsonObject, isWireFile, type WireFile } from "@purse/protocol";
import { encodeBase64, type FileData, type FileSaveOptions } from "./fileData.ts";
import type { FileUpload } from "./fileTransfer.ts";
import { registerValueType } from "./valueTypes.ts";

export type { FileData, FileSaveOptions } from "./fileData.ts";

/** The transfer code is loaded on first use. */
const transfer = () => import("./fileTransfer.ts");

type Labels = Record<string, string | number | boolean>;

/** A file on the server. It is saved once; afterwards fields contain its name and URL. */
export class ParseFile {
  #json: WireFile;
  #data: FileData | undefined;
  #type: string;
  #metadata: Labels;
  #tags: Labels;
  #saving: Promise<this> | undefined;
  #abort: AbortController | undefined;
  /** An interrupted upload, which the next save resumes. */
  #upload: FileUpload | undefined;

  /** `type` is a media type; it defaults to that of the data, or to what the server derives from the name. */
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

  /** URL of the content in IPFS, if it was saved there. */
  ipfs(): string | undefined {
    return this.#json.ipfs;
  }

  /** Content identifier (CID), if it was saved to IPFS. */
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

  /** The content in base64; downloaded unless this client created the file. */
  async getData(): Promise<string> {
    const signal = this.#abortable();
    return (await transfer()).downloadFile(this.#data, this.#json.url, signal);
  }

  /**
   * Uploads the content; large content in chunks, if the server supports it. A second call returns the
   * promise of the first; after a failure another call resumes the upload.
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
    this.#applyResponse(await this.#upload.run(file, { ...options, signal }));
    this.#upload = undefined;
    return this;
  }

  #abortable(signal?: AbortSignal): AbortSignal {
    this.#abort ??= new AbortController();
    return signal ? AbortSignal.any([signal, this.#abort.signal]) : this.#abort.signal;
  }

  #applyResponse(response: unknown): void {
    for (const key of ["name", "url", "ipfs", "hash"] as const) {
      const value = isJsonObject(response) && response[key];
      if (typeof value === "string") this.#json[key] = value;
    }
  }

  /** Aborts a running upload or download; its promise rejects. */
  cancel(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /** Deletes the file on the server; with the master key by default. */
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
    file.#applyResponse(json);
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
