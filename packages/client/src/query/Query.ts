import type { JsonObject } from "@purse/protocol";
import type { Subscription as ClassSubscription } from "../live/Subscription.ts";
import type { ParseObject } from "../object/ParseObject.ts";
import type { ObjectClass } from "../object/registry.ts";
import { ClassQuery } from "./ClassQuery.ts";

export type { BatchOptions, CountedResults, QueryKey } from "./ClassQuery.ts";

/** A query for the objects of one class; `T` defaults to ParseObject. */
export type Query<T extends ParseObject<object> = ParseObject> = ClassQuery<T>;

/** An open live query; `T` defaults to ParseObject. */
export type Subscription<T extends ParseObject<object> = ParseObject> = ClassSubscription<T>;

/** The type of `Query`: ClassQuery with ParseObject as the default type of its objects. */
export interface QueryClass {
  new <T extends ParseObject<object> = ParseObject>(objectClass: string | ObjectClass<T>): Query<T>;
  readonly prototype: ClassQuery;
  /** Creates a query from the JSON of `toJSON`. */
  fromJSON(className: string, json: JsonObject): Query;
  /** Objects that match any of the queries; all must be of the same class. */
  or<T extends ParseObject<object>>(...queries: Query<T>[]): Query<T>;
  /** Objects that match all of the queries. */
  and<T extends ParseObject<object>>(...queries: Query<T>[]): Query<T>;
  /** Objects that match none of the queries. */
  nor<T extends ParseObject<object>>(...queries: Query<T>[]): Query<T>;
}

/** Queries the objects of one class: `new Query("Post").equalTo("likes", 3).find()`. */
export const Query: QueryClass = ClassQuery;
