import type { ParseObject, Query, Subscription } from "@purse/client";

/** Merges the object of a live event into the list; must not mutate `all`. */
export type Merge<T extends ParseObject<object> = ParseObject> = (entity: T, all: T[]) => T[];

/** Custom merge functions by live event. */
export interface Merges<T extends ParseObject<object> = ParseObject> {
  onLiveCreate?: Merge<T>;
  onLiveEnter?: Merge<T>;
  onLiveUpdate?: Merge<T>;
  onLiveLeave?: Merge<T>;
  onLiveDelete?: Merge<T>;
}

const append = <T extends ParseObject<object>>(entity: T, all: T[]): T[] => [
  ...all.filter((each) => each.id !== entity.id),
  entity,
];
const replace = <T extends ParseObject<object>>(entity: T, all: T[]): T[] =>
  all.map((each) => (each.id === entity.id ? entity : each));
const remove = <T extends ParseObject<object>>(entity: T, all: T[]): T[] =>
  all.filter((each) => each.id !== entity.id);

/** Opens a live query. Returns a function that closes it, which may be called before it is open. */
export function openSubscription<T extends ParseObject<object>>(
  query: Query<T>,
  attach: (subscription: Subscription<T>) => void,
  onError: (error: unknown) => void,
): () => void {
  let isClosed = false;
  let subscription: Subscription<T> | undefined;
  query
    .subscribe()
    .then((openedSubscription) => {
      if (isClosed) return openedSubscription.unsubscribe();
      subscription = openedSubscription;
      attach(openedSubscription);
    })
    .catch((error: unknown) => {
      if (!isClosed) onError(error);
    });
  return () => {
    isClosed = true;
    void subscription?.unsubscribe();
  };
}

/**
 * The reads of a live query. Instances of an object share its data, so a response that is older than a live event, or
 * than a later read, would overwrite it: events are applied again after a response, and older reads start over.
 */
export class LiveReads<T extends ParseObject<object>> {
  readonly #running = new Set<AbortController>();
  #restores: (() => void)[] = [];

  /** Runs a query. Rejects with the reason of `signal`. */
  async read(query: Query<T>, signal?: AbortSignal): Promise<T[]> {
    const restart = new AbortController();
    if (this.#running.size === 0) this.#restores = [];
    this.#running.add(restart);
    try {
      const found = await query.find({ signal: AbortSignal.any([restart.signal, signal ?? []].flat()) });
      for (const restore of this.#restores) restore();
      return found;
    } catch (error) {
      if (!restart.signal.aborted || signal?.aborted) throw error;
    } finally {
      this.#running.delete(restart);
    }
    return this.read(query, signal);
  }

  /** Makes running reads start over; returns false if there are none. */
  restart(): boolean {
    const running = [...this.#running];
    for (const each of running) each.abort();
    return running.length > 0;
  }

  /** Records the object of an event, to be restored after the responses of running reads. */
  record(entity: T): void {
    if (this.#running.size === 0 || entity.dirty()) return;
    const json = entity.toJSON();
    this.#restores.push(() => entity._finishFetch({ ...json }));
  }
}

/** Applies the events of a live query to a list; `refetch` reads what was missed, also before it was open. */
export function mergeInto<T extends ParseObject<object>>(
  subscription: Subscription<T>,
  change: (by: (all: T[]) => T[]) => void,
  merges: () => Merges<T>,
  reads: LiveReads<T>,
  refetch: () => void,
): void {
  const merge = (custom: () => Merge<T> | undefined, defaultMerge: Merge<T>) => (entity: T) => {
    reads.record(entity);
    change((all) => (custom() ?? defaultMerge)(entity, [...all]));
  };
  subscription.on(
    "create",
    merge(() => merges().onLiveCreate, append),
  );
  subscription.on(
    "enter",
    merge(() => merges().onLiveEnter, append),
  );
  subscription.on(
    "update",
    merge(() => merges().onLiveUpdate, replace),
  );
  subscription.on(
    "leave",
    merge(() => merges().onLiveLeave, remove),
  );
  subscription.on(
    "delete",
    merge(() => merges().onLiveDelete, remove),
  );
  subscription.on("refetch", refetch);
  refetch();
}
