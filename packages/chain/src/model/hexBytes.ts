/** Converts hex with 0x to bytes. */
export function toBytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

/** Converts bytes to lower-case hex with 0x. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

export function toHexOrNull(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : toHex(bytes);
}

/** Types text that is hex with 0x, as viem expects it. */
export function asHex(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}

/** A number as 32 bytes in hex with 0x, which sort like the number. */
export function toWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
