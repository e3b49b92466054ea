import type { IncomingMessage } from "node:http";
import type { ModuleFacts } from "@purse/kernel";
import type { AuthService } from "../../auth/index.ts";
import type { Cloud } from "../../cloud/index.ts";
import type { StreamHandler } from "../../core/http/apiRoute.ts";
import type { Envelope } from "../../core/http/envelope.ts";
import type { ParseApiCalls } from "../../core/http/parseApiCalls.ts";
import { MOUNT_PATH } from "../../core/http/paths.ts";
import { openBucket } from "../../core/s3/openBucket.ts";
import type { Store } from "../../database/store.ts";
import type { HttpFacts, Report, SharedSettings } from "../../module/tokens.ts";
import type { Images } from "../images/token.ts";
import { openDiskUploads } from "./diskUploads.ts";
import { Downloads } from "./downloads.ts";
import { createFileRoutes } from "./fileRoutes.ts";
import type { FileStore } from "./fileStore.ts";
import type { Files } from "./files.ts";
import { createResumableUploads } from "./resumableUploads.ts";
import type { FileDownload } from "./settings.ts";
import { createSharedUploadLock, createUploadLock } from "./uploadLock.ts";
import type { UploadQuota } from "./uploadQuota.ts";
import type { UploadStorage } from "./uploadStorage.ts";

export interface FileApiDependencies {
  settings: { fileDownload: FileDownload };
  facts: Pick<ModuleFacts, "compatibility">;
  shared: Pick<SharedSettings, "appId" | "filesUrl" | "filesStore" | "database">;
  files: Files;
  fileStore: FileStore;
  /** The folder of unfinished uploads, with its quota. */
  uploads: { folder: string; quota: UploadQuota };
  /** The database, in which resumable uploads are locked, and their state is stored if they are in S3. */
  store: Store;
  images: Images;
  cloud: Pick<Cloud, "downloadTrigger">;
  accounts: Pick<AuthService, "isAnonymousUser">;
  http: Pick<HttpFacts, "publicUrl" | "clientAddressOf">;
  parseApi(): Pick<ParseApiCalls, "authenticate">;
  clock(): number;
  report: Report;
}

export interface FileApi {
  handle: StreamHandler;
  /** Removes expired uploads. */
  sweep(): Promise<void>;
}

/** Creates the HTTP API of files, with resumable uploads. */
export async function createFileApi(dependencies: FileApiDependencies): Promise<FileApi> {
  const { settings, shared, files, fileStore, uploads, cloud, accounts, http, report } = dependencies;
  const { clientAddressOf } = http;
  const authenticate = (envelope: Envelope, message: IncomingMessage) => {
    const [path = ""] = (message.url ?? "").slice(MOUNT_PATH.length).split("?", 1);
    return dependencies.parseApi().authenticate(envelope, message, path);
  };
  const resumable = createResumableUploads({
    files,
    storage: await openUploadStorage(dependencies),
    authenticate,
    clock: dependencies.clock,
  });
  const handle = createFileRoutes({
    appId: shared.appId,
    files,
    images: dependencies.images,
    downloads: new Downloads({
      store: fileStore,
      triggers: cloud.downloadTrigger,
      allowed: settings.fileDownload,
      isAnonymousUser: accounts.isAnonymousUser,
    }),
    resumable,
    spoolDir: uploads.folder,
    uploadQuota: uploads.quota,
    clientAddressOf,
    keepsTypes: dependencies.facts.compatibility === "parse",
    filesHost: separateFilesHost(shared.filesUrl, http.publicUrl),
    authenticate,
    report: (error) => report(error, "files"),
  });
  return { handle, sweep: () => resumable.sweep() };
}

/** Opens the place of resumable uploads: the disk, or the bucket of the file store. */
async function openUploadStorage(dependencies: FileApiDependencies): Promise<UploadStorage> {
  const { shared, fileStore, store, uploads, clock, report } = dependencies;
  const { folder, quota } = uploads;
  const { filesStore, database } = shared;
  if (filesStore.kind === "disk") {
    // SQLite belongs to one process.
    const isShared = database.kind !== "sqlite";
    const withLock = isShared ? createSharedUploadLock(store) : createUploadLock();
    return openDiskUploads({ folder, uploadQuota: quota, isShared, withLock, clock });
  }
  // Imported only if needed, because the S3 client is large.
  const [{ openBucketUploads }, bucket] = await Promise.all([
    import("./bucketUploads.ts"),
    openBucket(filesStore),
  ]);
  return openBucketUploads({
    bucket,
    files: fileStore,
    store,
    uploadQuota: quota,
    spoolFolder: folder,
    report: (error) => report(error, "resumable uploads"),
  });
}

/** The host of the separate origin of files; undefined if files share the origin of the Parse API. */
function separateFilesHost(filesUrl: string | undefined, publicUrl: string): string | undefined {
  if (filesUrl === undefined) return undefined;
  const { host } = new URL(filesUrl);
  return host === new URL(publicUrl).host ? undefined : host;
}
