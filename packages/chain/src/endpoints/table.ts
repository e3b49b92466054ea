import { accountEndpoints } from "./rows/accounts.ts";
import { blockEndpoints } from "./rows/blocks.ts";
import { erc20Endpoints } from "./rows/erc20.ts";
import { nftEndpoints } from "./rows/nft.ts";
import type { EndpointRow } from "./rows/row.ts";
import { serviceEndpoints } from "./rows/services.ts";

export type { Cursor, EndpointRow, FolderFile, Hex, Kind, OrderField, ParameterRow } from "./rows/row.ts";

/**
 * The endpoints of the data service, in match order. Of this the checks of parameters, the routes, the OpenAPI
 * description, the readable page and the client's `Web3API` are made.
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

/** The row of an endpoint. */
export function endpointOf<Name extends EndpointName>(name: Name): EndpointOf<Name> {
  const found = ENDPOINTS.find((row): row is EndpointOf<Name> => row.name === name);
  if (found) return found;
  throw new Error(`There is no endpoint ${name}`);
}
