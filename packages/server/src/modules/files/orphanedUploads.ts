import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Age in ms after which a file without an upload is removed: longer than any request takes. */
const ORPHAN_AGE_MS = 2 * 3_600_000;

/** Returns the ids of resumable uploads in a folder, incomplete and complete ones. */
export async function uploadIds(folder: string): Promise<string[]> {
  return idsIn(await readdir(folder));
}

/** Returns the ids of the incomplete ones. */
export async function unfinishedUploadIds(folder: string): Promise<string[]> {
  const names = new Set(await readdir(folder));
  return idsIn([...names]).filter((id) => names.has(`${id}.part`));
}

/**
 * Removes files that a process left in the upload folder when it was killed: spooled envelopes, contents without a
 * state, incomplete states. `now` is in ms since the epoch.
 */
export async function removeOrphans(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const known = new Set(idsIn(names).flatMap((id) => [`${id}.json`, `${id}.part`]));
  for (const name of names) {
    if (known.has(name) || !ORPHAN_NAME.test(name)) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && stats.mtimeMs + ORPHAN_AGE_MS < now) await rm(path, { force: true });
  }
}

/** Names created by the server; files of operators are kept. */
const ORPHAN_NAME = /^[0-9a-f]{32}(\.part|\.json\.new)?$/;

function idsIn(names: readonly string[]): string[] {
  return names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).map((name) => name.slice(0, -5));
}
