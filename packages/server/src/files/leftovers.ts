import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Longer than any request takes, in ms: what is older, and belongs to no upload, nobody writes to any more. */
const LEFT_AFTER_MS = 2 * 3_600_000;

/** The ids of resumable uploads in a folder, those under way and those that are whole. */
export async function uploadIds(folder: string): Promise<string[]> {
  return idsIn(await readdir(folder));
}

/**
 * Removes what a process that was ended in the middle has left in the folder of uploads: envelopes that were being
 * read, contents without a state, states that were being written. `now` is in ms since the epoch.
 */
export async function removeLeftovers(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const known = new Set(idsIn(names).flatMap((id) => [`${id}.json`, `${id}.part`]));
  for (const name of names) {
    if (known.has(name) || !LEFTOVER.test(name)) continue;
    const path = join(folder, name);
    const about = await stat(path).catch(() => undefined);
    if (about?.isFile() && about.mtimeMs + LEFT_AFTER_MS < now) await rm(path, { force: true });
  }
}

/** Names that the server gives here; what an operator has put there stays. */
const LEFTOVER = /^[0-9a-f]{32}(\.part|\.json\.new)?$/;

function idsIn(names: readonly string[]): string[] {
  return names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).map((name) => name.slice(0, -5));
}
