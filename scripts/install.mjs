// Plain JavaScript: runs on any Node.js from 20 on, before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The pinned runtime, which installing brings. */
export const node = join(root, "node_modules/.bin/node");

/** Environment by which Node.js keeps what it has compiled: the next start takes a third less time. */
export const compiled = { NODE_COMPILE_CACHE: join(root, ".cache/compiled") };

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
  // Scripts of packages are not run (.npmrc): all that they would build comes ready in the packages.
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  if (folder === root) bringNode();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** A Node.js that installing does not take away, as it does the pinned one that npm may run this with. */
function lastingNode() {
  if (existsSync(process.execPath)) return process.execPath;
  const name = process.platform === "win32" ? "node.exe" : "node";
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(root));
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? name;
}

/** The package `node` fetches the runtime for this platform by a script: the one script that is wanted. */
function bringNode() {
  const home = join(root, "node_modules/node");
  // What it starts npm with is deprecated, which is not for our readers to mend.
  run(lastingNode(), ["--no-deprecation", join(home, "installArchSpecificPackage.js")], {
    cwd: home,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (!existsSync(node)) symlinkSync("../node/bin/node", node);
}
