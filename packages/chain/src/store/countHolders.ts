import { decodeOrdered } from "./orderedInteger.ts";

/** What is needed to count the holders of a token at earlier blocks. Bytes are hex without 0x. */
export interface HolderChanges {
  /** Holders at the latest block. */
  holders: number;
  /** The balances at the latest block of all parties of the transfers: owner, and amount as `encodeOrdered` returns it. */
  balances: string;
  /** Transfers in descending order, in records of `TRANSFER_BYTES`: position, sender, receiver and amount. */
  transfers: readonly string[];
  /** The first positions after the blocks, in descending order. */
  starts: readonly number[];
}

const ADDRESS_BYTES = 20;
const SENDER = 8;
const RECEIVER = SENDER + ADDRESS_BYTES;
const AMOUNT = RECEIVER + ADDRESS_BYTES;
export const TRANSFER_BYTES = AMOUNT + 32;
const NULL_OWNER = "\0".repeat(ADDRESS_BYTES);
/** The first byte of an encoded amount is its length, from here on in both directions. */
const ZERO_AMOUNT = 0x80;

/** The number of holders at the end of each block: the current balances minus the transfers since then. */
export function countHolders({ holders, balances, transfers, starts }: HolderChanges): number[] {
  const amounts = readBalances(Buffer.from(balances, "hex"));
  const counts: number[] = [];
  let current = holders;
  const change = (owner: string, amount: bigint) => {
    if (owner === NULL_OWNER) return;
    const after = amounts.get(owner) ?? 0n;
    const before = after + amount;
    current += (before > 0n ? 1 : 0) - (after > 0n ? 1 : 0);
    amounts.set(owner, before);
  };
  for (const page of transfers) {
    const bytes = Buffer.from(page, "hex");
    for (let at = 0; at < bytes.length; at += TRANSFER_BYTES) {
      const position = Number(bytes.readBigUInt64BE(at));
      while (position < (starts[counts.length] ?? 0)) counts.push(current);
      const amount = wordAt(bytes, at + AMOUNT);
      change(bytes.toString("latin1", at + SENDER, at + RECEIVER), amount);
      change(bytes.toString("latin1", at + RECEIVER, at + AMOUNT), -amount);
    }
  }
  return [...counts, ...starts.slice(counts.length).map(() => current)];
}

function readBalances(bytes: Buffer): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (let at = 0; at < bytes.length; ) {
    const start = at + ADDRESS_BYTES;
    const end = start + 1 + Math.abs((bytes[start] ?? ZERO_AMOUNT) - ZERO_AMOUNT);
    amounts.set(bytes.toString("latin1", at, start), decodeOrdered(bytes.subarray(start, end)));
    at = end;
  }
  return amounts;
}

function wordAt(bytes: Buffer, at: number): bigint {
  let word = 0n;
  for (let part = 0; part < 32; part += 8) {
    const value = bytes.readBigUInt64BE(at + part);
    word = word === 0n ? value : (word << 64n) | value;
  }
  return word;
}
