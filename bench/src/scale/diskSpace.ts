/* Keeps a part of the disk free while a database is filled. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** What has to stay free. */
const RESERVE = 12e9;

export function freeBytes(folder = tmpdir()): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Throws unless so many bytes fit on the disk of a folder. */
export function requireSpace(bytes: number, what: string, folder = tmpdir()): void {
  const free = freeBytes(folder);
  if (free - bytes >= RESERVE) return;
  const [needed, available, reserve] = [bytes, free, RESERVE].map((each) => (each / 1e9).toFixed(1));
  throw new Error(
    `${what} needs about ${needed} GB, and ${reserve} GB have to stay free, but ${folder} has ${available} GB: use fewer --rows`,
  );
}
