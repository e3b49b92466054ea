import { AsyncLocalStorage } from "node:async_hooks";
import { ErrorCode, ProtocolError } from "@purse/protocol";

const MAX_DEPTH = 20;

interface Call {
  depth: number;
  traceparent: string | undefined;
  /** In the thread of the cloud code: the ID of the invocation. */
  invocation: number;
}

const callStorage = new AsyncLocalStorage<Call>();

/** Returns how many functions and triggers led to the code that is running. */
export function currentDepth(): number {
  return callStorage.getStore()?.depth ?? 0;
}

/** Returns the ID of the invocation whose code is running; 0 for none. */
export function currentInvocation(): number {
  return callStorage.getStore()?.invocation ?? 0;
}

/** Returns the trace of the call that is running, if traces are exported. */
export function traceOfCall(): string | undefined {
  return callStorage.getStore()?.traceparent;
}

/** The fields of log lines of the call that is running. */
export function traceIdsOfCall(): { trace_id?: string; span_id?: string } {
  const [, trace_id, span_id] = traceOfCall()?.split("-") ?? [];
  return trace_id !== undefined && span_id !== undefined ? { trace_id, span_id } : {};
}

/** Runs code at a call depth. Throws 141 for infinite recursion. */
export function runAtDepth<T>(depth: number, run: () => T, traceparent?: string, invocation = 0): T {
  if (depth > MAX_DEPTH) {
    throw new ProtocolError(
      ErrorCode.SCRIPT_FAILED,
      `Cloud functions and triggers are nested more than ${MAX_DEPTH} levels deep`,
    );
  }
  return callStorage.run({ depth, traceparent, invocation }, run);
}
