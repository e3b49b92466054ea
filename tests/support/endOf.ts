import type { ChildProcess } from "node:child_process";

/** How a process has ended; undefined while it runs. A process that a signal ended has no exit code. */
export function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `its process was ended by ${signalCode}`;
  return exitCode === null ? undefined : `its process ended with code ${exitCode}`;
}
