import { randomBytes } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Random bytes in stock, so that not every id asks the system. */
const pool = { bytes: Buffer.alloc(0), at: 0 };

/** A new object's id: ten letters and digits. */
export function newObjectId(length = 10): string {
  let id = "";
  while (id.length < length) {
    if (pool.at >= pool.bytes.length) {
      pool.bytes = randomBytes(4096);
      pool.at = 0;
    }
    const byte = pool.bytes[pool.at++] ?? 255;
    // 248 is the largest multiple of 62 in a byte: what lies above would favour some letters.
    if (byte < 248) id += ALPHABET[byte % 62];
  }
  return id;
}
