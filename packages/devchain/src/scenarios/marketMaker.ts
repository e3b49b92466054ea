import { type Address, keccak256, stringToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { DevAccount } from "../accounts.ts";
import type { Artifact } from "../artifacts.ts";
import type { DevContract } from "../devContract.ts";

/** Under what numbers of account the history knows those of the market. */
export const MAKER = 10;
export const TRADER = 11;

/** Who makes the market and who trades there. Their keys are public knowledge, as those of the mnemonic are. */
export function marketAccounts(): DevAccount[] {
  return ["purse market maker", "purse market trader"].map((name) => {
    const privateKey = keccak256(stringToHex(name));
    return { privateKey, address: lowerCase(privateKeyToAddress(privateKey)) };
  });
}

/** Makes contracts of the maker, one after the other. */
export interface Maker {
  address: Address;
  create(artifact: Artifact, args: unknown[], name?: string, symbol?: string): DevContract;
}

function lowerCase(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
