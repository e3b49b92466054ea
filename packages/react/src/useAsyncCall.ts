import { useCallback, useEffect, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks } from "./callbacks.ts";
import type { CallError } from "./errors.ts";
import { useStore } from "./observableStore.ts";
import { contentKey } from "./plainValues.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext } from "./useMoralis.ts";

export interface FetchOptions<R, P> extends Callbacks<R> {
  /** Overrides parameters of the hook. */
  params?: Partial<P>;
  /** Aborts the call, which then fails with the signal's reason. */
  signal?: AbortSignal;
}

/** A call with its state and result. */
export interface AsyncCallResult<R, P, Initial = R, Raw = R> {
  /** Runs the call. Resolves with undefined if it failed. */
  fetch(options?: FetchOptions<Raw, P>): Promise<Raw | undefined>;
  /** Frozen, unless it is made of the result; reset to the initial value after an error. */
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
  options?: AsyncCallOptions,
  resetKey?: unknown,
): AsyncCallResult<R, P, Initial> {
  return useShownCall(work, itself, params, initial, options, resetKey);
}

function itself<R>(result: R): R {
  return result;
}

/**
 * Like `useAsyncCall`, but `data` is computed from the result by `show`; promises and callbacks receive the result
 * itself.
 */
export function useShownCall<Raw, R, P extends object, Initial = R>(
  work: AsyncWork<Raw, P>,
  show: (result: Raw, params: P) => R,
  params: P,
  initial: Initial,
  { autoFetch = false }: AsyncCallOptions = {},
  resetKey?: unknown,
): AsyncCallResult<R, P, Initial, Raw> {
  const { isInitialized, initializeError } = useMoralisContext();
  const [call] = useState(() => new AsyncCall<R, Initial>(initial));
  const { data, error, isFetching, isSettled } = useStore(call.store);
  const latest = useLatest({ work, show, params });

  const fetch = useCallback(
    (options: FetchOptions<Raw, P> = {}) => {
      const [callbacks, { params: overrides, signal }] = splitCallbacks(options);
      const { work, show, params } = latest.current;
      const given = { ...params, ...overrides };
      return call.runShown(
        () => work(given, { signal }),
        (result) => show(result, given),
        callbacks,
        signal,
      );
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
export function withoutSetData<R, P, Initial, Raw>({
  setData: _,
  ...call
}: AsyncCallResult<R, P, Initial, Raw>): Omit<AsyncCallResult<R, P, Initial, Raw>, "setData"> {
  return call;
}
