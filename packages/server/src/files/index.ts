export { FileUrls, mayContainFiles } from "../data/fileUrls.ts";
export { cloudFileRoutes, createFileReader, dispatchWithFiles } from "./cloudFiles.ts";
export {
  createFileApi,
  type FileService,
  openFileService,
  openUploads,
  type Uploads,
} from "./fileService.ts";
export type { FileStore } from "./fileStore.ts";
export { type FileInfo, Files, type FileTriggerName, type FileTriggers } from "./files.ts";
export { reserveFilesFolder } from "./reserveFilesFolder.ts";
export { UploadQuota } from "./uploadQuota.ts";
