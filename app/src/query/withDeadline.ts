/** Ends a read that takes longer than `ms`; also one that does not listen to its signal. Rejects with a TimeoutError. */
export async function withDeadline<T>(
  read: (options: { signal: AbortSignal }) => Promise<T>,
  signal: AbortSignal,
  ms: number,
): Promise<T> {
  const ended = new AbortController();
  const abort = () => ended.abort(signal.reason);
  signal.addEventListener("abort", abort);
  const timer = setTimeout(() => ended.abort(new DOMException("No answer came in time", "TimeoutError")), ms);
  try {
    return await Promise.race([
      read({ signal: ended.signal }),
      new Promise<never>((_, reject) => {
        ended.signal.addEventListener("abort", () => reject(ended.signal.reason));
      }),
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
