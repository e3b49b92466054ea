/** Rejects with a TimeoutError if `read` takes longer than `ms`, even if it ignores its signal. */
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
