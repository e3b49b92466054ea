/**
 * Integers of any size as bytes in the same order, which both databases compare byte by byte: one byte for sign and
 * length, then the magnitude in big-endian order, inverted for negative numbers.
 */
const ZERO = 0x80;
/** Bytes of the largest magnitude. */
const MAX_BYTES = 0x7f;

/** Throws RangeError beyond 127 bytes, which sums of 256-bit amounts cannot reach. */
export function encodeOrdered(value: bigint): Buffer {
  if (value === 0n) return Buffer.from([ZERO]);
  const hex = (value < 0n ? -value : value).toString(16);
  const magnitude = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  if (magnitude.length > MAX_BYTES)
    throw new RangeError(`an integer of ${magnitude.length} bytes is too large`);
  if (value > 0n) return Buffer.concat([Buffer.from([ZERO + magnitude.length]), magnitude]);
  return Buffer.concat([Buffer.from([ZERO - magnitude.length]), magnitude.map((byte) => 0xff - byte)]);
}

export function decodeOrdered(bytes: Uint8Array): bigint {
  const [sign = ZERO] = bytes;
  if (sign === ZERO) return 0n;
  const content = Buffer.from(bytes.subarray(1));
  if (sign > ZERO) return BigInt(`0x${content.toString("hex")}`);
  return -BigInt(`0x${Buffer.from(content.map((byte) => 0xff - byte)).toString("hex")}`);
}
