import { readdirSync, readFileSync } from "node:fs";

/** CPU time of the threads of a process in µs, by the name of the thread. Threads of the same name are added up. */
export type CpuTimes = Map<string, number>;

/** Reads the CPU time of every thread of a process (Linux). */
export function readCpuTimes(pid: number): CpuTimes {
  const times: CpuTimes = new Map();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, "utf8").trim();
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1);
      times.set(name, (times.get(name) ?? 0) + Number(nanoseconds) / 1000);
    } catch (error) {
      // The thread has ended since the folder was listed.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return times;
}

/** The CPU time between two readings. */
export function cpuTimeBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return new Map([...after].map(([name, time]) => [name, Math.max(0, time - (before.get(name) ?? 0))]));
}

export function totalCpuTime(times: CpuTimes): number {
  return [...times.values()].reduce((sum, time) => sum + time, 0);
}
