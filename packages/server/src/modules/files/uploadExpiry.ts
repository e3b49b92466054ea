import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { uploadIds } from "./orphanedUploads.ts";

/** How long a resumable upload may be continued, in ms. */
export const UPLOAD_EXPIRY_MS = 24 * 3_600_000;

/** Removes uploads that were begun on disk more than a day ago, by a server that stores them elsewhere by now. */
export async function removeOldUploads(folder: string, now: number): Promise<void> {
  for (const id of await uploadIds(folder)) {
    const stats = await stat(join(folder, `${id}.json`)).catch(() => undefined);
    if (!stats || stats.mtimeMs + UPLOAD_EXPIRY_MS > now) continue;
    for (const suffix of [".json", ".part"]) await rm(join(folder, id + suffix), { force: true });
  }
}
