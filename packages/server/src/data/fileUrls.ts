import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";

/** The path of the IPFS gateway. */
export const IPFS_PATH = "/ipfs";

export interface FileUrlsOptions {
  appId: string;
  mountPath: string;
  /** The URL of the Parse API for requests that do not determine one. */
  publicUrl: string;
  /** The base URL on a separate origin for files. */
  filesUrl: string | undefined;
}

/** The URL of the Parse API that a request used; undefined if unknown. */
export type RequestOrigin = Pick<RequestContext, "serverUrl">;

/** Builds URLs of files from the URL that a request used; they are never stored. */
export class FileUrls {
  readonly #options: FileUrlsOptions;

  constructor(options: FileUrlsOptions) {
    this.#options = options;
  }

  /** Returns the URL of a file. */
  urlOf(name: string, request?: RequestOrigin): string {
    const path = name.split("/").map(encodeURIComponent).join("/");
    return `${this.#base(request)}/files/${encodeURIComponent(this.#options.appId)}/${path}`;
  }

  /**
   * Extracts the file name from a URL of this server's files, with any host, because clients reach this server by
   * several hosts. Returns undefined for any other URL.
   */
  nameFromUrl(url: string): string | undefined {
    const { appId, mountPath } = this.#options;
    const prefix = `${mountPath}/files/${encodeURIComponent(appId)}/`;
    const pathname = URL.canParse(url) ? new URL(url).pathname : "";
    if (!pathname.startsWith(prefix)) return undefined;
    try {
      return pathname.slice(prefix.length).split("/").map(decodeURIComponent).join("/");
    } catch {
      return undefined;
    }
  }

  /** Returns the URL of content by its CID. */
  ipfsUrlOf(cid: string, request?: RequestOrigin): string {
    return `${this.gateway(request)}/${cid}`;
  }

  gateway(request?: RequestOrigin): string {
    const base = this.#base(request);
    const { mountPath } = this.#options;
    const origin = base.endsWith(mountPath) ? base.slice(0, -mountPath.length) : new URL(base).origin;
    return origin + IPFS_PATH;
  }

  /** Adds URLs to the files in a value that is sent to a client. */
  expand<T extends JsonValue>(value: T, request: RequestOrigin): T;
  expand(value: JsonValue, request: RequestOrigin): JsonValue {
    return mapFiles(value, (file) => {
      const { name, url, ipfs, hash } = file;
      if (typeof name !== "string") return file;
      const expanded: JsonObject = { ...file };
      if (url === undefined) expanded.url = this.urlOf(name, request);
      if (ipfs === undefined && typeof hash === "string") expanded.ipfs = this.ipfsUrlOf(hash, request);
      return expanded;
    });
  }

  /** Removes this server's URLs from the files in a value to be stored; URLs of other servers are kept. */
  strip<T extends JsonValue>(value: T, request: RequestOrigin): T;
  strip(value: JsonValue, request: RequestOrigin): JsonValue {
    return mapFiles(value, (file) => {
      const { url, ipfs, ...rest } = file;
      const stripped: JsonObject = rest;
      if (url !== undefined && !this.#isOwnUrl(url, (base) => this.urlOf(String(file.name), base), request)) {
        stripped.url = url;
      }
      if (
        ipfs !== undefined &&
        !this.#isOwnUrl(ipfs, (base) => this.ipfsUrlOf(String(file.hash), base), request)
      ) {
        stripped.ipfs = ipfs;
      }
      return stripped;
    });
  }

  /** Whether a URL is one of this server's, by any of its base URLs. */
  #isOwnUrl(url: JsonValue, buildUrl: (request: RequestOrigin) => string, request: RequestOrigin): boolean {
    return url === buildUrl(request) || url === buildUrl({});
  }

  #base(request: RequestOrigin | undefined): string {
    return this.#options.filesUrl ?? request?.serverUrl ?? this.#options.publicUrl;
  }
}

/** Whether a JSON text may contain a file: cheaper than parsing it. JSON has too many quotes to search for one. */
export function mayContainFiles(text: string): boolean {
  return text.includes('File"');
}

/** Returns the same value if it contains no files. */
function mapFiles(value: JsonValue, change: (file: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) {
    let mappedItems: JsonValue[] | undefined;
    for (const [index, item] of value.entries()) {
      const changed = mapFiles(item, change);
      if (changed === item) continue;
      mappedItems ??= [...value];
      mappedItems[index] = changed;
    }
    return mappedItems ?? value;
  }
  if (!isJsonObject(value)) return value;
  if (value.__type === "File") return change(value);
  let mapped: JsonObject | undefined;
  for (const key in value) {
    const item = value[key];
    // Most values are neither lists nor objects.
    if (typeof item !== "object" || item === null) continue;
    const changed = mapFiles(item, change);
    if (changed === item) continue;
    mapped ??= { ...value };
    mapped[key] = changed;
  }
  return mapped ?? value;
}
