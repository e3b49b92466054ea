import { type Address, encodeDeployData, keccak256, parseEther, stringToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { DevAccount } from "../accounts.ts";
import { type Artifact, readArtifact } from "../artifacts.ts";
import { createdBy, type DevContract } from "../contracts.ts";
import { call, type Step } from "../steps.ts";
import { type DexContracts, dexBlocks, planDex } from "./dex.ts";

/**
 * Where things are bought and sold on the development chain. It is made by accounts of its own, so that what those of the
 * mnemonic hold and have done stays as it is.
 */
export interface MarketContracts extends DexContracts {
  /** ERC-721, bought and sold. */
  cards: DevContract;
  /** Tells of its sales as Seaport does. */
  market: DevContract;
  /** Tells of its sales as LooksRare's second version does. */
  bazaar: DevContract;
}

/** Under what numbers of account the history knows those of the market. */
export const MAKER = 10;
export const TRADER = 11;

/** Their keys are public knowledge, as those of the mnemonic are. */
export function marketAccounts(): DevAccount[] {
  return ["purse market maker", "purse market trader"].map((name) => {
    const privateKey = keccak256(stringToHex(name));
    return { privateKey, address: lowerCase(privateKeyToAddress(privateKey)) };
  });
}

/** Makes contracts of the maker, one after the other. */
export interface Market {
  maker: Address;
  create(artifact: Artifact, args: unknown[], name?: string, symbol?: string): DevContract;
}

export interface MarketPlan {
  contracts: MarketContracts;
  creations: { contractName: string; address: Address; step: Step }[];
}

export function planMarket(): MarketPlan {
  const maker = addressOf(0);
  const creations: MarketPlan["creations"] = [];
  const market: Market = {
    maker,
    create({ contractName, abi, bytecode }, args, name = "", symbol = "") {
      const address = createdBy(maker, creations.length);
      const data = encodeDeployData({ abi, bytecode, args });
      creations.push({ contractName, address, step: { from: MAKER, data, gas: 6_000_000n } });
      return { address, abi, name, symbol };
    },
  };
  const contracts = {
    ...planDex(market),
    cards: market.create(readArtifact("PurseCards"), [], "Purse Cards", "CARD"),
    market: market.create(readArtifact("PurseMarket"), []),
    bazaar: market.create(readArtifact("PurseBazaar"), []),
  };
  return { contracts, creations };
}

/** What happens there, after all else. */
export function marketBlocks(
  { contracts, creations }: MarketPlan,
  tokens: { token: DevContract; dollar: DevContract; point: DevContract },
): Step[][] {
  const [maker, trader] = [addressOf(0), addressOf(1)];
  const made = creations.map(({ step }) => step);
  return [
    [
      { from: 0, to: maker, value: parseEther("2000") },
      call(0, tokens.token, "mint", [maker, parseEther("300000")]),
      call(0, tokens.dollar, "mint", [maker, 800_000_000_000n]),
      call(0, tokens.point, "mint", [maker, 100n]),
    ],
    // As many as a block's gas has room for.
    made.slice(0, 4),
    made.slice(4, 8),
    made.slice(8),
    [{ from: MAKER, to: trader, value: parseEther("100") }],
    ...dexBlocks(contracts, tokens, [maker, trader]),
    ...saleBlocks(contracts, [maker, trader]),
  ];
}

interface Spent {
  itemType: number;
  token: Address;
  identifier: bigint;
  amount: bigint;
}

interface Received extends Spent {
  recipient: Address;
}

const COIN = "0x0000000000000000000000000000000000000000";

/** Cards change hands: for the coin and for tokens, by asks and by bids, alone and together. */
function saleBlocks(
  { weth, cards, market, bazaar }: MarketContracts,
  [maker, trader]: readonly [Address, Address],
): Step[][] {
  const card = (id: bigint): Spent => ({ itemType: 2, token: cards.address, identifier: id, amount: 1n });
  const coins = (amount: string): Spent => {
    return { itemType: 0, token: COIN, identifier: 0n, amount: parseEther(amount) };
  };
  const wrapped = (amount: string): Spent => ({ ...coins(amount), itemType: 1, token: weth.address });
  const to = (recipient: Address, item: Spent): Received => ({ ...item, recipient });
  const place = (from: number, offer: Spent[], wanted: Received[]): Step =>
    call(from, market, "place", [offer, wanted]);
  const fulfil = (from: number, offerer: Address, offer: Spent[], wanted: Received[], pays = 0n): Step => ({
    ...call(from, market, "fulfil", [offerer, offer, wanted], pays),
  });

  const sale = { offer: [card(1n)], wanted: [to(maker, coins("0.975")), to(addressOf(1), coins("0.025"))] };
  const bundle = { offer: [card(2n), card(3n)], wanted: [to(maker, coins("1.4"))] };
  const bid = { offer: [wrapped("0.6")], wanted: [to(trader, card(4n)), to(maker, wrapped("0.015"))] };
  return [
    [
      call(MAKER, cards, "mint", [maker, 8n]),
      call(MAKER, cards, "setApprovalForAll", [market.address, true]),
      call(MAKER, cards, "setApprovalForAll", [bazaar.address, true]),
      { from: TRADER, to: weth.address, value: parseEther("5") },
      call(TRADER, weth, "approve", [market.address, parseEther("5")]),
      call(TRADER, weth, "approve", [bazaar.address, parseEther("5")]),
      call(MAKER, weth, "approve", [market.address, parseEther("5")]),
    ],
    [
      place(MAKER, sale.offer, sale.wanted),
      place(MAKER, bundle.offer, bundle.wanted),
      place(TRADER, bid.offer, bid.wanted),
      call(MAKER, bazaar, "place", [true, cards.address, 5n, COIN, parseEther("0.8")]),
      call(TRADER, bazaar, "place", [false, cards.address, 6n, weth.address, parseEther("0.4")]),
    ],
    [fulfil(TRADER, maker, sale.offer, sale.wanted, parseEther("1"))],
    [
      fulfil(TRADER, maker, bundle.offer, bundle.wanted, parseEther("1.4")),
      fulfil(MAKER, trader, bid.offer, bid.wanted),
    ],
    [
      call(TRADER, bazaar, "take", [0n], parseEther("0.8")),
      call(MAKER, bazaar, "take", [1n]),
    ],
  ];
}

function addressOf(index: number): Address {
  return marketAccounts()[index]?.address ?? COIN;
}

function lowerCase(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
