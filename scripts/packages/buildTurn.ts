import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** How long another process is waited for before asking again, in ms. */
const POLL_MS = 100;

/** Runs a task while no other process runs one with the same lock file. */
export async function inTurn<T>(lock: string, task: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!takes(lock)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  try {
    return await task();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takes(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that took the lock is alive. */
function isHeld(lock: string): boolean {
  try {
    const owner = readFileSync(lock, "utf8");
    // It writes its id a moment after it has made the file.
    if (owner === "") return true;
    process.kill(Number(owner), 0);
    return true;
  } catch {
    return false;
  }
}
