import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Maximum total size of the cached files, in bytes; an app's first page takes about a fifth of it. */
const MAX_CACHED_BYTES = 1_000_000;
/** Names that the build gives to scripts and styles. */
const NAME = /^[\w-][\w.-]*\.(js|css)$/;
const TYPES: Readonly<Record<string, string>> = {
  js: "application/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
/** Browsers accept Brotli without a preference. */
const BROTLI = /(?:^|,)\s*br\s*(?:,|$)/;
/** Of requests for a part of a file, or for one that has changed. */
const CONDITIONS = ["range", "if-none-match", "if-modified-since", "if-range"] as const;

interface CachedFile {
  type: string;
  body: Buffer;
  isCompressed: boolean;
}

/**
 * Scripts and styles whose names contain a hash of their content. The recently requested ones are cached in memory: a page
 * loads dozens of them, and looking for each in the folders takes several times as long as sending it.
 */
export class AssetCache {
  readonly #folders: readonly string[];
  /** In the order of their last use. */
  readonly #cache = new Map<string, CachedFile>();
  #bytes = 0;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** The file with this name for a browser that accepts Brotli; undefined for all other requests and missing files. */
  async find(name: string, { headers }: FastifyRequest): Promise<CachedFile | undefined> {
    const accepted = headers["accept-encoding"];
    const type = TYPES[NAME.exec(name)?.[1] ?? ""];
    if (type === undefined || accepted === undefined || !BROTLI.test(String(accepted))) return undefined;
    if (CONDITIONS.some((condition) => headers[condition] !== undefined)) return undefined;
    const file = this.#cache.get(name) ?? (await this.#read(name, type));
    if (file) this.#add(name, file);
    return file;
  }

  async #read(name: string, type: string): Promise<CachedFile | undefined> {
    for (const folder of this.#folders) {
      for (const [ending, isCompressed] of [
        [".br", true],
        ["", false],
      ] as const) {
        const body = await readFile(join(folder, name + ending)).catch(() => undefined);
        if (body) return { type, body, isCompressed };
      }
    }
    return undefined;
  }

  #add(name: string, file: CachedFile): void {
    if (this.#cache.delete(name)) this.#bytes -= file.body.length;
    this.#cache.set(name, file);
    this.#bytes += file.body.length;
    for (const [oldest, { body }] of this.#cache) {
      if (this.#bytes <= MAX_CACHED_BYTES) break;
      this.#cache.delete(oldest);
      this.#bytes -= body.length;
    }
  }
}

/** Sends a file whose name contains a hash of its content. */
export function sendCachedFile(reply: FastifyReply, { type, body, isCompressed }: CachedFile): FastifyReply {
  if (isCompressed) reply.header("content-encoding", "br");
  return reply.type(type).send(body);
}
