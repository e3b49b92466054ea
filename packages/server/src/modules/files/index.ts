import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { defineModule, type SettingInputsOf } from "@purse/kernel";
import { isPublicAddress } from "@purse/outbound";
import { endpointsOf } from "../../core/http/endpoint.ts";
import {
  ACCOUNTS,
  CLOCK,
  CLOUD,
  DENIED_KEYWORDS,
  FILE_URLS,
  HTTP,
  PARSE_API,
  REPORT,
  SHARED_SETTINGS,
  STORE,
} from "../../module/tokens.ts";
import { IMAGES } from "../images/token.ts";
import { IPFS } from "../ipfs/token.ts";
import { cloudFileRoutes, createFileReader } from "./cloudFiles.ts";
import { createFileApi } from "./fileApi.ts";
import { FILE_ENDPOINTS } from "./fileEndpoints.ts";
import { Files } from "./files.ts";
import { openFileStore } from "./openFileStore.ts";
import { reserveFilesFolder } from "./reserveFilesFolder.ts";
import { fileSettings } from "./settings.ts";
import { FILES } from "./token.ts";
import { UploadQuota } from "./uploadQuota.ts";

/** Interval of removing expired uploads, in ms. */
const SWEEP_MS = 10 * 60_000;

/** Files of applications: uploads, also resumable ones, downloads, and where they are stored. */
export const files = defineModule({
  name: "files",
  provides: FILES,
  needs: {
    store: STORE,
    clock: CLOCK,
    report: REPORT,
    shared: SHARED_SETTINGS,
    http: HTTP,
    parseApi: PARSE_API,
    urls: FILE_URLS,
    ipfs: IPFS,
    images: IMAGES,
    cloud: CLOUD,
    accounts: ACCOUNTS,
    assertAllowed: DENIED_KEYWORDS,
  },
  settings: fileSettings,
  async open({ settings, facts, ...services }) {
    const { shared, report, urls } = services;
    const { fileUpload: upload } = settings;
    const { filesStore, maxUploadSize } = shared;
    const folder = join(facts.dataDir, "files");
    const spoolFolder = join(facts.dataDir, "uploads");
    await mkdir(spoolFolder, { recursive: true });
    const quota = new UploadQuota({
      folder: spoolFolder,
      maxPerOwner: settings.maxUploadsPerClient,
      maxBytesPerOwner: settings.maxUploadBytesPerClient,
      maxBytes: settings.maxUploadBytes,
    });
    const fileStore = await openFileStore({
      config: filesStore,
      folder,
      spoolFolder,
      report: (error) => report(error, "the file store"),
    });
    const service = new Files({
      store: fileStore,
      ipfs: services.ipfs.content,
      urls,
      upload,
      maxUploadSize,
      isAnonymousUser: services.accounts.isAnonymousUser,
      triggers: services.cloud.fileTrigger,
      uploadQuota: quota,
      assertAllowed: services.assertAllowed,
      report: (error) => report(error, "files"),
    });
    const api = await createFileApi({
      ...services,
      settings,
      facts,
      files: service,
      fileStore,
      uploads: { folder: spoolFolder, quota },
    });
    // Last: its reservation is renewed, and nothing that ends it may be missing after a failure.
    const config = { ...shared, filesShared: settings.filesShared };
    const release = await reserveFilesFolder({ ...services, config, folder });
    const sweepTimer = setInterval(() => {
      api.sweep().catch((error: unknown) => report(error, "sweeping uploads"));
    }, SWEEP_MS);
    sweepTimer.unref();
    return {
      service: {
        maxUploadSize,
        save: (...file) => service.save(...file),
        assertCanUpload: (auth) => service.assertCanUpload(auth),
        download: createFileReader({ files: service, urls, isAllowed: isPublicAddress }),
        reserveUpload: (bytes) => quota.reserve(undefined, bytes),
      },
      streams: [
        {
          path: "/files",
          handle: api.handle,
          endpoints: endpointsOf(FILE_ENDPOINTS),
          internalRoutes: cloudFileRoutes({ files: service }),
        },
      ],
      async adminRoutes() {
        const { fileAdminRoutes } = await import("./adminRoutes.ts");
        return fileAdminRoutes(service);
      },
      appConfig: {
        uploads: {
          isAllowed: upload.enableForAuthenticatedUser,
          maxBytes: maxUploadSize,
          extensions: upload.fileExtensions ? [...upload.fileExtensions] : null,
        },
      },
      stop() {
        clearInterval(sweepTimer);
        release?.();
      },
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof fileSettings> {}
}
