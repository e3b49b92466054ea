import { isAddress } from "viem";
import { wordAt } from "../../abi/words.ts";

/** A call of a contract that only reads. */
export interface ContractCall {
  to: string;
  data: string;
}

/** The address in the n-th word; undefined if it is invalid or zero. */
export function addressAt(answer: string | undefined, n: number): string | undefined {
  const word = wordAt(answer, n);
  if (!word || word >= 2n ** 160n) return undefined;
  const address = `0x${word.toString(16).padStart(40, "0")}`;
  return isAddress(address, { strict: false }) ? address : undefined;
}

/** The array at the offset in the n-th word of a result; undefined if it is malformed or longer than `max`. */
export function arrayAt(answer: string | undefined, n: number, max: number): bigint[] | undefined {
  const offset = wordAt(answer, n);
  if (offset === undefined || offset % 32n !== 0n || offset > MAX_OFFSET) return undefined;
  const start = Number(offset / 32n);
  const length = wordAt(answer, start);
  if (length === undefined || length > BigInt(max)) return undefined;
  const words = Array.from({ length: Number(length) }, (_, i) => wordAt(answer, start + 1 + i));
  return words.every((word) => word !== undefined) ? words : undefined;
}

/** Far beyond any result that is read. */
const MAX_OFFSET = 1_000_000n;

/** The address in a word, in lower case. */
export function addressOfWord(word: bigint): string {
  return `0x${(word % 2n ** 160n).toString(16).padStart(40, "0")}`;
}

/** Splits results of calls into groups of the given sizes. */
export function splitResults<Result>(
  results: readonly Result[],
  groups: readonly (readonly unknown[])[],
): Result[][] {
  let offset = 0;
  return groups.map((group) => {
    const part = results.slice(offset, offset + group.length);
    offset += group.length;
    return part;
  });
}
