import { chmod, lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../core/logger.ts";

/** Error codes of missing write permissions. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);

/** Replaces the error of a folder that cannot be written with a helpful one; returns other errors unchanged. */
export function asFolderError(error: unknown, folder: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!NOT_WRITABLE.has(code)) return error;
  return new Error(
    `The folder ${folder} cannot be written (${code}). Give the user that runs Purse write permission, or choose ` +
      "another folder with --data-dir.",
  );
}

/** Rights of everyone but the owner of a file. */
const OTHERS = 0o077;
/** What is in a data folder. It may be a folder of the operator's with other files. */
const OURS = /^(keys\.json|.+\.sqlite(-\w+)?|files|uploads|thumbnails|ipfs|chains|devchain|backups|outbox)$/;

/**
 * Lets only the user of this process read the data folder: it has the keys, the database, uploads and backups. Creates the
 * folder, tightens what of ours is directly in it, which protects what is below, and logs what that changed. What this process creates
 * from now on is its user's own as well. A folder of another user, such as a volume of a group, is reported and stays as it is.
 * Throws Error if the folder cannot be created.
 */
export async function protectDataFolder(
  dataDir: string,
  logger: Pick<Logger, "info" | "warn">,
): Promise<void> {
  process.umask(OTHERS);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw asFolderError(error, dataDir);
  }
  const entries = (await readdir(dataDir))
    .filter((name) => OURS.test(name))
    .map((name) => join(dataDir, name));
  const tightened: string[] = [];
  try {
    for (const path of [dataDir, ...entries]) if (await tighten(path)) tightened.push(path);
  } catch (error) {
    if (asFolderError(error, dataDir) === error) throw error;
    logger.warn("other users of this machine may read the data folder, which belongs to another user", {
      dataDir,
    });
  }
  if (tightened.length > 0)
    logger.info("other users of this machine can no longer read the data folder", { tightened });
}

/** Takes the rights of others from a file or folder. Returns whether there were any. */
async function tighten(path: string): Promise<boolean> {
  const found = await lstat(path);
  const isOpen = (found.mode & OTHERS) !== 0 && (found.isFile() || found.isDirectory());
  if (isOpen) await chmod(path, found.mode & 0o777 & ~OTHERS);
  return isOpen;
}
