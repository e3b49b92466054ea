import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import { IPFS_PATH } from "../ipfs/index.ts";

export interface FileUrlsParts {
  appId: string;
  mountPath: string;
  /** The address of the protocol for whoever does not say by which one they came. */
  publicUrl: string;
  /** The address on an origin of its own under which files are served. */
  filesUrl: string | undefined;
}

/** The address of the protocol by which somebody asks; undefined where they do not say. */
export type CameBy = Pick<RequestContext, "serverUrl">;

/** Addresses of files: made when somebody asks, by the address that they asked at, and never stored. */
export class FileUrls {
  readonly #parts: FileUrlsParts;

  constructor(parts: FileUrlsParts) {
    this.#parts = parts;
  }

  /** Where a file is found. */
  urlOf(name: string, request?: CameBy): string {
    const path = name.split("/").map(encodeURIComponent).join("/");
    return `${this.#base(request)}/files/${encodeURIComponent(this.#parts.appId)}/${path}`;
  }

  /**
   * The name in an address that leads to a file as ours do, whatever its host: clients reach this server by several.
   * Undefined for any other address.
   */
  nameIn(url: string): string | undefined {
    const { appId, mountPath } = this.#parts;
    const prefix = `${mountPath}/files/${encodeURIComponent(appId)}/`;
    const pathname = URL.canParse(url) ? new URL(url).pathname : "";
    if (!pathname.startsWith(prefix)) return undefined;
    try {
      return pathname.slice(prefix.length).split("/").map(decodeURIComponent).join("/");
    } catch {
      return undefined;
    }
  }

  /** Where content is found by its CID. */
  ipfsUrlOf(cid: string, request?: CameBy): string {
    return `${this.gateway(request)}/${cid}`;
  }

  gateway(request?: CameBy): string {
    const base = this.#base(request);
    const { mountPath } = this.#parts;
    const origin = base.endsWith(mountPath) ? base.slice(0, -mountPath.length) : new URL(base).origin;
    return origin + IPFS_PATH;
  }

  /** Puts addresses into the files of a value on its way out. */
  expand<T extends JsonValue>(value: T, request: CameBy): T;
  expand(value: JsonValue, request: CameBy): JsonValue {
    return mapFiles(value, (file) => {
      const { name, url, ipfs, hash } = file;
      if (typeof name !== "string") return file;
      const whole: JsonObject = { ...file };
      if (url === undefined) whole.url = this.urlOf(name, request);
      if (ipfs === undefined && typeof hash === "string") whole.ipfs = this.ipfsUrlOf(hash, request);
      return whole;
    });
  }

  /** Takes our own addresses out of a value that is going to be stored; those of others stay. */
  strip<T extends JsonValue>(value: T, request: CameBy): T;
  strip(value: JsonValue, request: CameBy): JsonValue {
    return mapFiles(value, (file) => {
      const { url, ipfs, ...rest } = file;
      const kept: JsonObject = rest;
      if (url !== undefined && !this.#isOurs(url, (base) => this.urlOf(String(file.name), base), request)) {
        kept.url = url;
      }
      if (
        ipfs !== undefined &&
        !this.#isOurs(ipfs, (base) => this.ipfsUrlOf(String(file.hash), base), request)
      ) {
        kept.ipfs = ipfs;
      }
      return kept;
    });
  }

  /** By whichever of our addresses a client has come. */
  #isOurs(url: JsonValue, make: (request: CameBy) => string, request: CameBy): boolean {
    return url === make(request) || url === make({});
  }

  #base(request: CameBy | undefined): string {
    return this.#parts.filesUrl ?? request?.serverUrl ?? this.#parts.publicUrl;
  }
}

/** Whether a JSON text may hold a file: cheaper than reading it. */
export function mayHoldFiles(text: string): boolean {
  return text.includes('"File"');
}

/** The same value where it holds no files. */
function mapFiles(value: JsonValue, change: (file: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapFiles(item, change));
    return mapped.some((item, at) => item !== value[at]) ? mapped : value;
  }
  if (!isJsonObject(value)) return value;
  if (value.__type === "File") return change(value);
  let mapped: JsonObject | undefined;
  for (const [key, item] of Object.entries(value)) {
    const changed = mapFiles(item, change);
    if (changed === item) continue;
    mapped ??= { ...value };
    mapped[key] = changed;
  }
  return mapped ?? value;
}
