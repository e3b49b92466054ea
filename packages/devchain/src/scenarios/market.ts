import { type Address, encodeDeployData, parseEther, zeroAddress } from "viem";
import { readArtifact } from "../artifacts.ts";
import { createdBy, type DevContract } from "../devContract.ts";
import { call, type PlannedTransaction } from "../transactions.ts";
import { type DexContracts, dexBlocks, planDex } from "./dex.ts";
import { type ContractDeployer, MAKER, marketAccounts } from "./marketMaker.ts";
import { type SaleContracts, saleBlocks } from "./sales.ts";

/**
 * Exchanges and marketplaces of the development chain. Separate accounts deploy and use them, so that the mnemonic's
 * accounts are unaffected.
 */
export interface MarketContracts extends DexContracts, SaleContracts {}

export interface MarketPlan {
  contracts: MarketContracts;
  creations: { contractName: string; address: Address; step: PlannedTransaction }[];
}

export function planMarket(): MarketPlan {
  const [maker] = addresses();
  const creations: MarketPlan["creations"] = [];
  const deployer: ContractDeployer = {
    address: maker,
    create({ contractName, abi, bytecode }, args, name = "", symbol = "") {
      const address = createdBy(maker, creations.length);
      const data = encodeDeployData({ abi, bytecode, args });
      creations.push({ contractName, address, step: { from: MAKER, data, gas: 6_000_000n } });
      return { address, abi, name, symbol };
    },
  };
  const contracts = {
    ...planDex(deployer),
    cards: deployer.create(readArtifact("PurseCards"), [], "Purse Cards", "CARD"),
    marketplace: deployer.create(readArtifact("PurseMarket"), []),
    bazaar: deployer.create(readArtifact("PurseBazaar"), []),
  };
  return { contracts, creations };
}

/** Transactions of the markets, at the end of the history. */
export function marketBlocks(
  { contracts, creations }: MarketPlan,
  tokens: { token: DevContract; dollar: DevContract; point: DevContract },
): PlannedTransaction[][] {
  const [maker, trader] = addresses();
  const deployments = creations.map(({ step }) => step);
  return [
    [
      { from: 0, to: maker, value: parseEther("75") },
      call(0, tokens.token, "mint", [maker, parseEther("30000")]),
      call(0, tokens.dollar, "mint", [maker, 80_000_000_000n]),
      call(0, tokens.point, "mint", [maker, 100n]),
    ],
    // As many as fit into a block.
    deployments.slice(0, 4),
    deployments.slice(4, 8),
    deployments.slice(8),
    [{ from: MAKER, to: trader, value: parseEther("12") }],
    ...dexBlocks(contracts, tokens, [maker, trader]),
    ...saleBlocks(contracts, contracts.weth, [maker, trader]),
  ];
}

function addresses(): [Address, Address] {
  const [maker, trader] = marketAccounts();
  return [maker?.address ?? zeroAddress, trader?.address ?? zeroAddress];
}
