import type { ChainServiceConfig } from "../types.ts";
import { type EndpointRoute, routeOf } from "./routes.ts";

/** Files in IPFS. */
export function storageRoutes(uploadFolder: ChainServiceConfig["uploadFolder"]): EndpointRoute[] {
  if (!uploadFolder) return [];
  return [routeOf("uploadFolder", async ({ data }) => uploadFolder(data))];
}
