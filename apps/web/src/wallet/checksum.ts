import { getAddress } from "viem/utils";

/** Adds the EIP-55 checksum; returns invalid addresses unchanged. */
export function checksumOf(address: string): string {
  const lower = address.trim().toLowerCase();
  return /^0x[0-9a-f]{40}$/.test(lower) ? getAddress(lower as `0x${string}`) : address;
}
