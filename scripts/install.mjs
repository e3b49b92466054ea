// Plain JavaScript: runs on any Node.js from 20 on, before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The pinned runtime, which installing brings. */
export const node = join(root, "node_modules/.bin/node");

/** Runs a command to its end, showing what it prints. Ends this process where it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", cwd: root, ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Installs a folder's packages as its lock file says, where that has not been done yet. */
export function ensureInstalled(folder = root, what = "packages") {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const stamp = join(folder, "node_modules/.purse-lock");
  const wanted = createHash("sha256").update(lock).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log(`Installing ${what} (once; a minute or two) …`);
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}
