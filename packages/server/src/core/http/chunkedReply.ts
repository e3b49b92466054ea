import type { ServerResponse } from "node:http";
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

/** Writes the chunks of a body, each after the client has received the previous one. */
export async function sendChunks(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      if (response.destroyed) return;
      const end = sliceEnd(chunk, start);
      if (!response.write(chunk.slice(start, end))) await drained(response);
      start = end;
    }
  }
  response.end();
}

/** The end of a slice that does not split a surrogate pair. */
function sliceEnd(text: string, start: number): number {
  const end = start + MAX_SLICE_CHARS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Resolves when the client has received what was written or has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

export function chunksLength(chunks: readonly string[]): number {
  return chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
}
