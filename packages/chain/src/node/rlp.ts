/**
 * Recursive length prefix encoding (https://ethereum.org/developers/docs/data-structures-and-encoding/rlp): bytes as hex
 * with 0x, and lists of items.
 */
export type RlpItem = string | readonly RlpItem[];

const BYTES = 0x80;
const LIST = 0xc0;
const MAX_SHORT = 55;

/** Encodes an item after a number of bytes that are left free. */
export function encodeRlp(item: RlpItem, offset = 0): Buffer {
  const lengths: number[] = [];
  const length = measure(item, lengths);
  const buffer = Buffer.allocUnsafe(offset + length);
  write(buffer, offset, item, lengths.values());
  return buffer;
}

/** A quantity of JSON-RPC as bytes without leading zeros. */
export function quantityBytes(quantity: string): string {
  const digits = quantity.slice(2).replace(/^0+/, "");
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`;
}

/** Adds the lengths of the contents of lists, outer ones first. */
function measure(item: RlpItem, lengths: number[]): number {
  if (typeof item === "string") {
    const length = (item.length - 2) / 2;
    return isSingleByte(item) ? 1 : length + prefixLength(length);
  }
  const at = lengths.push(0) - 1;
  let length = 0;
  for (const each of item) length += measure(each, lengths);
  lengths[at] = length;
  return length + prefixLength(length);
}

/** Returns the position after the item. */
function write(buffer: Buffer, at: number, item: RlpItem, lengths: Iterator<number>): number {
  if (typeof item === "string") {
    const length = (item.length - 2) / 2;
    const start = isSingleByte(item) ? at : writePrefix(buffer, at, BYTES, length);
    buffer.write(item.slice(2), start, length, "hex");
    return start + length;
  }
  let next = writePrefix(buffer, at, LIST, Number(lengths.next().value));
  for (const each of item) next = write(buffer, next, each, lengths);
  return next;
}

/** Bytes below 0x80 stand for themselves. */
function isSingleByte(hex: string): boolean {
  return hex.length === 4 && hex < "0x80";
}

function prefixLength(length: number): number {
  return length <= MAX_SHORT ? 1 : 1 + bytesOf(length);
}

function bytesOf(length: number): number {
  return length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;
}

/** Returns the position after the prefix. */
function writePrefix(buffer: Buffer, at: number, kind: number, length: number): number {
  if (length <= MAX_SHORT) return buffer.writeUInt8(kind + length, at);
  const bytes = bytesOf(length);
  buffer.writeUInt8(kind + MAX_SHORT + bytes, at);
  return buffer.writeUIntBE(length, at + 1, bytes);
}

/** Encodes bytes. */
export function encodeBytes(bytes: Uint8Array): Buffer {
  if (bytes.length === 1 && (bytes[0] ?? 0) < BYTES) return Buffer.from(bytes);
  const offset = prefixLength(bytes.length);
  const buffer = Buffer.allocUnsafe(offset + bytes.length);
  writePrefix(buffer, 0, BYTES, bytes.length);
  buffer.set(bytes, offset);
  return buffer;
}

/** Encodes a list of items that are already encoded. */
export function encodeList(items: readonly Uint8Array[]): Buffer {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  const buffer = Buffer.allocUnsafe(prefixLength(length) + length);
  let at = writePrefix(buffer, 0, LIST, length);
  for (const item of items) {
    buffer.set(item, at);
    at += item.length;
  }
  return buffer;
}
