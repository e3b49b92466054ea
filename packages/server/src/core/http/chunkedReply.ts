import { endOfSlice } from "../limits/answerText.ts";
import { TimeSlicer } from "../limits/timeSlicer.ts";
import type { ApiReply } from "./apiRoute.ts";

/** Characters that are written at once: each write is copied until the client has received it. */
export const MAX_SLICE_CHARS = 1024 * 1024;
/** Longer bodies are sent without their length in bytes (chunked transfer coding). */
const MAX_MEASURED_CHARS = 4 * 1024 * 1024;

/** Returns a reply, with status 200 by default, whose JSON text is in chunks. Reading its `body` joins them. */
export function chunkedReply(
  chunks: readonly string[],
  head: Partial<Pick<ApiReply, "status" | "headers">> = {},
): ApiReply {
  const [only = ""] = chunks;
  if (chunks.length <= 1 && only.length <= MAX_SLICE_CHARS) return { status: 200, ...head, body: only };
  return {
    status: 200,
    ...head,
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
      const end = endOfSlice(chunk, start, MAX_SLICE_CHARS);
      yield chunk.slice(start, end);
      start = end;
    }
  }
}

/** What has not been passed on of the chunks that are sent over a connection, in characters. */
const unsentChunks = new WeakMap<object, number>();

export function unsentChunksOf(connection: object): number {
  return unsentChunks.get(connection) ?? 0;
}

/**
 * Like `slicesOf`, but counts what is left for `unsentChunksOf`, and yields to the event loop: a client that reads fast
 * would be sent everything at once.
 */
export async function* countedSlicesOf(
  chunks: readonly string[],
  connection: object,
  sender?: string,
): AsyncGenerator<string> {
  // Replies to several requests may wait on one connection.
  const count = (chars: number) => unsentChunks.set(connection, unsentChunksOf(connection) + chars);
  let left = chunks.reduce((sum, { length }) => sum + length, 0);
  count(left);
  try {
    const slices = new TimeSlicer(sender);
    for (const slice of slicesOf(chunks)) {
      left -= slice.length;
      count(-slice.length);
      yield slice;
      if (slices.isExpired) await slices.pause();
    }
  } finally {
    count(-left);
  }
}

/** The length of a body in bytes; undefined if measuring it would take several milliseconds. */
export function chunksLength(chunks: readonly string[]): number | undefined {
  const chars = chunks.reduce((sum, { length }) => sum + length, 0);
  if (chars > MAX_MEASURED_CHARS) return undefined;
  return chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
}
