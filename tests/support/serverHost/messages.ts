import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a test asks of the process that hosts its servers; each message is a line of JSON. */
export type HostRequest =
  /** Relative paths, also that of the cloud code, start at `cwd`. */
  | { type: "start"; id: number; settings: Record<string, string | undefined>; cwd: string }
  | { type: "stop"; id: number; isDiscarded: boolean }
  /** Ends the process. */
  | { type: "exit" };

export type HostMessage =
  | { type: "started"; id: number; rpcUrl: string | undefined }
  | { type: "stopped"; id: number }
  | { type: "failed"; id: number; error: string }
  /** A line of the server's log. */
  | { type: "log"; id: number; line: string };

/** The socket of the process that hosts servers for the tests of a worker, one of those of a test run. */
export function hostSocket(run: string, worker: string): string {
  return join(tmpdir(), `purse-hosts-${run}`, `${worker}.sock`);
}

/** The file with the standard error of that process. */
export function hostErrors(run: string, worker: string): string {
  return `${hostSocket(run, worker)}.log`;
}
