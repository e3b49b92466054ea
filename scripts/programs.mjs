// Programs of the system that tests use, installed from Debian's packages where that is possible.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./install.mjs";

/** The names of programs that tests of this run were skipped without. */
const MISSING = join(root, ".cache/missing-programs");

/** Chromium without windows, which takes about half of the CPU time for each page. */
export const CHROMIUM = {
  name: "Chromium",
  paths: ["/usr/bin/chromium-headless-shell"],
  debianPackage: "chromium-headless-shell",
  variable: "CHROMIUM_PATH",
};
export const VALKEY = {
  name: "Valkey",
  paths: ["/usr/bin/valkey-server", "/usr/bin/redis-server", "/usr/local/bin/redis-server"],
  debianPackage: "redis-server",
  variable: "PURSE_TEST_VALKEY",
};
export const PGBOUNCER = {
  name: "PgBouncer",
  paths: ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"],
  debianPackage: "pgbouncer",
  variable: "PURSE_TEST_PGBOUNCER",
};

/** Returns the path of a program; installs Debian's package if it is missing. Undefined if that is impossible. */
export function ensureProgram({ paths, debianPackage, variable }) {
  const find = () => [variable && process.env[variable], ...paths].find((path) => path && existsSync(path));
  const found = find();
  if (found || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return found;
  console.log(`Installing ${debianPackage} from Debian's packages …`);
  const quiet = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", ["update", "-qq"], quiet);
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", debianPackage], quiet);
  return find();
}

/** Whether tests can use a program; `npm test` says at its end which ones were missing. */
export function hasProgram(program) {
  if (ensureProgram(program) !== undefined) return true;
  noteMissing(`${program.name}: install the package ${program.debianPackage}, or set ${program.variable}`);
  return false;
}

/** Has `npm test` say at its end what the skipped tests need. */
export function noteMissing(text) {
  mkdirSync(dirname(MISSING), { recursive: true });
  appendFileSync(MISSING, `${text}\n`);
}

/** Returns what tests of this run were skipped without, and forgets it. */
export function takeMissing() {
  if (!existsSync(MISSING)) return [];
  const lines = readFileSync(MISSING, "utf8").trimEnd().split("\n");
  rmSync(MISSING);
  return [...new Set(lines)];
}
