import { AsyncLocalStorage } from "node:async_hooks";
import { ErrorCode, ProtocolError } from "@purse/protocol";

const MAX_DEPTH = 20;

const depthStorage = new AsyncLocalStorage<number>();

/** Returns how many functions and triggers led to the code that is running. */
export function currentDepth(): number {
  return depthStorage.getStore() ?? 0;
}

/** Runs code at a call depth. Throws 141 for infinite recursion. */
export function runAtDepth<T>(depth: number, run: () => T): T {
  if (depth > MAX_DEPTH) {
    throw new ProtocolError(
      ErrorCode.SCRIPT_FAILED,
      `Cloud functions and triggers are nested more than ${MAX_DEPTH} levels deep`,
    );
  }
  return depthStorage.run(depth, run);
}
