import { createHash } from "node:crypto";

/** Hashes text of any length to a counter key of fixed length. */
export function counterKey(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
