import type { ParseObject, Query } from "@purse/client";
import { AsyncCall } from "./asyncCall.ts";
import { contentKey } from "./freeze.ts";

/** How long an answer that nobody shows is kept, in ms: a component that waits for it may come yet. */
const UNUSED_TTL_MS = 30_000;
/** The same for an error: whoever tries again asks again. */
const ERROR_TTL_MS = 1_000;

export interface CachedQuery {
  readonly call: AsyncCall<ParseObject[]>;
  /** Resolves when the first answer is there, whatever it is. */
  readonly ready: Promise<unknown>;
  refetch(): Promise<ParseObject[] | undefined>;
  /** Keeps the answer for as long as it is shown. Returns the way to let it go. */
  retain(): () => void;
}

/** The answers that suspended components wait for: React forgets their own state while they wait. */
export class QueryCache {
  readonly #queries = new Map<string, CachedQuery>();

  /** `userId` because people see different objects. */
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
