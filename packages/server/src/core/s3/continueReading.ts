/**
 * Yields the content that `request` returns. The S3 client closes a connection that is silent for too long, also because its
 * reader has paused: the rest is requested then, unless nothing has arrived since the last request.
 */
export async function* continueReading(
  request: (receivedBytes: number) => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  let receivedBytes = 0;
  for (;;) {
    const requestedFrom = receivedBytes;
    const content = await request(requestedFrom);
    try {
      for await (const chunk of content) {
        receivedBytes += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      if (receivedBytes === requestedFrom || !isTimeout(error)) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
