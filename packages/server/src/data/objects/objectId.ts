import { randomBytes } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A buffer of random bytes, so that not every id requires a system call. */
const pool = { bytes: Buffer.alloc(0), at: 0 };

const OBJECT_ID_SIZE = 10;

/** Returns an id for a new object, of letters and digits. */
export function newObjectId(length = OBJECT_ID_SIZE): string {
  let id = "";
  while (id.length < length) {
    if (pool.at >= pool.bytes.length) {
      pool.bytes = randomBytes(4096);
      pool.at = 0;
    }
    const byte = pool.bytes[pool.at++] ?? 255;
    // 248 is the largest multiple of 62 in a byte; larger values would make some letters more likely.
    if (byte < 248) id += ALPHABET[byte % 62];
  }
  return id;
}
