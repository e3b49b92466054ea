import type { FilesStoreConfig } from "../config/fileUpload.ts";
import { openDiskFileStore } from "./diskFileStore.ts";
import type { FileStore } from "./fileStore.ts";

export interface OpenFileStoreOptions {
  config: FilesStoreConfig;
  /** The folder of a store on disk. */
  folder: string;
  /** Where content waits that goes to a store elsewhere. */
  spoolFolder: string;
  /** Told why a store elsewhere failed. */
  report(error: unknown): void;
}

/** Opens the store that is configured. */
export async function openFileStore({
  config,
  folder,
  spoolFolder,
  report,
}: OpenFileStoreOptions): Promise<FileStore> {
  if (config.kind === "disk") return openDiskFileStore(folder);
  // Loaded only where it is used: the client of S3 is large.
  const { openS3FileStore } = await import("./s3FileStore.ts");
  return openS3FileStore({ config, spoolFolder, report });
}
