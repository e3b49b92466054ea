import { execFileSync } from "node:child_process";

/** Whether this machine can limit the size of the files that a process writes. */
export function canLimitFiles(): boolean {
  try {
    execFileSync("prlimit", ["--pid", String(process.pid), "--fsize"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Lets a process write no file larger than this, as if its disk were full from there on. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}
