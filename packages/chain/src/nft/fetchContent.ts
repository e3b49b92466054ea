/** What a URI names will not be read by another try either: it is too large, or at an address that is not asked. */
export class ContentRefused extends Error {
  override readonly name = "ContentRefused";
}

/**
 * Fetches what an http, https or ipfs URI names, which somebody has written whom nobody vouches for. Rejects with
 * ContentRefused where it may not be fetched, or is larger than `maxBytes`; with any other Error where another try
 * may succeed.
 */
export type FetchContent = (
  uri: string,
  limits: { maxBytes: number; signal: AbortSignal },
) => Promise<Uint8Array>;

/** What a fetch has come to, as threads tell each other. */
export type FetchedContent = { bytes: Uint8Array } | { problem: string; isFinal: boolean };

/** Fetches within a time, whatever the source does. */
export async function fetchWithin(
  fetchContent: FetchContent,
  uri: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FetchedContent> {
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(new Error("it was not there in time"));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    const bytes = await Promise.race([fetchContent(uri, { maxBytes, signal }), ended.promise]);
    return bytes.length > maxBytes
      ? { problem: `it is larger than ${maxBytes} bytes`, isFinal: true }
      : { bytes };
  } catch (error) {
    const why = signal.aborted ? "it was not there in time" : messageOf(error);
    return { problem: why, isFinal: error instanceof ContentRefused };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll("\0", "").slice(0, 300);
}
