import { type CallError, errorOf } from "./errors.ts";

/** The options of every function of the hooks. */
export interface Callbacks<R = unknown> {
  onSuccess?: (result: R) => void;
  onError?: (error: CallError) => void;
  onComplete?: () => void;
  /** Rejects with the error, after `onError`; without it the promise resolves to undefined. */
  throwOnError?: boolean;
}

/** Runs a task with the callbacks; resolves with its result, or undefined if it failed. */
export async function withCallbacks<R>(
  work: () => Promise<R>,
  callbacks: Callbacks<R> = {},
): Promise<R | undefined> {
  try {
    const result = await work();
    callbacks.onSuccess?.(result);
    return result;
  } catch (thrown) {
    const error = errorOf(thrown);
    callbacks.onError?.(error);
    if (callbacks.throwOnError) throw error;
    return undefined;
  } finally {
    callbacks.onComplete?.();
  }
}

/** Splits options into the callbacks and the rest. */
export function splitCallbacks<R, Rest extends object>(
  options: Rest & Callbacks<R>,
): [callbacks: Callbacks<R>, rest: Omit<Rest, keyof Callbacks>] {
  const { onSuccess, onError, onComplete, throwOnError, ...rest } = options;
  return [{ onSuccess, onError, onComplete, throwOnError }, rest];
}
