import { type CallError, errorOf } from "./errors.ts";

/** What every function of the hooks takes beside its parameters. */
export interface Callbacks<R = unknown> {
  onSuccess?: (result: R) => void;
  onError?: (error: CallError) => void;
  onComplete?: () => void;
  /** Rejects with the error, after `onError`; without it the promise resolves to undefined. */
  throwOnError?: boolean;
}

/** Runs work with the callbacks around it; answers its result, or undefined where it failed. */
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

/** The callbacks of a function's options, and what else they say. */
export function splitCallbacks<R, Rest extends object>(
  options: Rest & Callbacks<R>,
): [callbacks: Callbacks<R>, rest: Omit<Rest, keyof Callbacks>] {
  const { onSuccess, onError, onComplete, throwOnError, ...rest } = options;
  return [{ onSuccess, onError, onComplete, throwOnError }, rest];
}
