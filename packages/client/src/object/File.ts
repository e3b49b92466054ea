import { ErrorCode, type JsonObject, ProtocolError, type WireFile } from "@purse/protocol";
import { connection } from "../connection.ts";
import { type RequestOptions, request, send } from "../transport.ts";

/** Content of a file: bytes, a blob, base64 (a data URI will do) or an address to fetch it from. */
export type FileData = readonly number[] | Uint8Array | Blob | { base64: string } | { uri: string };

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
    return (await contentOf(this.#data ?? { uri: this.#url ?? "" })).base64;
  }

  /** Uploads the content. A second call gives the first one's answer; a failed one may be repeated. */
  save(options: RequestOptions & { ipfs?: boolean } = {}): Promise<this> {
    this.#saving ??= this.#upload(options).catch((error: unknown) => {
      this.#saving = undefined;
      throw error;
    });
    return this.#saving;
  }

  /** Uploads the content to IPFS too. */
  saveIPFS(options: RequestOptions = {}): Promise<this> {
    return this.save({ ...options, ipfs: true });
  }

  async #upload({ ipfs, ...options }: RequestOptions & { ipfs?: boolean }): Promise<this> {
    if (!this.#data) return this;
    this.#abort = new AbortController();
    const { base64, type } = await contentOf(this.#data);
    const fileData: JsonObject = { metadata: this.#metadata, tags: this.#tags };
    if (ipfs) fileData.ipfs = true;
    const payload: JsonObject = { base64, fileData };
    if (this.#type || type) payload._ContentType = this.#type || type;
    const signal = options.signal
      ? AbortSignal.any([options.signal, this.#abort.signal])
      : this.#abort.signal;
    const { body } = await request("POST", `files/${this.#name}`, payload, { ...options, signal });
    this.#accept(body);
    return this;
  }

  #accept(answer: unknown): void {
    if (typeof answer !== "object" || answer === null) return;
    if ("name" in answer && typeof answer.name === "string") this.#name = answer.name;
    if ("url" in answer && typeof answer.url === "string") this.#url = answer.url;
    if ("ipfs" in answer && typeof answer.ipfs === "string") this.#ipfs = answer.ipfs;
    if ("hash" in answer && typeof answer.hash === "string") this.#hash = answer.hash;
  }

  /** Ends an upload under way; its `save` rejects. */
  cancel(): void {
    this.#abort?.abort();
  }

  /** Deletes the file on the server; with the master key unless told otherwise. */
  async destroy(options: { useMasterKey?: boolean; signal?: AbortSignal } = {}): Promise<this> {
    if (!this.#name) {
      throw new ProtocolError(ErrorCode.FILE_DELETE_UNNAMED_ERROR, "Cannot delete an unnamed file.");
    }
    const on = connection();
    const headers: Record<string, string> = {
      "Content-Type": "text/plain",
      "X-Parse-Application-ID": on.applicationId,
    };
    if ((options.useMasterKey ?? true) && on.masterKey) headers["X-Parse-Master-Key"] = on.masterKey;
    await send(
      `${on.serverUrl}/files/${this.#name}`,
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
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  }
}

function isFileData(data: unknown): data is FileData {
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data) || data instanceof Uint8Array) return true;
  if (typeof Blob !== "undefined" && data instanceof Blob) return true;
  if ("base64" in data) return typeof data.base64 === "string";
  return "uri" in data && typeof data.uri === "string";
}

async function contentOf(data: FileData): Promise<{ base64: string; type: string }> {
  if ("base64" in data) {
    const [prefix, type = ""] = DATA_URI.exec(data.base64) ?? [""];
    return { base64: data.base64.slice(prefix.length), type };
  }
  if ("uri" in data) {
    const response = await connection().fetch(data.uri);
    if (!response.ok) {
      throw new ProtocolError(
        ErrorCode.FILE_READ_ERROR,
        `Error response [${response.status}] ${response.statusText}`,
      );
    }
    return contentOf(await response.blob());
  }
  if (data instanceof Blob) {
    return { base64: ParseFile.encodeBase64(new Uint8Array(await data.arrayBuffer())), type: data.type };
  }
  return { base64: ParseFile.encodeBase64(data), type: "" };
}
