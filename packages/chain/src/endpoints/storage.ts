import type { JsonValue } from "@purse/protocol";
import { type EndpointRoute, routeOf } from "./routes.ts";

/** Adds files to IPFS as one directory; resolves to the address of each. */
export type UploadFolder = (files: { path: string; content: JsonValue }[]) => Promise<{ path: string }[]>;

/** Files in IPFS. */
export function storageRoutes(uploadFolder: UploadFolder | undefined): EndpointRoute[] {
  if (!uploadFolder) return [];
  return [routeOf("uploadFolder", async ({ data }) => uploadFolder(data))];
}
