import type { TransactionCall } from "./send.ts";
import type { SimulateOptions, Simulation } from "./simulation.ts";

export type { BalanceChange, SimulateOptions, Simulation } from "./simulation.ts";

/** Simulates a transaction from the wallet's account, without requesting a signature. */
export async function simulate(call: TransactionCall, options?: SimulateOptions): Promise<Simulation> {
  return (await import("./simulation.ts")).simulate(call, options);
}

/**
 * Simulates calls from the wallet's account that are executed together. Without eth_simulateV1, the effects of the later
 * calls are unknown: there are no changes, and neither gas nor a revert.
 */
export async function simulateCalls(
  calls: readonly TransactionCall[],
  options?: SimulateOptions,
): Promise<Simulation> {
  return (await import("./simulation.ts")).simulateCalls(calls, options);
}
