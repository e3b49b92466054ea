import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/loadConfig.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import { type Store, UniqueConstraintError } from "../database/store.ts";

export interface FolderReservationDependencies {
  config: Pick<Config, "database" | "filesStore" | "filesShared" | "dataDir">;
  store: Pick<Store, "write" | "now">;
  lifecycle: Lifecycle;
  report(error: unknown, activity: string): void;
}

/** The unique value that the folder of files reserves as long as a server uses it. */
const SCOPE = "filesFolder";
const TTL_MS = 30_000;
const RENEW_MS = 10_000;

/**
 * Makes sure that no other server of the database stores files in another folder, where clients of this one would not
 * find them. A folder has an id in a file, so that servers that share it are known. Throws Error.
 */
export async function reserveFilesFolder(dependencies: FolderReservationDependencies): Promise<void> {
  const { config, store, lifecycle, report } = dependencies;
  if (config.database.kind !== "postgres" || config.filesStore.kind !== "disk" || config.filesShared) return;
  const owner = await folderId(join(config.dataDir, "files"));
  const reserve = () =>
    store.write([
      { kind: "reserveUnique", scope: SCOPE, value: "disk", owner, expiresAt: store.now() + TTL_MS },
    ]);
  try {
    await reserve();
  } catch (error) {
    if (!(error instanceof UniqueConstraintError)) throw error;
    throw new Error(
      `Another server of this database stores files in another folder, or did so within the last ${TTL_MS / 1_000} seconds: files of one would be missing at the other. Store them in S3 (PURSE_FILES_STORE=s3://…), give all servers the same folder (PURSE_DATA_DIR), or set PURSE_FILES_SHARED=1 if the folders have the same content`,
    );
  }
  const timer = setInterval(() => {
    reserve().catch((error: unknown) => report(error, "reserving the folder of files"));
  }, RENEW_MS);
  timer.unref();
  lifecycle.onStop("folder of files", () => clearInterval(timer));
}

/** Returns the id of a folder, which its first server creates. */
async function folderId(folder: string): Promise<string> {
  const path = join(folder, "id");
  const temporary = join(folder, `id-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  await writeFile(temporary, randomUUID());
  try {
    // Of several servers that start together, one succeeds.
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(temporary);
  }
  return readFile(path, "utf8");
}
