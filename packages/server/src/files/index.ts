export { cloudFileRoutes, createFileReader, dispatchWithFiles } from "./cloudFiles.ts";
export { Downloads } from "./downloads.ts";
export { createFileRoutes, type FileRoutesDependencies as FileRoutesParts } from "./fileRoutes.ts";
export type { FileStore } from "./fileStore.ts";
export { type FileInfo as FileFacts, Files, type FileTriggerName, type FileTriggers } from "./files.ts";
export { FileUrls, mayContainFiles as mayHoldFiles } from "./fileUrls.ts";
export { openFileStore } from "./openFileStore.ts";
export { openResumableUploads } from "./resumableUploads.ts";
export { UploadQuota as UploadSpace } from "./uploadQuota.ts";
