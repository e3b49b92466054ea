import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../config/loadConfig.ts";
import { RESERVED_SECONDS, reserveForServers } from "../../database/reserveForServers.ts";
import type { Store } from "../../database/store.ts";

export interface FolderReservationDependencies {
  config: Pick<Config, "database" | "filesStore"> & { filesShared: boolean };
  folder: string;
  store: Pick<Store, "write" | "now">;
  report(error: unknown, activity: string): void;
}

/**
 * Makes sure that no other server of the database stores files in another folder, where clients of this one would not
 * find them. A folder has an id in a file, so that servers that share it are known. Returns what ends the reservation, if
 * there is one. Throws Error.
 */
export async function reserveFilesFolder(
  dependencies: FolderReservationDependencies,
): Promise<(() => void) | undefined> {
  const { config, folder, store, report } = dependencies;
  if (config.database.kind !== "postgres" || config.filesStore.kind !== "disk" || config.filesShared) return;
  return reserveForServers({
    store,
    scope: "filesFolder",
    value: "disk",
    owner: await folderId(folder),
    conflict: `Another server of this database stores files in another folder, or did so within the last ${RESERVED_SECONDS} seconds: files of one would be missing at the other. Store them in S3 (PURSE_FILES_STORE=s3://…), give all servers the same folder (PURSE_DATA_DIR), or set PURSE_FILES_SHARED=1 if the folders have the same content`,
    report,
  });
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
