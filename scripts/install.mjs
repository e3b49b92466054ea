// Plain JavaScript: runs on any Node.js from 20 on, before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurn } from "./turn.mjs";

export { lowMemory } from "../packages/cli/bin/lowMemory.js";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The pinned runtime, installed with the packages. */
export const node = join(root, "node_modules/.bin/node");

/** Enables the compile cache of Node.js, which makes the next start a third faster. */
export const compiled = { NODE_COMPILE_CACHE: join(root, ".cache/compiled") };

/** Runs a command with inherited output. Exits this process if it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", cwd: root, ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Installs a folder's packages from its lock file, unless that is already done. */
export function ensureInstalled(folder = root, what = "packages") {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const stamp = join(folder, "node_modules/.purse-lock");
  const wanted = createHash("sha256").update(lock).digest("hex");
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isInstalled()) return;
  // Two commands at once would remove each other's packages.
  inTurn(join(root, ".cache/locks", `install-${relative(root, folder).replaceAll(sep, "-")}`), () => {
    if (isInstalled()) return;
    console.log(`Installing ${what} (once; a minute or two) …`);
    // Install scripts are disabled (.npmrc): the packages contain everything prebuilt.
    run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
    if (folder === root) bringNode();
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
  });
}

/** A Node.js that the installation does not remove, unlike the pinned one that may run this script. */
function lastingNode() {
  if (existsSync(process.execPath)) return process.execPath;
  const name = process.platform === "win32" ? "node.exe" : "node";
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(root));
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? name;
}

/** Runs the one needed install script: the package `node` downloads the runtime for this platform. */
function bringNode() {
  const home = join(root, "node_modules/node");
  // Hides a deprecation warning of that script.
  run(lastingNode(), ["--no-deprecation", join(home, "installArchSpecificPackage.js")], {
    cwd: home,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (!existsSync(node)) symlinkSync("../node/bin/node", node);
}
