import type { Route } from "../types.ts";

/** The version of the API that these endpoints are compatible with. */
export const API_VERSION = "2.0.0";

/** What the service says of itself: its version, and what calls weigh (all alike, on one's own server). */
export function infoRoutes(others: Route[]): Route[] {
  const routes: Route[] = [
    {
      method: "GET",
      path: "/web3/version",
      functionName: "web3ApiVersion",
      run: async () => ({ version: API_VERSION }),
    },
    {
      method: "GET",
      path: "/info/endpointWeights",
      functionName: "endpointWeights",
      run: async () => weights,
    },
  ];
  const weights = [...routes, ...others].map(({ functionName, path }) => ({
    endpoint: functionName,
    path: path.replaceAll(/:(\w+)/g, "{$1}"),
    rateLimitWeight: "1",
    price: "1",
  }));
  return routes;
}
