import { type Callbacks, withCallbacks } from "./callbacks.ts";
import { type CallError, errorOf } from "./errors.ts";
import { freezeDeep } from "./freeze.ts";
import { Store } from "./store.ts";

export interface CallState<R> {
  data: R;
  error: CallError | null;
  isFetching: boolean;
  /** Whether a call has ended, with a result or an error. */
  isSettled: boolean;
}

/** The state of a call that is made again and again: the one that began last counts. */
export class AsyncCall<R, Initial = R> {
  readonly store: Store<CallState<R | Initial>>;
  readonly #initial: Initial;
  #turn = 0;
  /** Changes made while a call is under way: they are made to what it answers too. */
  #late: ((before: R | Initial) => R | Initial)[] = [];

  constructor(initial: Initial) {
    this.#initial = initial;
    this.store = new Store<CallState<R | Initial>>({
      data: initial,
      error: null,
      isFetching: false,
      isSettled: false,
    });
  }

  /** Answers the result, or undefined where it failed. A call that was aborted leaves the state as it was. */
  run(work: () => Promise<R>, callbacks: Callbacks<R> = {}, signal?: AbortSignal): Promise<R | undefined> {
    this.#turn += 1;
    this.#late = [];
    const mine = this.#turn;
    return withCallbacks(async () => {
      this.store.set({ isFetching: true, error: null });
      try {
        const data = await work();
        if (mine === this.#turn)
          this.#end(mine, signal, { data: freezeDeep(this.#changed(data)), error: null });
        return data;
      } catch (thrown) {
        const error = errorOf(thrown);
        this.#end(mine, signal, { data: this.#initial, error });
        throw error;
      }
    }, callbacks);
  }

  readonly setData = (data: R | Initial | ((before: R | Initial) => R | Initial)): void => {
    const { data: before, isFetching } = this.store.get();
    if (data instanceof Function && isFetching) this.#late.push(data);
    this.store.set({ data: freezeDeep(data instanceof Function ? data(before) : data), isSettled: true });
  };

  #changed(data: R): R | Initial {
    return this.#late.reduce<R | Initial>((before, change) => change(before), data);
  }

  #end(
    turn: number,
    signal: AbortSignal | undefined,
    outcome: Pick<CallState<R | Initial>, "data" | "error">,
  ): void {
    if (turn !== this.#turn) return;
    if (signal?.aborted) this.store.set({ isFetching: false });
    else this.store.set({ ...outcome, isFetching: false, isSettled: true });
  }
}
