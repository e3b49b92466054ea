import type { Condition, JsonValue, Order } from "@purse/protocol";
import type { ObjectText } from "../../database/objectText.ts";
import type { GroupRow, Store, StoreGroup } from "../../database/store.ts";
import type { Schemas } from "../schema/schemas.ts";
import { idsCondition } from "./include.ts";
import { createPrepareQuery } from "./prepareQuery.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

/** A query within a read scope. */
interface ScopedQuery {
  where: Condition;
  order?: Order[];
  /** Undefined for no limit. */
  limit?: number;
  skip?: number;
  /** Whether objects get a `score`, their relevance for the text search of `where`. */
  includeScore?: boolean;
  /** Whether the result may be slightly stale, from a replica. */
  allowsStaleRead?: boolean;
}

/**
 * Reads objects for clients. Takes only authorized scopes, and authorizes the classes of sub-queries like direct reads.
 */
export interface ObjectReader {
  get(scope: ReadScope, objectId: string): Promise<ObjectText | undefined>;
  find(scope: ReadScope, query: ScopedQuery): Promise<readonly ObjectText[]>;
  count(scope: ReadScope, where: Condition): Promise<number>;
  /** Returns the distinct values of a field; arrays count as a whole. */
  distinct(scope: ReadScope, where: Condition, path: [string, ...string[]]): Promise<JsonValue[]>;
  group(scope: ReadScope, where: Condition, group: StoreGroup): Promise<GroupRow[]>;
  /** Returns the query plan of the database. */
  explain(scope: ReadScope, query: ScopedQuery): Promise<JsonValue>;
}

type ReadStore = Pick<Store, "get" | "find" | "count" | "distinct" | "group" | "explain">;

export function createObjectReader(store: ReadStore, access: ReadAccess, schemas: Schemas): ObjectReader {
  const prepare = createPrepareQuery(access, schemas);
  const toStoreQuery = (scope: ReadScope, { where, order = [], limit, skip = 0, ...more }: ScopedQuery) => ({
    ...prepare(scope, where),
    ...more,
    order,
    limit,
    skip,
  });
  return {
    get(scope, objectId) {
      const { schema, condition, subjects } = scope;
      if (!condition) return store.get(schema, objectId, subjects);
      return store
        .find(toStoreQuery(scope, { where: idsCondition([objectId]), limit: 1 }))
        .then(([text]) => text);
    },
    find: (scope, query) => store.find(toStoreQuery(scope, query)),
    count: async (scope, where) => store.count(prepare(scope, where)),
    distinct: async (scope, where, path) => store.distinct(prepare(scope, where), path),
    group: async (scope, where, group) => store.group(prepare(scope, where), group),
    explain: async (scope, query) => store.explain(toStoreQuery(scope, query)),
  };
}
