import type { JsonObject } from "@purse/protocol";
import type { Subscription as ClassSubscription } from "../live/Subscription.ts";
import type { ParseObject } from "../object/ParseObject.ts";
import type { ObjectClass } from "../object/registry.ts";
import { ClassQuery } from "./ClassQuery.ts";

export type { BatchOptions, CountedResults, QueryKey } from "./ClassQuery.ts";

/** A question about the objects of one class; of plain objects unless `T` says otherwise. */
export type Query<T extends ParseObject<object> = ParseObject> = ClassQuery<T>;

/** An open live query of plain objects, unless `T` says otherwise. */
export type Subscription<T extends ParseObject<object> = ParseObject> = ClassSubscription<T>;

/** `Query` as a class: ClassQuery itself, with ParseObject as what its objects are when nothing else is told. */
export interface QueryClass {
  new <T extends ParseObject<object> = ParseObject>(objectClass: string | ObjectClass<T>): Query<T>;
  readonly prototype: ClassQuery;
  /** A query of that class from JSON as `toJSON` writes it. */
  fromJSON(className: string, json: JsonObject): Query;
  /** Objects that any of the queries finds; all must be of one class. */
  or<T extends ParseObject<object>>(...queries: Query<T>[]): Query<T>;
  /** Objects that all of the queries find. */
  and<T extends ParseObject<object>>(...queries: Query<T>[]): Query<T>;
  /** Objects that none of the queries finds. */
  nor<T extends ParseObject<object>>(...queries: Query<T>[]): Query<T>;
}

/** Questions about the objects of one class: `new Query("Post").equalTo("likes", 3).find()`. */
export const Query: QueryClass = ClassQuery;
