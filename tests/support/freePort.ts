import { randomInt } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Below the ports that Linux gives to outgoing connections (`ip_local_port_range`). */
const FIRST = 10_000;
const LAST = 32_000;
const ATTEMPTS = 1_000;

/** Holds a file per port that a running test process has taken, with the id of that process. */
const CLAIMS = join(process.env.PURSE_TEST_MACHINE_FOLDER ?? tmpdir(), "purse-test-ports");
const claimed: number[] = [];

/**
 * Returns a port that is free and that no other test process gets while this one runs. A server that is about
 * to listen on it can thus not be mistaken for one of a test that runs at the same time.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, LAST);
    if (claim(port) && (await isFree(port))) return port;
  }
  throw new Error(`found no free port between ${FIRST} and ${LAST}`);
}

function claim(port: number): boolean {
  createFolder();
  const file = join(CLAIMS, String(port));
  if (!createFile(file)) {
    if (isClaimed(file)) return false;
    if (!removed(file) || !createFile(file)) return false;
  }
  if (claimed.length === 0) process.once("exit", release);
  claimed.push(port);
  return true;
}

/** The users of a machine share the folder, and each removes their own files only. */
function createFolder(): void {
  if (mkdirSync(CLAIMS, { recursive: true })) chmodSync(CLAIMS, 0o1777);
}

/** Returns false where the file is another user's. */
function removed(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Returns false where the file exists. */
function createFile(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Whether the process that wrote the file still runs. */
function isClaimed(file: string): boolean {
  try {
    // Throws for a process that does not exist; 0 is read from a file that is being written.
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function release(): void {
  for (const port of claimed) rmSync(join(CLAIMS, String(port)), { force: true });
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
