import type { JsonValue } from "@purse/protocol";
import { type Handlers, unavailable } from "./routes.ts";

/** Adds files to IPFS as one directory; returns the address of each. */
export type UploadFolder = (files: { path: string; content: JsonValue }[]) => Promise<{ path: string }[]>;

/** Files in IPFS. */
export function storageHandlers(uploadFolder: UploadFolder | undefined): Pick<Handlers, "uploadFolder"> {
  return { uploadFolder: uploadFolder ? ({ data }) => uploadFolder(data) : unavailable("uploadFolder") };
}
