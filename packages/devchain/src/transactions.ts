import { type Address, encodeFunctionData, type Hex } from "viem";
import type { DevContract } from "./devContract.ts";

/** A planned transaction; `from` is an account number. */
export interface PlannedTransaction {
  from: number;
  to?: Address;
  data?: Hex;
  /** wei */
  value?: bigint;
  /** Whether it is expected to revert. */
  fails?: boolean;
  /** Gas limit, if higher than the default. */
  gas?: bigint;
}

export function call(
  from: number,
  contract: Pick<DevContract, "address" | "abi">,
  functionName: string,
  args: unknown[],
  value = 0n,
): PlannedTransaction {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args });
  return { from, to: contract.address, data, value };
}
