import { accountEndpoints } from "./rows/accounts.ts";
import { blockEndpoints } from "./rows/blocks.ts";
import { erc20Endpoints } from "./rows/erc20.ts";
import { nftEndpoints } from "./rows/nft.ts";
import type { EndpointRow } from "./rows/row.ts";
import { serviceEndpoints } from "./rows/services.ts";

export type { Cursor, EndpointRow, FolderFile, Hex, Kind, OrderField, ParameterRow } from "./rows/row.ts";

/**
 * The endpoints of the data API in match order. Parameter parsing, routes, the OpenAPI document, the documentation
 * page and the client's `Web3API` are generated from it.
 */
export const ENDPOINTS = [
  ...blockEndpoints,
  ...erc20Endpoints,
  ...nftEndpoints,
  ...serviceEndpoints,
  ...accountEndpoints,
] as const satisfies readonly EndpointRow[];

export type Endpoint = (typeof ENDPOINTS)[number];
export type EndpointName = Endpoint["name"];
export type EndpointOf<Name extends EndpointName> = Extract<Endpoint, { name: Name }>;

/** Finds the row of an endpoint. */
export function endpointOf<Name extends EndpointName>(name: Name): EndpointOf<Name> {
  const found = ENDPOINTS.find((row): row is EndpointOf<Name> => row.name === name);
  if (found) return found;
  throw new Error(`Unknown endpoint ${name}`);
}
