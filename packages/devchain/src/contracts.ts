import type { Address, Hex } from "viem";
import { devAccounts } from "./accounts.ts";
import { type ContractName, readArtifact } from "./artifacts.ts";
import { createdBy, type DevContract } from "./devContract.ts";
import { type MarketContracts, type MarketPlan, planMarket } from "./scenarios/market.ts";

export interface DevContracts {
  /** ERC-20. */
  token: DevContract & { decimals: number };
  /** ERC-721. */
  collection: DevContract;
  /** ERC-1155. */
  items: DevContract;
  /** ERC-20 with 6 decimals. */
  dollar: DevContract & { decimals: number };
  /** ERC-20 with 0 decimals. */
  point: DevContract & { decimals: number };
  /** A legacy ERC-20: name and symbol are bytes32, transfers return nothing. */
  legacy: DevContract & { decimals: number };
  /** ERC-721 with burns and metadata URIs chosen by the minter. */
  gallery: DevContract;
  /** ERC-1155 with burns and one URI for all tokens; without name and symbol. */
  tickets: DevContract;
  /** Contracts that look like tokens and attack their readers. */
  hostile: {
    /** Logs ERC-20 transfers; its name, symbol, decimals and balances revert. */
    reverter: DevContract;
    /** A name that is not UTF-8, a symbol of 100,000 bytes, 255 decimals. */
    name: DevContract;
    /** Malformed Transfer logs. */
    logs: DevContract;
  };
  /** Exchanges and marketplaces. */
  market: MarketContracts;
}

/** A contract that account 0 deploys. */
export interface Creation {
  contractName: ContractName;
  address: Address;
  bytecode: Hex;
}

export interface ContractPlan {
  contracts: DevContracts;
  /** In deployment order: contracts at the start of the history, and later ones. */
  creations: { first: Creation[]; later: Creation[] };
  market: MarketPlan;
}

/** Number of transactions of account 0 before the later contracts. */
const laterNonce = 27;

export function planContracts(deployer: Address): ContractPlan {
  const first: Creation[] = [];
  const later: Creation[] = [];
  const plan = (into: Creation[], contractName: ContractName, name: string, symbol: string): DevContract => {
    const { abi, bytecode } = readArtifact(contractName);
    const nonce = into.length + (into === later ? laterNonce : 0);
    const address = createdBy(deployer, nonce);
    into.push({ contractName, address, bytecode });
    return { address, name, symbol, abi };
  };
  const market = planMarket();
  const contracts = {
    token: { ...plan(first, "PurseToken", "Purse Token", "PURSE"), decimals: 18 },
    collection: plan(first, "PursePieces", "Purse Pieces", "PIECE"),
    items: plan(first, "PurseItems", "Purse Items", "ITEM"),
    dollar: { ...plan(later, "PurseDollar", "Purse Dollar", "pUSD"), decimals: 6 },
    point: { ...plan(later, "PursePoint", "Purse Point", "POINT"), decimals: 0 },
    legacy: { ...plan(later, "PurseLegacy", "Purse Legacy", "LEGACY"), decimals: 8 },
    gallery: plan(later, "PurseGallery", "Purse Gallery", "GALLERY"),
    tickets: plan(later, "PurseTickets", "", ""),
    hostile: {
      reverter: plan(later, "HostileReverter", "", ""),
      name: plan(later, "HostileName", "", ""),
      logs: plan(later, "HostileLogs", "", ""),
    },
    market: market.contracts,
  };
  return { contracts, creations: { first, later }, market };
}

/** The contracts of every development chain; their addresses are the same on every machine. */
export function devContracts(): DevContracts {
  return planContracts(devAccounts()[0]?.address ?? "0x").contracts;
}
