import type { ApiReply } from "./apiRoute.ts";

/** Characters that are written at once: each write is copied until the client has received it. */
const MAX_SLICE_CHARS = 1024 * 1024;

/** Returns a reply with status 200 whose JSON text is in chunks. Reading its `body` joins them. */
export function chunkedReply(chunks: readonly string[]): ApiReply {
  const [only = ""] = chunks;
  if (chunks.length <= 1 && only.length <= MAX_SLICE_CHARS) return { status: 200, body: only };
  return {
    status: 200,
    chunks,
    get body() {
      return chunks.join("");
    },
  };
}

/** Yields the text of a body in slices to be sent one after the other. */
export function* slicesOf(chunks: readonly string[]): Generator<string> {
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const end = sliceEnd(chunk, start);
      yield chunk.slice(start, end);
      start = end;
    }
  }
}

/** The end of a slice that does not split a surrogate pair. */
function sliceEnd(text: string, start: number): number {
  const end = start + MAX_SLICE_CHARS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The length of a body in bytes. */
export function chunksLength(chunks: readonly string[]): number {
  return chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
}
