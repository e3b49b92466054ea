import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Limit of the kept files, in bytes; an app's first page takes about a fifth of it. */
const MAX_KEPT_BYTES = 1_000_000;
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

interface KeptFile {
  type: string;
  body: Buffer;
  isCompressed: boolean;
}

/**
 * Scripts and styles whose names contain a hash of their content. The recently requested ones are kept in memory: a page
 * loads dozens of them, and looking for each in the folders takes several times as long as sending it.
 */
export class HashedFiles {
  readonly #folders: readonly string[];
  /** In the order of their last use. */
  readonly #kept = new Map<string, KeptFile>();
  #bytes = 0;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** The file with this name for a browser that accepts Brotli; undefined for all other requests and missing files. */
  async find(name: string, { headers }: FastifyRequest): Promise<KeptFile | undefined> {
    const accepted = headers["accept-encoding"];
    const type = TYPES[NAME.exec(name)?.[1] ?? ""];
    if (type === undefined || accepted === undefined || !BROTLI.test(String(accepted))) return undefined;
    if (CONDITIONS.some((condition) => headers[condition] !== undefined)) return undefined;
    const file = this.#kept.get(name) ?? (await this.#read(name, type));
    if (file) this.#keep(name, file);
    return file;
  }

  async #read(name: string, type: string): Promise<KeptFile | undefined> {
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

  #keep(name: string, file: KeptFile): void {
    if (this.#kept.delete(name)) this.#bytes -= file.body.length;
    this.#kept.set(name, file);
    this.#bytes += file.body.length;
    for (const [oldest, { body }] of this.#kept) {
      if (this.#bytes <= MAX_KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= body.length;
    }
  }
}

/** Sends a file whose name contains a hash of its content. */
export function sendKeptFile(reply: FastifyReply, { type, body, isCompressed }: KeptFile): FastifyReply {
  if (isCompressed) reply.header("content-encoding", "br");
  return reply.type(type).send(body);
}
