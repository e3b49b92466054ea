import type { SqlValue } from "../indexQuery.ts";

const [TAB, NEWLINE, RETURN, BACKSLASH, ZERO] = [0x09, 0x0a, 0x0d, 0x5c, 0x00];
/** Bytes that are escaped, and what follows the backslash. */
const ESCAPES: ReadonlyMap<number, number> = new Map([
  [TAB, "t".charCodeAt(0)],
  [NEWLINE, "n".charCodeAt(0)],
  [RETURN, "r".charCodeAt(0)],
  [BACKSLASH, BACKSLASH],
  [ZERO, "0".charCodeAt(0)],
]);
const NULL = Buffer.from("\\N");

/** Encodes rows in ClickHouse's format TabSeparated. Bytes are written as they are, except those of the format itself. */
export function encodeRows(rows: readonly (readonly SqlValue[])[]): Buffer {
  const parts: Buffer[] = [];
  for (const row of rows) {
    row.forEach((value, i) => {
      if (i > 0) parts.push(Buffer.from([TAB]));
      if (value === null) parts.push(NULL);
      else if (typeof value === "number") parts.push(Buffer.from(String(value)));
      else parts.push(escapeBytes(typeof value === "string" ? Buffer.from(value) : value));
    });
    parts.push(Buffer.from([NEWLINE]));
  }
  return Buffer.concat(parts);
}

function escapeBytes(bytes: Uint8Array): Buffer {
  const escaped = Buffer.allocUnsafe(bytes.length * 2);
  let length = 0;
  for (const byte of bytes) {
    const code = ESCAPES.get(byte);
    if (code !== undefined) escaped[length++] = BACKSLASH;
    escaped[length++] = code ?? byte;
  }
  return escaped.subarray(0, length);
}
