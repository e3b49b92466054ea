import { createHash, type Hash } from "node:crypto";
import { tryParseJson } from "@purse/protocol";
import { z } from "zod";

/*
 * The content of a backup of PostgreSQL, which is stored compressed by gzip. Lines of JSON alternate with rows in the
 * text format of COPY: a header, the name and columns of each table followed by blocks of its rows, and at the end a
 * manifest with the number of rows of each table and a checksum of everything before it.
 */

const ARCHIVE_FORMAT = "purse-postgresql-backup";
const ARCHIVE_VERSION = 1;

/** Maximum length of a line of JSON and of a block of rows, in bytes. */
const MAX_LINE_BYTES = 1024 * 1024;
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;

const header = z.object({
  kind: z.literal("header"),
  format: z.literal(ARCHIVE_FORMAT),
  version: z.int(),
  /** Version of the internal tables. */
  layout: z.int(),
  /** Version of PostgreSQL. */
  server: z.string(),
  createdAt: z.string(),
});
const table = z.object({
  kind: z.literal("table"),
  name: z.string(),
  columns: z.array(z.string()).min(1),
});
const rows = z.object({ kind: z.literal("rows"), bytes: z.int().min(1).max(MAX_BLOCK_BYTES) });
const manifest = z.object({
  kind: z.literal("manifest"),
  rows: z.record(z.string(), z.int()),
  sha256: z.string(),
});
const line = z.discriminatedUnion("kind", [header, table, rows, manifest]);

/** A backup cannot be restored: it is damaged, incomplete, or of another kind or version. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";

  constructor(reason: string, options?: ErrorOptions) {
    super(`The backup cannot be used: ${reason}`, options);
  }
}

export type ArchiveHeader = Omit<z.infer<typeof header>, "kind" | "format" | "version">;
type Line = z.infer<typeof line>;

export interface ArchiveTable {
  name: string;
  columns: string[];
  /** Rows in the text format of COPY; each ends with a newline. Must be read before the next table. */
  rows: AsyncIterable<Buffer>;
}

/** The number of rows by table. */
export type RowCounts = Record<string, number>;

/** Serializes tables. Adds the number of rows of each to `counts`, and calls `onRows` while it increases. */
export async function* writeArchive(
  archiveHeader: ArchiveHeader,
  tables: AsyncIterable<ArchiveTable>,
  counts: RowCounts,
  onRows: (table: string) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  yield hashed(
    toLine({ kind: "header", format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, ...archiveHeader }),
  );
  for await (const { name, columns, rows: blocks } of tables) {
    yield hashed(toLine({ kind: "table", name, columns }));
    let count = 0;
    counts[name] = count;
    for await (const block of blocks) {
      if (block.length === 0) continue;
      count += countRows(block);
      counts[name] = count;
      onRows(name);
      yield hashed(toLine({ kind: "rows", bytes: block.length }));
      yield hashed(block);
    }
  }
  yield toLine({ kind: "manifest", rows: counts, sha256: hash.digest("hex") });
}

/**
 * Reads the tables of an archive. Throws Error with the reason if it is no archive, incomplete, damaged, or of a newer
 * version; the checksum and the numbers of rows are compared after the last table. `onHeader` may reject it. Adds the
 * number of rows of each table to `counts`.
 */
export async function* readArchive(
  content: AsyncIterable<Uint8Array>,
  onHeader: (archiveHeader: ArchiveHeader) => void,
  counts: RowCounts,
): AsyncGenerator<ArchiveTable> {
  const reader = new ArchiveReader(content);
  const first = await reader.readLine();
  if (first.kind !== "header") throw new ArchiveError("it does not begin with a header");
  if (first.version > ARCHIVE_VERSION)
    throw new ArchiveError(`it was written by a newer Purse (format ${first.version})`);
  onHeader(first);
  for (let current = await reader.readLine(); ; ) {
    if (current.kind === "manifest") return reader.verify(current, counts);
    if (current.kind !== "table") throw new ArchiveError(`unexpected ${current.kind}`);
    const { name, columns } = current;
    let next: Line | undefined;
    const readRows = async function* () {
      counts[name] = 0;
      for (;;) {
        next = await reader.readLine();
        if (next.kind !== "rows") return;
        for await (const block of reader.readBytes(next.bytes)) {
          counts[name] = (counts[name] ?? 0) + countRows(block);
          yield block;
        }
      }
    };
    yield { name, columns, rows: readRows() };
    if (next === undefined || next.kind === "rows")
      throw new ArchiveError(`the rows of ${name} were not read`);
    current = next;
  }
}

class ArchiveReader {
  readonly #content: AsyncIterator<Uint8Array>;
  readonly #hash: Hash = createHash("sha256");
  #buffer: Buffer = Buffer.alloc(0);

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#content = content[Symbol.asyncIterator]();
  }

  async readLine(): Promise<Line> {
    let end = this.#buffer.indexOf(NEWLINE);
    while (end < 0) {
      if (this.#buffer.length > MAX_LINE_BYTES) throw new ArchiveError("a line is too long");
      const length = this.#buffer.length;
      const chunk = await this.#next();
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      const found = chunk.indexOf(NEWLINE);
      end = found < 0 ? -1 : length + found;
    }
    const bytes = this.#buffer.subarray(0, end + 1);
    this.#buffer = this.#buffer.subarray(end + 1);
    const parsed = line.safeParse(tryParseJson(bytes.toString()));
    if (!parsed.success) throw new ArchiveError("a line is invalid");
    if (parsed.data.kind !== "manifest") this.#hash.update(bytes);
    return parsed.data;
  }

  async *readBytes(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.#buffer.length === 0) this.#buffer = await this.#next();
      const bytes = this.#buffer.subarray(0, missing);
      this.#buffer = this.#buffer.subarray(bytes.length);
      missing -= bytes.length;
      this.#hash.update(bytes);
      yield bytes;
    }
  }

  /** Compares the manifest with what was read, and reads the rest, which contains the checksum of gzip. */
  async verify({ rows: expected, sha256 }: z.infer<typeof manifest>, counts: RowCounts): Promise<void> {
    if (this.#hash.digest("hex") !== sha256) throw new ArchiveError("its checksum is wrong");
    const names = new Set([...Object.keys(expected), ...Object.keys(counts)]);
    for (const name of names) {
      if (expected[name] !== counts[name]) throw new ArchiveError(`the number of rows of ${name} is wrong`);
    }
    const rest = await this.#content.next();
    if (this.#buffer.length > 0 || !rest.done) throw new ArchiveError("it continues after its end");
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#content.next();
    if (done) throw new ArchiveError("it is incomplete");
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

function toLine(value: Line): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function countRows(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
