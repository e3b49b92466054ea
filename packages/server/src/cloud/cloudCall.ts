import type { Invocation, InvocationResult } from "./workerMessages.ts";

/** An invocation that waits for a thread or runs in one. */
export interface CloudCall {
  /** What is called, for errors and logs: `beforeSave of Note`. */
  name: string;
  /** What it needs of a thread, see `definitionOf`. */
  definition: string;
  invocation: Invocation;
  /** The client among which threads are shared fairly; undefined for the server itself. */
  client: string | undefined;
  depth: number;
  traceHeaders: { traceparent?: string };
  resolve(result: InvocationResult): void;
  refuse(error: Error): void;
}
