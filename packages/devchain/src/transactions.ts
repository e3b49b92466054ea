import { type Address, encodeFunctionData, type Hex } from "viem";
import type { DevContract } from "./devContract.ts";

/** A transaction to be; `from` is the number of an account. */
export interface Step {
  from: number;
  to?: Address;
  data?: Hex;
  /** wei */
  value?: bigint;
  /** Whether it is to fail. */
  fails?: boolean;
  /** What it may burn at most, where that is more than is usual. */
  gas?: bigint;
}

export function call(
  from: number,
  contract: Pick<DevContract, "address" | "abi">,
  functionName: string,
  args: unknown[],
  value = 0n,
): Step {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args });
  return { from, to: contract.address, data, value };
}
