// Plain JavaScript: runs on any Node.js from 20 on, before anything is installed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** How long a process waits before it looks again whether another one has finished, in ms. */
const POLL_MS = 100;

/** Runs a task while no other process runs one with the same lock file. */
export function inTurn(lock, task) {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!takes(lock)) Atomics.wait(cell, 0, 0, POLL_MS);
  try {
    return task();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The same for a task that takes its time, without blocking this process. */
export async function inTurnAsync(lock, task) {
  while (!takes(lock)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  try {
    return await task();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takes(lock) {
  mkdirSync(dirname(lock), { recursive: true });
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process that took the lock is alive. */
function isHeld(lock) {
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
