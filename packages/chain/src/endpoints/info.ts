import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type EndpointRoute, routeOf } from "./routes.ts";
import { ENDPOINTS, type EndpointName } from "./table.ts";

/** The version of the API that these endpoints are compatible with. */
export const API_VERSION = "2.0.0";

/** What the service says of itself: its version, and what calls weigh. */
export function infoRoutes(): EndpointRoute[] {
  return [
    routeOf("web3ApiVersion", async () => ({ version: API_VERSION })),
    routeOf("endpointWeights", async () =>
      ENDPOINTS.map(({ name, path, weight }) => ({
        endpoint: name,
        path,
        rateLimitWeight: weight,
        price: weight,
      })),
    ),
  ];
}

/** What of the table has no source on this server says so. */
export function absentRoutes(present: readonly EndpointRoute[]): EndpointRoute[] {
  const names = new Set<string>(present.map(({ functionName }) => functionName));
  return ENDPOINTS.filter(({ name }) => !names.has(name)).map(({ name }) => absentRoute(name));
}

function absentRoute(name: EndpointName): EndpointRoute {
  return routeOf(name, async () => {
    throw new ProtocolError(
      ErrorCode.COMMAND_UNAVAILABLE,
      `${name} has no source on this server: none is configured for it`,
      501,
    );
  });
}
