// The temporary folder of a test run: it is removed with all that tests left in it.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** A run takes a third of it. */
const NEEDED_BYTES = 4 * 2 ** 30;
const PREFIX = "purse-tests-";

/**
 * Calls a function with the environment of a run, in which `TMPDIR` is a new folder: in memory if enough is free, as a
 * disk takes milliseconds for each commit of a database.
 */
export function withRunFolder(run) {
  const parent = canUseMemory() ? MEMORY : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // PostgreSQL does not run as root.
  chmodSync(folder, 0o711);
  try {
    return run({ TMPDIR: folder, PURSE_TEST_MACHINE_FOLDER: tmpdir() });
  } finally {
    remove(folder);
  }
}

/** Whether the folder in memory is large enough, and programs may be run from it. */
function canUseMemory() {
  if (!existsSync(MEMORY) || !existsSync("/proc/mounts")) return false;
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.findLast((line) => line.split(" ")[1] === MEMORY)?.split(" ")[3];
  if (options === undefined || options.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES;
}

/** Removes the folders of runs that were killed. */
function removeAbandoned(parent) {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX) || isRunning(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    remove(join(parent, name));
  }
}

/** Another user's folders stay, and disks that are still mounted in one. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  } catch ({ message }) {
    console.log(`Could not remove ${folder}: ${message}`);
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
