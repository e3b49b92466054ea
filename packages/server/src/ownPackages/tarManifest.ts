import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

/** Size of the blocks of a tar archive, in bytes. */
const BLOCK = 512;
/** Where npm puts the manifest of a package. */
const MANIFEST = "package/package.json";
/** Fields of a header: their offset and length in bytes. */
const NAME = [0, 100] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;

/**
 * Changes the `package.json` of a package that npm has packed; everything else stays as it is. Throws Error if there is
 * none.
 */
export async function withManifest(
  tarball: Uint8Array,
  edit: (manifest: Record<string, unknown>) => Record<string, unknown>,
): Promise<Buffer> {
  const archive = await promisify(gunzip)(tarball);
  const parts: Buffer[] = [];
  let isFound = false;
  for (let at = 0; at < archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    const size = Number.parseInt(textIn(header, SIZE), 8) || 0;
    const end = at + BLOCK + paddedLength(size);
    if (textIn(header, NAME) === MANIFEST) {
      const manifest: Record<string, unknown> = JSON.parse(
        archive.subarray(at + BLOCK, at + BLOCK + size).toString(),
      );
      const content = Buffer.from(`${JSON.stringify(edit(manifest), null, 2)}\n`);
      const padding = Buffer.alloc(paddedLength(content.length) - content.length);
      parts.push(headerFor(header, content.length), content, padding);
      isFound = true;
    } else parts.push(archive.subarray(at, end));
    at = end;
  }
  if (!isFound) throw new Error(`The package has no ${MANIFEST}`);
  return promisify(gzip)(Buffer.concat(parts), { level: 9 });
}

/** The same header for a file of another size. */
function headerFor(header: Buffer, size: number): Buffer {
  const changed = Buffer.from(header);
  write(changed, SIZE, `${size.toString(8).padStart(SIZE[1] - 1, "0")} `);
  // The sum of all bytes, with spaces in place of itself.
  write(changed, CHECKSUM, " ".repeat(CHECKSUM[1]));
  const sum = changed.reduce((total, byte) => total + byte, 0);
  write(changed, CHECKSUM, `${sum.toString(8).padStart(6, "0")}\0 `);
  return changed;
}

function write(header: Buffer, [offset, length]: readonly [number, number], text: string): void {
  header.write(text, offset, length, "latin1");
}

function textIn(header: Buffer, [offset, length]: readonly [number, number]): string {
  const [text = ""] = header
    .subarray(offset, offset + length)
    .toString("latin1")
    .split("\0", 1);
  return text.trim();
}

function paddedLength(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}
