import { type Callbacks, withCallbacks } from "./callbacks.ts";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./observableStore.ts";
import { freezeDeep } from "./plainValues.ts";

export interface CallState<R> {
  data: R;
  error: CallError | null;
  isFetching: boolean;
  /** Whether a call has completed, with a result or an error. */
  isSettled: boolean;
}

/** The state of a repeatable call: the last started run determines it. */
export class AsyncCall<R, Initial = R> {
  readonly store: Store<CallState<R | Initial>>;
  readonly #initial: Initial;
  #runId = 0;
  /** Changes made while a call is running: they are applied to its result too. */
  #pendingChanges: ((before: R | Initial) => R | Initial)[] = [];

  constructor(initial: Initial) {
    this.#initial = initial;
    this.store = new Store<CallState<R | Initial>>({
      data: initial,
      error: null,
      isFetching: false,
      isSettled: false,
    });
  }

  /** Resolves with the result, or undefined if it failed. An aborted call does not change data or error. */
  run(work: () => Promise<R>, callbacks: Callbacks<R> = {}, signal?: AbortSignal): Promise<R | undefined> {
    return this.runShown(work, (result) => result, callbacks, signal);
  }

  /** Like `run`, but `data` is computed from the result by `show`; the caller receives the result itself. */
  runShown<Raw>(
    work: () => Promise<Raw>,
    show: (result: Raw) => R,
    callbacks: Callbacks<Raw> = {},
    signal?: AbortSignal,
  ): Promise<Raw | undefined> {
    this.#runId += 1;
    this.#pendingChanges = [];
    const runId = this.#runId;
    return withCallbacks(async () => {
      this.store.set({ isFetching: true, error: null });
      try {
        const result = freezeDeep(await work());
        if (runId === this.#runId) {
          // What is made of the frozen result may be changed by components, as in react-moralis.
          const data = this.#applyPendingChanges(show(result));
          this.#finish(runId, signal, { data, error: null });
        }
        return result;
      } catch (thrown) {
        const error = errorOf(thrown);
        this.#finish(runId, signal, { data: this.#initial, error });
        throw error;
      }
    }, callbacks);
  }

  readonly setData = (data: R | Initial | ((before: R | Initial) => R | Initial)): void => {
    const { data: before, isFetching } = this.store.get();
    if (data instanceof Function && isFetching) this.#pendingChanges.push(data);
    this.store.set({ data: freezeDeep(data instanceof Function ? data(before) : data), isSettled: true });
  };

  #applyPendingChanges(data: R): R | Initial {
    return this.#pendingChanges.reduce<R | Initial>((before, change) => freezeDeep(change(before)), data);
  }

  #finish(
    runId: number,
    signal: AbortSignal | undefined,
    result: Pick<CallState<R | Initial>, "data" | "error">,
  ): void {
    if (runId !== this.#runId) return;
    if (signal?.aborted) this.store.set({ isFetching: false });
    else this.store.set({ ...result, isFetching: false, isSettled: true });
  }
}
