import type { ParseObject, Query } from "@purse/client";
import { AsyncCall } from "./asyncCall.ts";
import { contentKey } from "./plainValues.ts";

/** How long an unused result is cached, in ms: the component that suspended for it may still mount. */
const UNUSED_TTL_MS = 30_000;
/** The same for an error, so that a retry fetches again. */
const ERROR_TTL_MS = 1_000;

export interface CachedQuery {
  readonly call: AsyncCall<ParseObject[]>;
  /** Resolves when the first request has completed or failed. */
  readonly ready: Promise<unknown>;
  refetch(): Promise<ParseObject[] | undefined>;
  /** Keeps the result while it is used. Returns a function that releases it. */
  retain(): () => void;
}

/** Caches results for suspended components, whose own state React discards. */
export class QueryCache {
  readonly #queries = new Map<string, CachedQuery>();

  /** The key includes the user, because results differ by user. */
  get(query: Query, userId: string | undefined): CachedQuery {
    const key = contentKey([query.className, query.toJSON(), userId]);
    const known = this.#queries.get(key);
    if (known) return known;
    const created = this.#add(key, query);
    this.#queries.set(key, created);
    return created;
  }

  #add(key: string, query: Query): CachedQuery {
    const call = new AsyncCall<ParseObject[]>([]);
    const refetch = () => call.run(() => query.find());
    let retainCount = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const expire = () => {
      clearTimeout(timer);
      if (retainCount > 0) return;
      timer = setTimeout(
        () => this.#queries.delete(key),
        call.store.get().error ? ERROR_TTL_MS : UNUSED_TTL_MS,
      );
    };
    const ready = refetch().finally(expire);
    const retain = () => {
      retainCount += 1;
      clearTimeout(timer);
      return () => {
        retainCount -= 1;
        expire();
      };
    };
    return { call, ready, refetch, retain };
  }
}
