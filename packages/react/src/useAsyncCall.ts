import { useCallback, useEffect, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks } from "./callbacks.ts";
import type { CallError } from "./errors.ts";
import { contentKey } from "./freeze.ts";
import { useStore } from "./store.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext } from "./useMoralis.ts";

export interface FetchOptions<R, P> extends Callbacks<R> {
  /** Laid over the hook's own. */
  params?: Partial<P>;
  /** Ends the call, which then fails with the signal's reason. */
  signal?: AbortSignal;
}

/** A call, what it has answered and how far it is. */
export interface AsyncCallResult<R, P, Initial = R> {
  /** Runs the call. Answers undefined where it failed. */
  fetch(options?: FetchOptions<R, P>): Promise<R | undefined>;
  /** Frozen; the initial value again after an error. */
  data: R | Initial;
  error: CallError | null;
  isFetching: boolean;
  /** While there is nothing to show yet. */
  isLoading: boolean;
  setData(data: R | Initial | ((before: R | Initial) => R | Initial)): void;
}

/** When a call runs. */
export interface AsyncCallOptions {
  /** Runs by itself once the client is ready, and again when the parameters change. */
  autoFetch?: boolean | undefined;
}

/** What a hook's function does; `signal` ends it when nobody waits any more. */
export type AsyncWork<R, P> = (params: P, options: { signal?: AbortSignal }) => Promise<R>;

/**
 * What the asynchronous hooks have in common. A call that runs by itself ends with the component and
 * with its parameters; one that was asked for goes on to its end. `subject` starts it anew when it changes.
 */
export function useAsyncCall<R, P extends object, Initial = R>(
  work: AsyncWork<R, P>,
  params: P,
  initial: Initial,
  { autoFetch = false }: AsyncCallOptions = {},
  resetKey?: unknown,
): AsyncCallResult<R, P, Initial> {
  const { isInitialized, initializeError } = useMoralisContext();
  const [call] = useState(() => new AsyncCall<R, Initial>(initial));
  const { data, error, isFetching, isSettled } = useStore(call.store);
  const latest = useLatest({ work, params });

  const fetch = useCallback(
    (options: FetchOptions<R, P> = {}) => {
      const [callbacks, { params: overrides, signal }] = splitCallbacks(options);
      const { work, params } = latest.current;
      return call.run(() => work({ ...params, ...overrides }, { signal }), callbacks, signal);
    },
    [call, latest],
  );

  const key = contentKey(params);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the parameters' content.
  useEffect(() => {
    if (!autoFetch || !isInitialized) return;
    const controller = new AbortController();
    void fetch({ signal: controller.signal });
    return () => controller.abort();
  }, [autoFetch, isInitialized, key, resetKey, fetch]);

  const isEmpty = data === null || data === undefined || (Array.isArray(data) && data.length === 0);
  // Before the first answer the call is about to begin.
  const isPending = autoFetch && !isSettled && !initializeError;
  return {
    fetch,
    data,
    error,
    isFetching,
    isLoading: (isFetching || isPending) && isEmpty,
    setData: call.setData,
  };
}

/** The same without `setData`, for hooks whose data only their call sets. */
export function withoutSetData<R, P, Initial>({
  setData: _,
  ...call
}: AsyncCallResult<R, P, Initial>): Omit<AsyncCallResult<R, P, Initial>, "setData"> {
  return call;
}
