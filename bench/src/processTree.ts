import { readdirSync, readFileSync } from "node:fs";

/** CPU time of processes in seconds, by the name of the program. */
export type ProcessTimes = Map<string, number>;

/** Linux reports times of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Reads the CPU time of the descendants of this process, with that of their own children that have ended (Linux). */
export function readProcessTimes(): ProcessTimes {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const times: ProcessTimes = new Map();
  const visit = (pid: number) => {
    for (const child of children.get(pid) ?? []) {
      times.set(child.program, (times.get(child.program) ?? 0) + child.seconds);
      visit(child.pid);
    }
  };
  visit(process.pid);
  return times;
}

/** The CPU time between two readings. */
export function processTimesBetween(before: ProcessTimes, after: ProcessTimes): ProcessTimes {
  return new Map([...after].map(([name, seconds]) => [name, Math.max(0, seconds - (before.get(name) ?? 0))]));
}

function readProcess(name: string) {
  const text = readStat(name);
  if (text === undefined) return [];
  // The name of the program is in parentheses and can contain spaces.
  const end = text.lastIndexOf(")");
  const program = text.slice(text.indexOf("(") + 1, end);
  const fields = text.slice(end + 2).split(" ");
  const [parent, ...times] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
  const seconds = times.reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
  return [{ pid: Number(name), parent: parent ?? 0, program, seconds }];
}

/** undefined if the process has ended. */
function readStat(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}/stat`, "latin1");
  } catch {
    return undefined;
  }
}
