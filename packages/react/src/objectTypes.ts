import type { Attributes, ParseObject, Query } from "@purse/client";

/** The object type of a hook, from the type of the objects (`Post`) or, as in react-moralis, of their fields. */
export type ObjectOf<E extends object = Attributes> = E extends ParseObject<object> ? E : ParseObject<E>;

/** Adds constraints to the query of a class. */
export type QueryMap<T extends ParseObject<object> = ParseObject> = (query: Query<T>) => Query<T>;
