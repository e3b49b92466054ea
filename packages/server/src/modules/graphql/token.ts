import { token } from "@purse/kernel";
import type { GraphqlApi } from "./graphqlApi.ts";

/** Executes GraphQL operations. Throws 108 if the API is turned off. */
export type Graphql = Pick<GraphqlApi, "execute">;

export const GRAPHQL = token<Graphql>("graphql");
