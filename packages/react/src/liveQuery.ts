import type { ParseObject, Query, Subscription } from "@purse/client";

/** How an object that a live query tells of changes the list; `all` is never changed itself. */
export type Merge = (entity: ParseObject, all: ParseObject[]) => ParseObject[];

export interface Merges {
  onLiveCreate?: Merge;
  onLiveEnter?: Merge;
  onLiveUpdate?: Merge;
  onLiveLeave?: Merge;
  onLiveDelete?: Merge;
}

export const append: Merge = (entity, all) => [...all.filter((each) => each.id !== entity.id), entity];
export const replace: Merge = (entity, all) => all.map((each) => (each.id === entity.id ? entity : each));
export const remove: Merge = (entity, all) => all.filter((each) => each.id !== entity.id);

/** Opens a live query. Returns the way to close it, which may be called before it is open. */
export function openSubscription(
  query: Query,
  attach: (subscription: Subscription) => void,
  onError: (error: unknown) => void,
): () => void {
  let over = false;
  let subscription: Subscription | undefined;
  query
    .subscribe()
    .then((opened) => {
      if (over) return opened.unsubscribe();
      subscription = opened;
      attach(opened);
    })
    .catch((error: unknown) => {
      if (!over) onError(error);
    });
  return () => {
    over = true;
    void subscription?.unsubscribe();
  };
}

/** Keeps a list in step with a live query; `refetch` asks anew for what was missed, also before it was open. */
export function mergeInto(
  subscription: Subscription,
  change: (by: (all: ParseObject[]) => ParseObject[]) => void,
  merges: () => Merges,
  refetch: () => void,
): void {
  const merge = (chosen: () => Merge | undefined, usual: Merge) => (entity: ParseObject) =>
    change((all) => (chosen() ?? usual)(entity, [...all]));
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
