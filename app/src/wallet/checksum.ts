import { getAddress } from "viem/utils";

/** An address in EIP-55 spelling; what is no address stays as it is. */
export function checksumOf(address: string): string {
  const lower = address.trim().toLowerCase();
  return /^0x[0-9a-f]{40}$/.test(lower) ? getAddress(lower as `0x${string}`) : address;
}
