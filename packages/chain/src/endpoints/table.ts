import type { z } from "zod";
import { accountEndpoints } from "./rows/accounts.ts";
import { blockEndpoints } from "./rows/blocks.ts";
import { collectionEndpoints } from "./rows/collections.ts";
import { erc20Endpoints } from "./rows/erc20.ts";
import { nftEndpoints } from "./rows/nft.ts";
import type { EndpointRow, EndpointRows } from "./rows/row.ts";
import { serviceEndpoints } from "./rows/services.ts";
import { userOperationEndpoints } from "./rows/userOperations.ts";
import { walletEndpoints } from "./rows/wallets.ts";

/**
 * The endpoints of the data API in match order. Parameter parsing, routes, the OpenAPI document and the client's
 * `Web3API` are generated from it.
 */
export const ENDPOINTS = {
  ...blockEndpoints,
  ...erc20Endpoints,
  ...collectionEndpoints,
  ...nftEndpoints,
  ...serviceEndpoints,
  ...userOperationEndpoints,
  ...walletEndpoints,
  ...accountEndpoints,
} as const satisfies EndpointRows;

type Endpoints = typeof ENDPOINTS;
export type EndpointName = keyof Endpoints;

/** Parsed parameters of each endpoint, with defaults applied. */
export type EndpointParameters = { [Name in EndpointName]: z.output<Endpoints[Name]["parameters"]> };

/** The response of each endpoint. */
export type EndpointResponses = { [Name in EndpointName]: z.output<Endpoints[Name]["response"]> };

/** A row whose parameters are parsed to a type. */
export type TypedRow<Parsed> = EndpointRow & { parameters: z.ZodType<Parsed> };

/** The rows with the types of their parameters, for functions that are generic in the name. */
export const TYPED_ENDPOINTS: { readonly [Name in EndpointName]: TypedRow<EndpointParameters[Name]> } =
  ENDPOINTS;

export const ENDPOINT_NAMES = keysOf(ENDPOINTS);

function keysOf<Rows extends EndpointRows>(rows: Rows) {
  const names: Extract<keyof Rows, string>[] = [];
  for (const name in rows) names.push(name);
  return names;
}
