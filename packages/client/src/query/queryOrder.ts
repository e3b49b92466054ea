import type { JsonObject } from "@purse/protocol";
import type { ParseObject } from "../object/ParseObject.ts";

/** How a query sorts and limits its results. */
export interface QueryOrder {
  /** Compares objects in the order of the query; undefined if only the server can. */
  compare: ((a: ParseObject<object>, b: ParseObject<object>) => number) | undefined;
  limit: number;
  skip: number;
}

/**
 * The order of a query, to keep its results in that order. Ties are in the order of creation, as are queries without an
 * order of their own.
 */
export async function queryOrder(query: { toJSON(): JsonObject }): Promise<QueryOrder> {
  const parameters = query.toJSON();
  return (await import("./resultOrder.ts")).resultOrder(parameters);
}
