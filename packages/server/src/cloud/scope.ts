import { AsyncLocalStorage } from "node:async_hooks";
import { ErrorCode, ProtocolError } from "@purse/protocol";

const MAX_DEPTH = 20;

const depths = new AsyncLocalStorage<number>();

/** How many functions and triggers led to the code that runs now. */
export function currentDepth(): number {
  return depths.getStore() ?? 0;
}

/** Runs what cloud code has led to so often. Throws 141 when calls lead to calls without end. */
export function atDepth<T>(depth: number, run: () => T): T {
  if (depth > MAX_DEPTH) {
    throw new ProtocolError(
      ErrorCode.SCRIPT_FAILED,
      `Cloud functions and triggers call each other more than ${MAX_DEPTH} deep`,
    );
  }
  return depths.run(depth, run);
}
