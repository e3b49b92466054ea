import { ENDPOINTS } from "./table.ts";

/** API version that these endpoints are compatible with. */
export const API_VERSION = "2.0.0";

/** API version and endpoint weights. */
export const infoHandlers = {
  web3ApiVersion: async () => ({ version: API_VERSION }),
  endpointWeights: async () =>
    Object.entries(ENDPOINTS).map(([endpoint, { path, weight }]) => ({
      endpoint,
      path,
      rateLimitWeight: weight,
      price: weight,
    })),
};
