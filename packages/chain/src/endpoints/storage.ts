import type { JsonValue } from "@purse/protocol";
import { createRoute, type EndpointRoute } from "./routes.ts";

/** Adds files to IPFS as one directory; returns the address of each. */
export type UploadFolder = (files: { path: string; content: JsonValue }[]) => Promise<{ path: string }[]>;

/** Files in IPFS. */
export function storageRoutes(uploadFolder: UploadFolder | undefined): EndpointRoute[] {
  if (!uploadFolder) return [];
  return [createRoute("uploadFolder", async ({ data }) => uploadFolder(data))];
}
