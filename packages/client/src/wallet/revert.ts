import type { Abi, Hex } from "viem";
import type { Revert } from "./revertReason.ts";

export type { Revert } from "./revertReason.ts";

/** A reverted call. `code`, `reason`, `errorName` and `errorArgs` are compatible with ethers. */
export class RevertError extends Error {
  override readonly name = "RevertError";
  readonly code = "CALL_EXCEPTION";
  readonly reason: string;
  readonly errorName: string | null;
  readonly errorArgs: readonly unknown[];
  readonly data: Hex | null;

  constructor(revert: Revert, options?: ErrorOptions) {
    super(`execution reverted: ${revert.reason}`, options);
    this.reason = revert.reason;
    this.errorName = revert.errorName;
    this.errorArgs = revert.errorArgs;
    this.data = revert.data;
  }
}

/** Extracts a revert from a node's error; null for other errors. */
export async function revertOf(error: unknown, abi?: Abi): Promise<Revert | null> {
  return (await import("./revertReason.ts")).revertOf(error, abi);
}

/** Decodes revert data by the ABI of the called contract, or as an error of a token standard (ERC-6093). */
export async function decodeRevert(data: Hex, abi?: Abi): Promise<Revert> {
  return (await import("./revertReason.ts")).decodeRevert(data, abi);
}
