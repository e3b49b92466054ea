import { ErrorCode, ProtocolError } from "@purse/protocol";
import { createRoute, type EndpointRoute } from "./routes.ts";
import { ENDPOINTS, type EndpointName } from "./table.ts";

/** API version that these endpoints are compatible with. */
export const API_VERSION = "2.0.0";

/** API version and endpoint weights. */
export function infoRoutes(): EndpointRoute[] {
  return [
    createRoute("web3ApiVersion", async () => ({ version: API_VERSION })),
    createRoute("endpointWeights", async () =>
      ENDPOINTS.map(({ name, path, weight }) => ({
        endpoint: name,
        path,
        rateLimitWeight: weight,
        price: weight,
      })),
    ),
  ];
}

/** Endpoints that are not available on this server respond with an error. */
export function unavailableRoutes(available: readonly EndpointRoute[]): EndpointRoute[] {
  const names = new Set<string>(available.map(({ functionName }) => functionName));
  return ENDPOINTS.filter(({ name }) => !names.has(name)).map(({ name }) => unavailableRoute(name));
}

function unavailableRoute(name: EndpointName): EndpointRoute {
  return createRoute(name, async () => {
    throw new ProtocolError(
      ErrorCode.COMMAND_UNAVAILABLE,
      `${name} is not available: no data source is configured on this server`,
      501,
    );
  });
}
