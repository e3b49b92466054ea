import { type Address, keccak256, stringToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { DevAccount } from "../accounts.ts";
import type { Artifact } from "../artifacts.ts";
import type { DevContract } from "../devContract.ts";

/** Account numbers of the market accounts in the history. */
export const MAKER = 10;
export const TRADER = 11;

/** The market maker and the trader. Their keys are public, like those of the mnemonic. */
export function marketAccounts(): DevAccount[] {
  return ["purse market maker", "purse market trader"].map((name) => {
    const privateKey = keccak256(stringToHex(name));
    return { privateKey, address: lowerCase(privateKeyToAddress(privateKey)) };
  });
}

/** Plans contracts that the market maker deploys in order. */
export interface ContractDeployer {
  address: Address;
  create(artifact: Artifact, args: unknown[], name?: string, symbol?: string): DevContract;
}

function lowerCase(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
