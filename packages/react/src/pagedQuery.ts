import type { Moralis, ParseObject, Query } from "@purse/client";
import { type CallError, errorOf } from "./errors.ts";
import { Store } from "./observableStore.ts";

/** Pagination options. */
export interface PageOptions {
  /** Objects in a page; 20 by default. */
  pageSize?: number;
  /**
   * The field of cursor pagination, for lists that change while users read: each page begins
   * after the last object of the previous one, and the query's own order is ignored. Every object must have
   * the field. Without it `skip` is used.
   */
  cursor?: { field: string; descending?: boolean };
}

export interface PagedState {
  pages: readonly (readonly ParseObject[])[];
  /** The objects of all pages; each object once. */
  data: readonly ParseObject[];
  error: CallError | null;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  hasNextPage: boolean;
}

const INITIAL_STATE: PagedState = {
  pages: [],
  data: [],
  error: null,
  isFetching: false,
  isFetchingNextPage: false,
  hasNextPage: true,
};

/** Paginates a query. `makeQuery` returns a new query each time. */
export class PagedQuery {
  readonly store = new Store<PagedState>(INITIAL_STATE);
  readonly #makeQuery: () => Query;
  readonly #Query: typeof Moralis.Query;
  readonly #size: number;
  readonly #cursor: PageOptions["cursor"];
  #running: AbortController | undefined;

  constructor(makeQuery: () => Query, core: typeof Moralis, { pageSize = 20, cursor }: PageOptions) {
    this.#makeQuery = makeQuery;
    this.#Query = core.Query;
    this.#size = pageSize;
    this.#cursor = cursor;
  }

  /** Starts over with the first page. */
  readonly refetch = (): Promise<void> => this.#fetch([]);

  /** Does nothing while a page is loading or after the last one. */
  readonly fetchNextPage = async (): Promise<void> => {
    const { isFetching, hasNextPage, pages } = this.store.get();
    if (!isFetching && hasNextPage) await this.#fetch(pages);
  };

  /** Aborts the running request. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.store.set({ isFetching: false, isFetchingNextPage: false });
  }

  async #fetch(previousPages: PagedState["pages"]): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.store.set({ isFetching: true, isFetchingNextPage: previousPages.length > 0, error: null });
    const finish = (change: Partial<PagedState>) => {
      if (this.#running !== running) return;
      this.store.set({ ...change, isFetching: false, isFetchingNextPage: false });
    };
    try {
      const found = await this.#page(previousPages).find({ signal: running.signal });
      const pages = Object.freeze([...previousPages, Object.freeze(found)]);
      finish({ pages, data: uniqueObjects(pages), hasNextPage: found.length === this.#size });
    } catch (thrown) {
      finish({ error: errorOf(thrown) });
    }
  }

  #page(previousPages: PagedState["pages"]): Query {
    const query = this.#makeQuery();
    if (!this.#cursor) return query.limit(this.#size).skip(previousPages.length * this.#size);
    const { field, descending = false } = this.#cursor;
    const last = previousPages.at(-1)?.at(-1);
    const next = last ? this.#after(query, last, field, descending) : query;
    const order = field === "objectId" ? [field] : [field, "objectId"];
    return (descending ? next.descending(order) : next.ascending(order)).limit(this.#size);
  }

  /** The objects after an object; the id orders equal values. */
  #after(query: Query, last: ParseObject, field: string, descending: boolean): Query {
    const comparedWith = (on: Query, name: string, value: unknown) =>
      descending ? on.lessThan(name, value) : on.greaterThan(name, value);
    const newQuery = () => new this.#Query(query.className);
    const value = fieldOf(last, field);
    const alternatives = [comparedWith(newQuery(), field, value)];
    if (field !== "objectId") {
      alternatives.push(comparedWith(newQuery().equalTo(field, value), "objectId", last.id));
    }
    const { where = {}, ...json } = query.toJSON();
    const wheres = alternatives.map((each) => each.toJSON().where ?? {});
    return this.#Query.fromJSON(query.className, { ...json, where: { $and: [where, { $or: wheres }] } });
  }
}

function fieldOf(object: ParseObject, field: string): unknown {
  if (field === "objectId") return object.id;
  if (field === "createdAt") return object.createdAt;
  if (field === "updatedAt") return object.updatedAt;
  return object.get(field);
}

function uniqueObjects(pages: PagedState["pages"]): readonly ParseObject[] {
  const byId = new Map(pages.flat().map((object) => [object.id, object]));
  return Object.freeze([...byId.values()]);
}
