import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const DEVCHAIN = join(ROOT, "packages/devchain");

/**
 * The saved state of the local chain with its history, shared by all tests: created once for each version of the
 * chain's sources, because resuming takes a quarter of the time of creating it. Returns the file's path.
 */
export async function chainSnapshot(): Promise<string> {
  const cache = join(ROOT, ".cache/begun-chain");
  const folder = join(cache, versionOf(DEVCHAIN));
  const file = join(folder, "state.json.gz");
  if (existsSync(file)) return file;
  await rm(cache, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, "draft-"));
  const { startDevChain } = await import("@purse/devchain");
  const chain = await startDevChain({ port: 0, dataDir: draft });
  await chain.stop();
  await rename(draft, folder);
  return file;
}

function versionOf(folder: string): string {
  const hash = createHash("sha256");
  for (const part of ["package.json", ...filesIn(folder, "src"), ...filesIn(folder, "artifacts")])
    hash.update(part).update(readFileSync(join(folder, part)));
  return hash.digest("hex").slice(0, 20);
}

function filesIn(folder: string, part: string): string[] {
  return readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath.slice(folder.length + 1), entry.name))
    .sort();
}
