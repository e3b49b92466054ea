import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, truncate } from "node:fs/promises";

/**
 * The checksum at the end of a copy of an SQLite database: behind its last page, where SQLite does not read, so that the
 * copy is still a database.
 */
const MARK = "\nPurse backup, SHA-256 ";
const DIGEST_CHARACTERS = 64;
const LENGTH = MARK.length + DIGEST_CHARACTERS;
/** Where the header of a database has the size of its pages. */
const PAGE_SIZE_AT = 16;

/** Appends the checksum, and writes the file to disk. */
export async function appendChecksum(file: string): Promise<void> {
  const digest = await digestOf(file);
  const handle = await open(file, "a");
  try {
    await handle.write(MARK + digest);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Rejects if a file has changed since the backup was created. Those of earlier versions have no checksum. */
export async function verifyChecksum(file: string): Promise<void> {
  const { size, pageSize, checksum } = await readEnd(file);
  if (checksum === undefined) {
    if (pageSize === 0 || size % pageSize === 0) return;
    throw new Error(`${file} cannot be used: its end is missing, or was changed`);
  }
  if ((await digestOf(file, size - LENGTH)) === checksum) return;
  throw new Error(
    `${file} cannot be used: it was changed or damaged after the backup was created (its SHA-256 checksum differs); use another backup`,
  );
}

/** Removes the checksum, so that the file consists of the pages of the database alone. */
export async function removeChecksum(file: string): Promise<void> {
  const { size, checksum } = await readEnd(file);
  if (checksum !== undefined) await truncate(file, size - LENGTH);
}

async function readEnd(
  file: string,
): Promise<{ size: number; pageSize: number; checksum: string | undefined }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const header = Buffer.alloc(PAGE_SIZE_AT + 2);
    await handle.read(header, 0, header.length, 0);
    const stored = header.readUInt16BE(PAGE_SIZE_AT);
    const end = Buffer.alloc(LENGTH);
    await handle.read(end, 0, LENGTH, Math.max(0, size - LENGTH));
    const text = end.toString("latin1");
    const checksum = text.startsWith(MARK) ? text.slice(MARK.length) : undefined;
    // The largest size does not fit into two bytes.
    return { size, pageSize: stored === 1 ? 65_536 : stored, checksum };
  } finally {
    await handle.close();
  }
}

/** The digest of a file, or of its first bytes. */
async function digestOf(file: string, bytes?: number): Promise<string> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash.digest("hex");
  const content = createReadStream(file, bytes === undefined ? {} : { end: bytes - 1 });
  for await (const chunk of content) hash.update(chunk);
  return hash.digest("hex");
}
