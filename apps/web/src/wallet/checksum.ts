import { keccak_256 } from "@noble/hashes/sha3";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils";

/** Adds the EIP-55 checksum; returns invalid addresses unchanged. */
export function checksumOf(address: string): string {
  const lower = address.trim().toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(lower)) return address;
  const digits = lower.slice(2);
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const withCase = [...digits].map((digit, i) =>
    Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${withCase.join("")}`;
}
