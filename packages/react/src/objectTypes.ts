import type { Attributes, ParseObject, Query } from "@purse/client";

/** The objects that a hook gives, told by their type (`Post`) or, as the old hooks took it, by their fields alone. */
export type ObjectOf<E extends object = Attributes> = E extends ParseObject<object> ? E : ParseObject<E>;

/** Lays constraints on the query of a class. */
export type QueryMap<T extends ParseObject<object> = ParseObject> = (query: Query<T>) => Query<T>;
