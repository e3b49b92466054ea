import type { Abi } from "viem";
import { readPastedAbi } from "../../contract/abi.ts";
import { contractKey, storedAbi } from "../../contract/contractStorage.ts";

/** The ABI that somebody has pasted for a contract on its page, in this browser. */
export function ownAbi(chain: string, address: string): Abi | undefined {
  const text = storedAbi(contractKey(chain, address));
  if (text === undefined) return undefined;
  try {
    return readPastedAbi(text);
  } catch {
    // What cannot be read any more is as if there was none.
    return undefined;
  }
}
