import { type Abi, type Address, getContractAddress } from "viem";

/** A contract on the development chain. */
export interface DevContract {
  /** Lower-case hex; the same on every machine. */
  address: Address;
  /** Empty if the contract has none. */
  name: string;
  /** Empty if the contract has none. */
  symbol: string;
  abi: Abi;
}

/** The address of a contract that an account creates at a nonce; lower-case hex. */
export function createdBy(creator: Address, nonce: number): Address {
  const address = getContractAddress({ from: creator, nonce: BigInt(nonce) });
  return `0x${address.slice(2).toLowerCase()}`;
}
