import { toBytes } from "../model/hexBytes.ts";
import type { LogRow } from "../model/rows.ts";
import { keccak } from "./keccak.ts";

const BYTES = 256;
/** Cache of the bits of addresses and topics; most of them recur. */
const MAX_CACHED = 100_000;
const bitCache = new Map<string, readonly [number, number, number]>();

/**
 * The bloom filter of logs (Ethereum yellow paper, 4.3.1) in lower-case hex. A block header contains the filter of
 * all its logs, so that missing and added logs are detected.
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
  const found = bitCache.get(item);
  if (found) return found;
  const hashed = keccak(toBytes(item));
  const bit = (at: number) => (((hashed[at] ?? 0) << 8) | (hashed[at + 1] ?? 0)) & 2047;
  const bits = [bit(0), bit(2), bit(4)] as const;
  if (bitCache.size >= MAX_CACHED) bitCache.clear();
  bitCache.set(item, bits);
  return bits;
}
