import { mkdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { RequestContext } from "../core/authContext.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { Envelope } from "../core/http/envelope.ts";
import { openBucket } from "../core/s3/openBucket.ts";
import type { FileUrls } from "../data/fileUrls.ts";
import type { AssertAllowed } from "../data/objects/keywordDenylist.ts";
import type { Store } from "../database/store.ts";
import type { TransformedImages } from "../images/index.ts";
import type { Ipfs } from "../ipfs/index.ts";
import { openDiskUploads } from "./diskUploads.ts";
import { Downloads } from "./downloads.ts";
import { createFileRoutes } from "./fileRoutes.ts";
import type { FileStore } from "./fileStore.ts";
import { Files } from "./files.ts";
import { openFileStore } from "./openFileStore.ts";
import { createResumableUploads } from "./resumableUploads.ts";
import { createSharedUploadLock, createUploadLock } from "./uploadLock.ts";
import { UploadQuota } from "./uploadQuota.ts";
import type { UploadStorage } from "./uploadStorage.ts";

export interface FileServiceDependencies {
  config: Config;
  ipfs: Ipfs;
  urls: FileUrls;
  uploads: Uploads;
  cloud: Pick<Cloud, "fileTrigger" | "downloadTrigger">;
  isAnonymousUser(userId: string): Promise<boolean>;
  report(error: unknown, activity: string): void;
  /** Throws 105 for denied keywords. */
  assertAllowed: AssertAllowed;
}

/** The folder of unfinished uploads, with its quota. */
export interface Uploads {
  folder: string;
  quota: UploadQuota;
}

export async function openUploads(config: Config): Promise<Uploads> {
  const folder = join(config.dataDir, "uploads");
  await mkdir(folder, { recursive: true });
  return {
    folder,
    quota: new UploadQuota({
      folder,
      maxPerOwner: config.maxUploadsPerClient,
      maxBytesPerOwner: config.maxUploadBytesPerClient,
      maxBytes: config.maxUploadBytes,
    }),
  };
}

export interface FileService {
  store: FileStore;
  files: Files;
}

/** Opens the configured file store. */
export async function openFileService(dependencies: FileServiceDependencies): Promise<FileService> {
  const { config, ipfs, urls, uploads, cloud, report } = dependencies;
  const store = await openFileStore({
    config: config.filesStore,
    folder: join(config.dataDir, "files"),
    spoolFolder: uploads.folder,
    report: (error) => report(error, "the file store"),
  });
  const files = new Files({
    store,
    ipfs,
    urls,
    upload: config.fileUpload,
    maxUploadSize: config.maxUploadSize,
    isAnonymousUser: dependencies.isAnonymousUser,
    triggers: cloud.fileTrigger,
    uploadQuota: uploads.quota,
    assertAllowed: dependencies.assertAllowed,
    report: (error) => report(error, "files"),
  });
  return { store, files };
}

export interface FileApiDependencies
  extends Pick<FileServiceDependencies, "config" | "uploads" | "cloud" | "isAnonymousUser" | "report"> {
  service: FileService;
  /** The database, in which resumable uploads are locked, and their state is stored if they are in S3. */
  store: Store;
  images: TransformedImages;
  publicUrl: string;
  clientAddressOf: ClientAddressOf;
  /** Authenticates an envelope. Throws 119 or 209. */
  authenticate(envelope: Envelope, message: IncomingMessage): Promise<RequestContext>;
  clock(): number;
}

/** Creates the HTTP API of files, with resumable uploads. */
export async function createFileApi(dependencies: FileApiDependencies) {
  const { config, service, images, uploads, cloud, authenticate, clientAddressOf, report } = dependencies;
  const { files, store } = service;
  const resumable = createResumableUploads({
    files,
    storage: await openUploadStorage(dependencies),
    authenticate,
    clock: dependencies.clock,
  });
  const handle = createFileRoutes({
    appId: config.appId,
    files,
    images,
    downloads: new Downloads({
      store,
      triggers: cloud.downloadTrigger,
      allowed: config.fileDownload,
      isAnonymousUser: dependencies.isAnonymousUser,
    }),
    resumable,
    spoolDir: uploads.folder,
    uploadQuota: uploads.quota,
    clientAddressOf,
    keepsTypes: config.compatibility === "parse",
    filesHost: separateFilesHost(config.filesUrl, dependencies.publicUrl),
    authenticate,
    report: (error) => report(error, "files"),
  });
  return { handle, sweep: () => resumable.sweep() };
}

/** Opens the place of resumable uploads: the disk, or the bucket of the file store. */
async function openUploadStorage(dependencies: FileApiDependencies): Promise<UploadStorage> {
  const { config, service, store, uploads, clock, report } = dependencies;
  const { folder, quota } = uploads;
  const { filesStore } = config;
  if (filesStore.kind === "disk") {
    // SQLite belongs to one process.
    const isShared = config.database.kind !== "sqlite";
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
    files: service.store,
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
