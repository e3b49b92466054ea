export { FileUrls, mayContainFiles } from "../data/fileUrls.ts";
export { cloudFileRoutes, createFileReader, dispatchWithFiles } from "./cloudFiles.ts";
export { Downloads } from "./downloads.ts";
export { createFileRoutes, type FileRoutesDependencies } from "./fileRoutes.ts";
export type { FileStore } from "./fileStore.ts";
export { type FileInfo, Files, type FileTriggerName, type FileTriggers } from "./files.ts";
export { openFileStore } from "./openFileStore.ts";
export { openResumableUploads } from "./resumableUploads.ts";
export { UploadQuota } from "./uploadQuota.ts";
