/** Ends a read that takes longer than `ms`; also one that does not listen to its signal. Rejects with a TimeoutError. */
export async function withTimeout<T>(
  read: (options: { signal: AbortSignal }) => Promise<T>,
  signal: AbortSignal,
  ms: number,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort);
  const timer = setTimeout(() => controller.abort(new DOMException("Request timed out", "TimeoutError")), ms);
  try {
    return await Promise.race([
      read({ signal: controller.signal }),
      new Promise<never>((_, reject) => {
        controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
      }),
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
