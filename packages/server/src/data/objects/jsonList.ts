import { TimeSlicer } from "../../core/limits/timeSlicer.ts";

/** Texts shorter than this are not split into chunks. */
const MIN_CHUNK_CHARS = 64 * 1024;

/**
 * Concatenates `head`, the comma-separated texts, and `tail`. Long results are returned in chunks to avoid copying them
 * into one string.
 */
export function jsonListChunks(head: string, texts: readonly string[], tail: string): string[] {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  if (chars < MIN_CHUNK_CHARS) return [`${head}${texts.join()}${tail}`];
  const chunks: string[] = [];
  let chunk = head;
  texts.forEach((text, i) => {
    // Small texts are combined into one chunk.
    chunk += i === 0 ? text : `,${text}`;
    if (chunk.length < MIN_CHUNK_CHARS) return;
    chunks.push(chunk);
    chunk = "";
  });
  chunks.push(chunk + tail);
  return chunks;
}

/** A text of this many characters has a turn of the event loop of its own, however many are mapped at the same time. */
const LONG_CHARS = 256 * 1024;

/** Maps a list like Promise.all, but yields to the event loop if it takes long. */
export async function mapInSlices<T, U>(items: readonly T[], map: (item: T) => U | Promise<U>): Promise<U[]> {
  const results: (U | Promise<U>)[] = [];
  const settled: U[] = [];
  const slices = new TimeSlicer();
  for (const item of items) {
    if (slices.isExpired || (typeof item === "string" && item.length >= LONG_CHARS)) await slices.pause();
    const result = map(item);
    results.push(result);
    // The promise is awaited below; this avoids an unhandled rejection in the meantime.
    if (result instanceof Promise) result.catch(() => undefined);
    else settled.push(result);
  }
  return settled.length === results.length ? settled : Promise.all(results);
}
