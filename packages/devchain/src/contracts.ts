import { type Abi, type Address, getContractAddress, type Hex } from "viem";
import { type ContractName, readArtifact } from "./artifacts.ts";

/** A contract on the development chain. */
export interface DevContract {
  /** Lower-case hex; the same on every machine. */
  address: Address;
  name: string;
  symbol: string;
  abi: Abi;
}

export interface DevContracts {
  /** ERC-20. */
  token: DevContract & { decimals: number };
  /** ERC-721. */
  collection: DevContract;
  /** ERC-1155. */
  items: DevContract;
}

/** The contracts with their creation code, in the order in which account 0 deploys them. */
export interface ContractPlan {
  contracts: DevContracts;
  bytecodes: Hex[];
}

export function planContracts(deployer: Address): ContractPlan {
  const bytecodes: Hex[] = [];
  const plan = (contractName: ContractName, name: string, symbol: string): DevContract => {
    const { abi, bytecode } = readArtifact(contractName);
    const address = getContractAddress({ from: deployer, nonce: BigInt(bytecodes.length) });
    bytecodes.push(bytecode);
    return { address: `0x${address.slice(2).toLowerCase()}`, name, symbol, abi };
  };
  const token = { ...plan("PurseToken", "Purse Token", "PURSE"), decimals: 18 };
  const collection = plan("PursePieces", "Purse Pieces", "PIECE");
  const items = plan("PurseItems", "Purse Items", "ITEM");
  return { contracts: { token, collection, items }, bytecodes };
}
