import type { Condition, JsonValue, Order } from "@purse/protocol";
import type { Schemas } from "../schema/schemas.ts";
import type { GroupRow, ObjectText, Store, StoreGroup } from "../store/store.ts";
import { idsCondition } from "./include.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";
import { createPrepareQuery } from "./subqueries.ts";

/** A query within a scope. */
export interface ScopedQuery {
  where: Condition;
  order?: Order[];
  /** Without one, all. */
  limit?: number;
  skip?: number;
  /** Whether objects carry `score`, how well they fit the text search of `where`. */
  score?: boolean;
  /** Whether the answer may be a little behind. */
  mayLag?: boolean;
}

/** Reads objects for callers. It only takes scopes, and authorizes the classes of sub-queries like direct reads. */
export interface ObjectReader {
  get(scope: ReadScope, objectId: string): Promise<ObjectText | undefined>;
  find(scope: ReadScope, query: ScopedQuery): Promise<ObjectText[]>;
  count(scope: ReadScope, where: Condition): Promise<number>;
  /** The values of a field, each once; arrays as a whole. */
  distinct(scope: ReadScope, where: Condition, path: [string, ...string[]]): Promise<JsonValue[]>;
  group(scope: ReadScope, where: Condition, group: StoreGroup): Promise<GroupRow[]>;
  /** The query plan of the database. */
  explain(scope: ReadScope, query: ScopedQuery): Promise<JsonValue>;
}

type ReadStore = Pick<Store, "get" | "find" | "count" | "distinct" | "group" | "explain">;

export function createObjectReader(store: ReadStore, access: ReadAccess, schemas: Schemas): ObjectReader {
  const prepare = createPrepareQuery(access, schemas);
  const queryOf = (scope: ReadScope, { where, order = [], limit, skip = 0, ...more }: ScopedQuery) => ({
    ...prepare(scope, where),
    ...more,
    order,
    limit,
    skip,
  });
  return {
    async get(scope, objectId) {
      const { schema, condition, principals } = scope;
      if (!condition) return store.get(schema, objectId, principals);
      const [text] = await store.find(queryOf(scope, { where: idsCondition([objectId]), limit: 1 }));
      return text;
    },
    find: async (scope, query) => store.find(queryOf(scope, query)),
    count: async (scope, where) => store.count(prepare(scope, where)),
    distinct: async (scope, where, path) => store.distinct(prepare(scope, where), path),
    group: async (scope, where, group) => store.group(prepare(scope, where), group),
    explain: async (scope, query) => store.explain(queryOf(scope, query)),
  };
}
