import { createHash } from "node:crypto";

/** What outside text is counted by: of one size, however long the text is. */
export function counterKey(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
