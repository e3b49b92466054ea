import type { ParseObject } from "../object/ParseObject.ts";
import type { Query } from "../query/Query.ts";
import { Subscription } from "./Subscription.ts";
export async function liveQueryClient(): Promise<{
  subscribe<T extends ParseObject<object>>(query: Query<T>, sessionToken?: string): Subscription<T>;
}> {
  throw new Error("not yet");
}
export { Subscription };
