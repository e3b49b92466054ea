import { type Address, encodeDeployData, parseEther, zeroAddress } from "viem";
import { readArtifact } from "../artifacts.ts";
import { createdBy, type DevContract } from "../devContract.ts";
import { call, type Step } from "../transactions.ts";
import { type DexContracts, dexBlocks, planDex } from "./dex.ts";
import { MAKER, type Maker, marketAccounts } from "./marketMaker.ts";
import { type SaleContracts, saleBlocks } from "./sales.ts";

/**
 * Where things are bought and sold on the development chain. It is made by accounts of its own, so that what those of the
 * mnemonic hold and have done stays as it is.
 */
export interface MarketContracts extends DexContracts, SaleContracts {}

export interface MarketPlan {
  contracts: MarketContracts;
  creations: { contractName: string; address: Address; step: Step }[];
}

export function planMarket(): MarketPlan {
  const [maker] = addresses();
  const creations: MarketPlan["creations"] = [];
  const make: Maker = {
    address: maker,
    create({ contractName, abi, bytecode }, args, name = "", symbol = "") {
      const address = createdBy(maker, creations.length);
      const data = encodeDeployData({ abi, bytecode, args });
      creations.push({ contractName, address, step: { from: MAKER, data, gas: 6_000_000n } });
      return { address, abi, name, symbol };
    },
  };
  const contracts = {
    ...planDex(make),
    cards: make.create(readArtifact("PurseCards"), [], "Purse Cards", "CARD"),
    marketplace: make.create(readArtifact("PurseMarket"), []),
    bazaar: make.create(readArtifact("PurseBazaar"), []),
  };
  return { contracts, creations };
}

/** What happens there, after all else. */
export function marketBlocks(
  { contracts, creations }: MarketPlan,
  tokens: { token: DevContract; dollar: DevContract; point: DevContract },
): Step[][] {
  const [maker, trader] = addresses();
  const made = creations.map(({ step }) => step);
  return [
    [
      { from: 0, to: maker, value: parseEther("75") },
      call(0, tokens.token, "mint", [maker, parseEther("30000")]),
      call(0, tokens.dollar, "mint", [maker, 80_000_000_000n]),
      call(0, tokens.point, "mint", [maker, 100n]),
    ],
    // As many as a block's gas has room for.
    made.slice(0, 4),
    made.slice(4, 8),
    made.slice(8),
    [{ from: MAKER, to: trader, value: parseEther("12") }],
    ...dexBlocks(contracts, tokens, [maker, trader]),
    ...saleBlocks(contracts, contracts.weth, [maker, trader]),
  ];
}

function addresses(): [Address, Address] {
  const [maker, trader] = marketAccounts();
  return [maker?.address ?? zeroAddress, trader?.address ?? zeroAddress];
}
