import type { FilesStoreConfig } from "../../config/filesStore.ts";
import { openDiskFileStore } from "./diskFileStore.ts";
import type { FileStore } from "./fileStore.ts";

export interface OpenFileStoreOptions {
  config: FilesStoreConfig;
  /** The folder of a disk store. */
  folder: string;
  /** The folder in which content for a remote store is spooled. */
  spoolFolder: string;
  /** Called with errors of a remote store. */
  report(error: unknown): void;
}

/** Opens the configured file store. */
export async function openFileStore({
  config,
  folder,
  spoolFolder,
  report,
}: OpenFileStoreOptions): Promise<FileStore> {
  if (config.kind === "disk") return openDiskFileStore(folder);
  // Imported only if needed, because the S3 client is large.
  const { openS3FileStore } = await import("./s3FileStore.ts");
  return openS3FileStore({ config, spoolFolder, report });
}
