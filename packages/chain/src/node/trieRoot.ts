import { keccak } from "./keccak.ts";
import { encodeBytes, encodeList } from "./rlp.ts";

/** A value with the nibbles of its key. */
interface Entry {
  path: Uint8Array;
  value: Uint8Array;
}

const BRANCHES = 16;
const HASH_BYTES = 32;
const NOTHING = encodeBytes(new Uint8Array(0));

/**
 * The root of the Merkle Patricia trie of a list (yellow paper, appendix D), whose keys are the RLP-encoded indexes, as
 * hex with 0x. A block header contains those of its transactions and receipts.
 */
export function trieRoot(values: readonly Uint8Array[]): string {
  const entries = values.map((value, index) => ({ path: nibblesOf(keyOf(index)), value }));
  entries.sort((a, b) => Buffer.compare(a.path, b.path));
  const root = entries.length === 0 ? NOTHING : encodeNode(entries, 0);
  return `0x${Buffer.from(keccak(root)).toString("hex")}`;
}

function keyOf(index: number): Buffer {
  const digits = index.toString(16);
  return encodeBytes(
    index === 0 ? Buffer.alloc(0) : Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex"),
  );
}

function nibblesOf(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2);
  for (const [i, byte] of bytes.entries()) {
    nibbles[i * 2] = byte >> 4;
    nibbles[i * 2 + 1] = byte & 15;
  }
  return nibbles;
}

/** Encodes the node of entries in order, none of which ends before another one begins, from a depth on. */
function encodeNode(entries: readonly Entry[], depth: number): Buffer {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return NOTHING;
  if (entries.length === 1)
    return encodeList([encodePath(first.path.subarray(depth), true), encodeBytes(first.value)]);
  let shared = depth;
  while (first.path[shared] === last.path[shared]) shared += 1;
  if (shared > depth) {
    const path = encodePath(first.path.subarray(depth, shared), false);
    return encodeList([path, reference(encodeNode(entries, shared))]);
  }
  const children: Buffer[] = [];
  let start = 0;
  for (let nibble = 0; nibble < BRANCHES; nibble++) {
    let end = start;
    while (entries[end]?.path[depth] === nibble) end += 1;
    children.push(end > start ? reference(encodeNode(entries.slice(start, end), depth + 1)) : NOTHING);
    start = end;
  }
  return encodeList([...children, NOTHING]);
}

/** A node within another one: its hash, unless it is shorter. */
function reference(node: Buffer): Buffer {
  return node.length < HASH_BYTES ? node : encodeBytes(keccak(node));
}

/** Encodes nibbles with a prefix that tells whether they end at a value, and whether their number is odd. */
function encodePath(nibbles: Uint8Array, isLeaf: boolean): Buffer {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const all = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  const bytes = Buffer.allocUnsafe(all.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = ((all[i * 2] ?? 0) << 4) | (all[i * 2 + 1] ?? 0);
  return encodeBytes(bytes);
}
