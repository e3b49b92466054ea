import { keccak_256 } from "@noble/hashes/sha3.js";
import type { LogRow } from "../model/rows.ts";

const BYTES = 256;
/** The bits of addresses and topics seen before: most come again and again. */
const KEPT = 100_000;
const known = new Map<string, readonly [number, number, number]>();

/**
 * The bloom filter of logs (Ethereum yellow paper, 4.3.1): what a block's header says of all its logs, so that
 * none can be left out or put in. Lower-case hex.
 */
export function bloomOf(logs: readonly Pick<LogRow, "address" | "topics">[]): string {
  const bloom = Buffer.alloc(BYTES);
  for (const { address, topics } of logs) {
    add(bloom, address);
    for (const topic of topics) add(bloom, topic);
  }
  return `0x${bloom.toString("hex")}`;
}

function add(bloom: Buffer, item: string): void {
  for (const bit of bitsOf(item)) {
    const byte = BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
  }
}

function bitsOf(item: string): readonly [number, number, number] {
  const found = known.get(item);
  if (found) return found;
  const hashed = keccak_256(Buffer.from(item.slice(2), "hex"));
  const bit = (at: number) => (((hashed[at] ?? 0) << 8) | (hashed[at + 1] ?? 0)) & 2047;
  const bits = [bit(0), bit(2), bit(4)] as const;
  if (known.size >= KEPT) known.clear();
  known.set(item, bits);
  return bits;
}
