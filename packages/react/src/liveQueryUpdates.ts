import { ParseObject, type Query, type QueryOrder, type Subscription } from "@purse/client";

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

/**
 * Keeps a list in the order and within the limit of its query. What only the server can decide, such as which object
 * takes the place of one that left a full list, is read again by `reread`.
 */
class OrderedList<T extends ParseObject<object>> {
  readonly #order: QueryOrder;
  readonly #reread: () => void;

  constructor(order: QueryOrder, reread: () => void) {
    this.#order = order;
    this.#reread = reread;
  }

  /** Adds an object where it belongs. */
  readonly add: Merge<T> = (entity, all) => {
    const { compare, skip } = this.#order;
    // Objects before the first one are unknown.
    if (!compare || skip > 0) this.#reread();
    return this.#withObject(entity, all);
  };

  /** Moves an object to where its changed values belong. `original` is the object before. */
  readonly update = (entity: T, all: T[], original: unknown): T[] => {
    const { compare, limit, skip } = this.#order;
    const isKnown = all.some(({ id }) => id === entity.id);
    const isFull = all.length >= limit;
    if (isKnown && compare && original instanceof ParseObject && compare(original, entity) === 0) {
      return all.map((each) => (each.id === entity.id ? entity : each));
    }
    if (!compare || skip > 0) this.#reread();
    // An object that is not in a full list was behind its end.
    if (!isKnown) return isFull && compare && skip === 0 ? this.#withObject(entity, all) : all;
    const result = this.#withObject(entity, all);
    // Another object from behind the end may have taken its place.
    if (isFull && result.at(-1)?.id === entity.id) this.#reread();
    return result;
  };

  readonly remove: Merge<T> = (entity, all) => {
    const rest = all.filter(({ id }) => id !== entity.id);
    const { limit, skip } = this.#order;
    if (skip > 0 || (rest.length < all.length && all.length >= limit)) this.#reread();
    return rest;
  };

  #withObject(entity: T, all: readonly T[]): T[] {
    const others = all.filter(({ id }) => id !== entity.id);
    const at = this.#placeOf(
      entity,
      others,
      all.findIndex(({ id }) => id === entity.id),
    );
    return [...others.slice(0, at), entity, ...others.slice(at)].slice(0, this.#order.limit);
  }

  /** The place of an object among the others: its former one if that fits. */
  #placeOf(entity: T, others: readonly T[], before: number): number {
    const { compare } = this.#order;
    if (!compare) return before < 0 ? others.length : before;
    const isAfter = (other: T | undefined) => other === undefined || compare(other, entity) <= 0;
    const isBefore = (other: T | undefined) => other === undefined || compare(entity, other) <= 0;
    if (before >= 0 && isAfter(others[before - 1]) && isBefore(others[before])) return before;
    const at = others.findIndex((other) => compare(entity, other) < 0);
    return at < 0 ? others.length : at;
  }
}

/** Returns a function that runs `read` once for all calls in a turn, and again for calls while it is running. */
function coalesced(read: () => Promise<unknown>): () => void {
  let isRunning = false;
  let isRequested = false;
  const run = async () => {
    while (isRequested) {
      isRequested = false;
      await read();
    }
    isRunning = false;
  };
  return () => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    queueMicrotask(() => void run());
  };
}

type Attach<T extends ParseObject<object>> = (subscription: Subscription<T>) => void;

/**
 * Opens a live query, once the function that attaches listeners is there. Returns a function that closes it, which may be
 * called before it is open.
 */
export function openSubscription<T extends ParseObject<object>>(
  query: Query<T>,
  attach: Attach<T> | Promise<Attach<T>>,
  onError: (error: unknown) => void,
): () => void {
  let isClosed = false;
  let subscription: Subscription<T> | undefined;
  const open = async () => {
    const attachTo = await attach;
    if (isClosed) return;
    const openedSubscription = await query.subscribe();
    if (isClosed) return openedSubscription.unsubscribe();
    subscription = openedSubscription;
    attachTo(openedSubscription);
  };
  open().catch((error: unknown) => {
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

/**
 * Applies the events of a live query to its list in the order of the query; `fetch` reads what was missed, also before it was open, and what only
 * the server can decide.
 */
export function mergeInto<T extends ParseObject<object>>(
  order: QueryOrder,
  subscription: Subscription<T>,
  change: (by: (all: T[]) => T[]) => void,
  merges: () => Merges<T>,
  reads: LiveReads<T>,
  fetch: () => Promise<unknown>,
): void {
  const list = new OrderedList<T>(order, coalesced(fetch));
  const merge =
    (custom: () => Merge<T> | undefined, defaultMerge: (entity: T, all: T[], original: unknown) => T[]) =>
    (entity: T, original?: unknown) => {
      reads.record(entity);
      change((all) => custom()?.(entity, [...all]) ?? defaultMerge(entity, [...all], original));
    };
  subscription.on(
    "create",
    merge(() => merges().onLiveCreate, list.add),
  );
  subscription.on(
    "enter",
    merge(() => merges().onLiveEnter, list.add),
  );
  subscription.on(
    "update",
    merge(() => merges().onLiveUpdate, list.update),
  );
  subscription.on(
    "leave",
    merge(() => merges().onLiveLeave, list.remove),
  );
  subscription.on(
    "delete",
    merge(() => merges().onLiveDelete, list.remove),
  );
  const refetch = () => void (reads.restart() || fetch());
  subscription.on("refetch", refetch);
  refetch();
}
