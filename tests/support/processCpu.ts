import { readFileSync } from "node:fs";

/** ms per tick in /proc: 100 ticks a second on all Linux systems that tests run on. */
const TICK_MS = 10;

/** CPU time of a process's main thread, in ms. */
export function mainThreadCpuMs(pid: number): number {
  return cpuMs(`/proc/${pid}/task/${pid}/stat`);
}

/** CPU time of all threads, including ended ones, in ms. */
export function processCpuMs(pid: number): number {
  return cpuMs(`/proc/${pid}/stat`);
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? 0) * 1024;
}

function cpuMs(file: string): number {
  const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  // utime and stime are fields 14 and 15, of which the first two have been cut off.
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
