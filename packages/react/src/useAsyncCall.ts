import { useCallback, useEffect, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks } from "./callbacks.ts";
import type { CallError } from "./errors.ts";
import { contentKey } from "./freeze.ts";
import { useStore } from "./store.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext } from "./useMoralis.ts";

export interface FetchOptions<R, P> extends Callbacks<R> {
  /** Overrides parameters of the hook. */
  params?: Partial<P>;
  /** Aborts the call, which then fails with the signal's reason. */
  signal?: AbortSignal;
}

/** A call with its state and result. */
export interface AsyncCallResult<R, P, Initial = R> {
  /** Runs the call. Resolves with undefined if it failed. */
  fetch(options?: FetchOptions<R, P>): Promise<R | undefined>;
  /** Frozen; reset to the initial value after an error. */
  data: R | Initial;
  error: CallError | null;
  isFetching: boolean;
  /** Whether it is fetching or about to, and there is no data yet. */
  isLoading: boolean;
  setData(data: R | Initial | ((before: R | Initial) => R | Initial)): void;
}

/** When a call runs. */
export interface AsyncCallOptions {
  /** Runs automatically once the client is ready, and again when the parameters change. */
  autoFetch?: boolean | undefined;
}

/** The function of a hook; `signal` aborts it. */
export type AsyncWork<R, P> = (params: P, options: { signal?: AbortSignal }) => Promise<R>;

/**
 * The base of the asynchronous hooks. An automatic call is aborted when the component unmounts or
 * its parameters change; a manual one is not. A change of `resetKey` restarts it.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the parameters' content.
  useEffect(() => {
    if (!autoFetch || !isInitialized) return;
    const controller = new AbortController();
    void fetch({ signal: controller.signal });
    return () => controller.abort();
  }, [autoFetch, isInitialized, key, resetKey, fetch]);

  const isEmpty = data === null || data === undefined || (Array.isArray(data) && data.length === 0);
  // Before the first result the call is about to start.
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

/** Removes `setData`, for hooks whose data is set only by their call. */
export function withoutSetData<R, P, Initial>({
  setData: _,
  ...call
}: AsyncCallResult<R, P, Initial>): Omit<AsyncCallResult<R, P, Initial>, "setData"> {
  return call;
}
