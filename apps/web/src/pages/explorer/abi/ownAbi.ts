import type { Abi } from "viem";
import { readPastedAbi } from "../../contract/abi.ts";
import { contractKey, storedAbi } from "../../contract/contractStorage.ts";

/** The ABI that the user pasted for a contract in this browser. */
export function ownAbi(chain: string, address: string): Abi | undefined {
  const text = storedAbi(contractKey(chain, address));
  if (text === undefined) return undefined;
  try {
    return readPastedAbi(text);
  } catch {
    // Unreadable ABIs are ignored.
    return undefined;
  }
}
