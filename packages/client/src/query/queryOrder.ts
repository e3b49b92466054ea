import type { JsonObject } from "@purse/protocol";
import type { QueryOrder } from "./resultOrder.ts";

export type { QueryOrder } from "./resultOrder.ts";

/**
 * The order of a query, to keep its results in that order. Ties are in the order of creation, as are queries without an
 * order of their own.
 */
export async function queryOrder(query: { toJSON(): JsonObject }): Promise<QueryOrder> {
  const parameters = query.toJSON();
  return (await import("./resultOrder.ts")).resultOrder(parameters);
}
