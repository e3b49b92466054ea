import { useCallback, useEffect, useRef, useState } from "react";
import { type Callbacks, withCallbacks } from "./callbacks.ts";
import { useMoralisContext } from "./useMoralis.ts";

export interface AsyncCall<R, P> {
  /** Runs the call; `params` are laid over the hook's own. Answers undefined where it failed. */
  fetch(options?: { params?: Partial<P> } & Callbacks<R>): Promise<R | undefined>;
  data: R;
  error: unknown;
  isFetching: boolean;
  /** While there is nothing to show yet. */
  isLoading: boolean;
  setData(data: R | ((before: R) => R)): void;
}

export interface AsyncCallOptions {
  /** Runs by itself once the client is ready, and again when the parameters change. */
  autoFetch?: boolean | undefined;
}

/** What the asynchronous hooks have in common: one call at a time counts, the last one; nothing is set after unmounting. */
export function useAsyncCall<R, P extends object>(
  call: (params: P) => Promise<R>,
  params: P,
  initial: R,
  { autoFetch = false }: AsyncCallOptions = {},
): AsyncCall<R, P> {
  const { isInitialized } = useMoralisContext();
  const [state, setState] = useState({ data: initial, error: null as unknown, isFetching: false });
  const latest = useRef({ call, params, initial });
  latest.current = { call, params, initial };
  const turn = useRef(0);

  const fetch = useCallback((options: { params?: Partial<P> } & Callbacks<R> = {}) => {
    const { params: given, ...callbacks } = options;
    const mine = ++turn.current;
    const isCurrent = () => turn.current === mine;
    return withCallbacks(async () => {
      setState((before) => ({ ...before, isFetching: true, error: null }));
      try {
        const data = await latest.current.call({ ...latest.current.params, ...given });
        if (isCurrent()) setState({ data, error: null, isFetching: false });
        return data;
      } catch (error) {
        if (isCurrent()) setState({ data: latest.current.initial, error, isFetching: false });
        throw error;
      }
    }, callbacks);
  }, []);

  const setData = useCallback((data: R | ((before: R) => R)) => {
    setState((before) => ({ ...before, data: data instanceof Function ? data(before.data) : data }));
  }, []);

  const shape = JSON.stringify(params, (_, value) => (typeof value === "bigint" ? String(value) : value));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the parameters' content.
  useEffect(() => {
    if (autoFetch && isInitialized) void fetch();
  }, [autoFetch, isInitialized, shape, fetch]);

  // What comes back after this is nobody's any more.
  useEffect(
    () => () => {
      turn.current += 1;
    },
    [],
  );

  const isEmpty =
    state.data === null || state.data === undefined || (Array.isArray(state.data) && state.data.length === 0);
  // Before the first answer the call is about to begin.
  const isPending = autoFetch && !isInitialized;
  return { ...state, fetch, setData, isLoading: (state.isFetching || isPending) && isEmpty };
}
