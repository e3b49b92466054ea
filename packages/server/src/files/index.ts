export { cloudFileRoutes, createFileReader, dispatchWithFiles } from "./cloudFiles.ts";
export { FILE_ENDPOINTS } from "./fileEndpoints.ts";
export {
  createFileApi,
  openFileService,
  openUploads,
} from "./fileService.ts";
export { Files } from "./files.ts";
export { reserveFilesFolder } from "./reserveFilesFolder.ts";
export { UploadQuota } from "./uploadQuota.ts";
