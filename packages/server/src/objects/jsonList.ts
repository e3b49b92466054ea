/** A text of fewer characters is not worth sending in pieces. */
const MIN_PIECES_CHARS = 64 * 1024;
/** How long work on a list may hold the event loop, in ms. */
const SLICE_MS = 10;

/**
 * `head`, the texts with commas between them, and `tail`: as one text or, where it is long, in pieces, so that the
 * texts need not be copied into one.
 */
export function listPieces(head: string, texts: readonly string[], tail: string): string[] {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  if (chars < MIN_PIECES_CHARS) return [`${head}${texts.join()}${tail}`];
  const pieces: string[] = [];
  let open = head;
  texts.forEach((text, i) => {
    // Many small texts are sent together.
    open += i === 0 ? text : `,${text}`;
    if (open.length < MIN_PIECES_CHARS) return;
    pieces.push(open);
    open = "";
  });
  pieces.push(open + tail);
  return pieces;
}

/** Maps a list as Promise.all does, and lets others use the event loop in between where that takes long. */
export async function mapInSlices<T, U>(items: readonly T[], map: (item: T) => U | Promise<U>): Promise<U[]> {
  const results: (U | Promise<U>)[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const item of items) {
    const result = map(item);
    // It is awaited below; until then nobody looks.
    if (result instanceof Promise) result.catch(() => undefined);
    results.push(result);
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceEnd = performance.now() + SLICE_MS;
  }
  return Promise.all(results);
}
