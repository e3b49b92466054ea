/** The content of a URI is permanently unavailable: it is too large, or requests to its address are not allowed. */
export class ContentUnavailableError extends Error {
  override readonly name = "ContentUnavailableError";
}

/**
 * Fetches an untrusted http, https or ipfs URI. Rejects with ContentUnavailableError if the request is not allowed or
 * the content exceeds `maxBytes`; with other errors if a retry may succeed.
 */
export type FetchContent = (
  uri: string,
  limits: { maxBytes: number; signal: AbortSignal },
) => Promise<Uint8Array>;

/** Result of a fetch, as a worker message. */
export type FetchedContent = { bytes: Uint8Array } | { problem: string; isFinal: boolean };

/** Fetches with a deadline, even if the source ignores the signal. */
export async function fetchWithDeadline(
  fetchContent: FetchContent,
  uri: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FetchedContent> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(new Error("the request timed out"));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    const bytes = await Promise.race([fetchContent(uri, { maxBytes, signal }), aborted.promise]);
    return bytes.length > maxBytes
      ? { problem: `it is larger than ${maxBytes} bytes`, isFinal: true }
      : { bytes };
  } catch (error) {
    const reason = signal.aborted ? "the request timed out" : messageOf(error);
    return { problem: reason, isFinal: error instanceof ContentUnavailableError };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll("\0", "").slice(0, 300);
}
