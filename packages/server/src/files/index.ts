export { cloudFileRoutes, createFileReader, dispatchWithFiles } from "./cloudFiles.ts";
export { Downloads } from "./downloads.ts";
export { createFileRoutes, type FileRoutesParts } from "./fileRoutes.ts";
export type { FileStore } from "./fileStore.ts";
export { type FileFacts, Files, type FileTriggerName, type FileTriggers } from "./files.ts";
export { FileUrls, mayHoldFiles } from "./fileUrls.ts";
export { openFileStore } from "./openFileStore.ts";
export { openResumableUploads } from "./resumable.ts";
export { UploadSpace } from "./uploadSpace.ts";
