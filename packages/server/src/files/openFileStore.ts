import type { FilesStoreConfig } from "../config/fileUpload.ts";
import { openDiskFileStore } from "./diskFileStore.ts";
import type { FileStore } from "./fileStore.ts";
import { openS3FileStore } from "./s3FileStore.ts";

/** Opens the store that is configured; `folder` is the one of a store on disk. */
export async function openFileStore(config: FilesStoreConfig, folder: string): Promise<FileStore> {
  return config.kind === "disk" ? openDiskFileStore(folder) : openS3FileStore(config);
}
