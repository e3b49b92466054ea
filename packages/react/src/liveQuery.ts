import type { ParseObject, Query, Subscription } from "@purse/client";

/** How an object that a live query tells of changes the list; `all` is never changed itself. */
export type Merge<T extends ParseObject<object> = ParseObject> = (entity: T, all: T[]) => T[];

/** How changes on the server change a live list, where not by the usual way. */
export interface Merges<T extends ParseObject<object> = ParseObject> {
  onLiveCreate?: Merge<T>;
  onLiveEnter?: Merge<T>;
  onLiveUpdate?: Merge<T>;
  onLiveLeave?: Merge<T>;
  onLiveDelete?: Merge<T>;
}

export const append = <T extends ParseObject<object>>(entity: T, all: T[]): T[] => [
  ...all.filter((each) => each.id !== entity.id),
  entity,
];
export const replace = <T extends ParseObject<object>>(entity: T, all: T[]): T[] =>
  all.map((each) => (each.id === entity.id ? entity : each));
export const remove = <T extends ParseObject<object>>(entity: T, all: T[]): T[] =>
  all.filter((each) => each.id !== entity.id);

/** Opens a live query. Returns the way to close it, which may be called before it is open. */
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

/** Keeps a list in step with a live query; `refetch` asks anew for what was missed, also before it was open. */
export function mergeInto<T extends ParseObject<object>>(
  subscription: Subscription<T>,
  change: (by: (all: T[]) => T[]) => void,
  merges: () => Merges<T>,
  refetch: () => void,
): void {
  const merge = (custom: () => Merge<T> | undefined, defaultMerge: Merge<T>) => (entity: T) =>
    change((all) => (custom() ?? defaultMerge)(entity, [...all]));
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
