import type { Abi } from "viem";
import type { FeeTiers } from "./fees.ts";
import type { Revert } from "./revert.ts";
import type { TransactionCall } from "./send.ts";

/** A change of one of the sender's balances. */
export interface BalanceChange {
  type: "native" | "erc20" | "erc721" | "erc1155";
  /** Lowercase hex; null for the native currency. */
  contractAddress: string | null;
  /** For NFTs. */
  tokenId: bigint | null;
  /** In the smallest unit, without gas; negative for losses. */
  amount: bigint;
}

/** The simulated effects of a transaction. */
export interface Simulation {
  /** Lowercase hex. */
  from: string;
  /** The revert reason; null if it would succeed. */
  revert: Revert | null;
  /** null if it would fail. */
  gas: bigint | null;
  fees: FeeTiers;
  changes: BalanceChange[];
  /** Whether `changes` includes tokens: nodes without eth_simulateV1 report only the native currency. */
  complete: boolean;
}

/** Options of a simulation. */
export interface SimulateOptions {
  /** Used to decode the errors of the called contract. */
  abi?: Abi | undefined;
}

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
