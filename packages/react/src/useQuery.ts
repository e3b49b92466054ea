import type { ParseObject, Query } from "@purse/client";
import { type DependencyList, useMemo } from "react";
import type { QueryMap } from "./objectTypes.ts";
import { contentOf } from "./plainValues.ts";
import { useMoralisContext } from "./useMoralis.ts";

/** A query of a class, rebuilt when the content of `deps` changes or the client has started. */
export function useQuery<T extends ParseObject<object>>(
  nameOrObject: string | ParseObject<object>,
  queryMap: QueryMap<T> = (query) => query,
  deps: DependencyList = [],
): Query<T> {
  const { Moralis, isInitialized } = useMoralisContext();
  const className = typeof nameOrObject === "string" ? nameOrObject : nameOrObject.className;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as in react-moralis, by the given dependencies.
  return useMemo(() => queryMap(new Moralis.Query<T>(className)), [isInitialized, ...deps.map(contentOf)]);
}
