import { type Address, parseEther, zeroAddress } from "viem";
import type { DevContract } from "../devContract.ts";
import { call, type PlannedTransaction } from "../transactions.ts";
import { MAKER, TRADER } from "./marketMaker.ts";

export interface SaleContracts {
  /** The traded ERC-721. */
  cards: DevContract;
  /** Logs its sales like Seaport. */
  marketplace: DevContract;
  /** Logs its sales like LooksRare v2. */
  bazaar: DevContract;
}

interface OrderItem {
  itemType: number;
  token: Address;
  identifier: bigint;
  amount: bigint;
}

interface ReceivedItem extends OrderItem {
  recipient: Address;
}

/** Sales of cards: for the native coin and for tokens, by asks and bids, individually and in bundles. */
export function saleBlocks(
  { cards, marketplace, bazaar }: SaleContracts,
  weth: DevContract,
  [maker, trader]: readonly [Address, Address],
): PlannedTransaction[][] {
  const card = (id: bigint): OrderItem => ({ itemType: 2, token: cards.address, identifier: id, amount: 1n });
  const coins = (amount: string): OrderItem => {
    return { itemType: 0, token: zeroAddress, identifier: 0n, amount: parseEther(amount) };
  };
  const wrapped = (amount: string): OrderItem => ({ ...coins(amount), itemType: 1, token: weth.address });
  const to = (recipient: Address, item: OrderItem): ReceivedItem => ({ ...item, recipient });
  const place = (from: number, offer: OrderItem[], consideration: ReceivedItem[]): PlannedTransaction =>
    call(from, marketplace, "place", [offer, consideration]);
  const fulfil = (
    from: number,
    offerer: Address,
    offer: OrderItem[],
    consideration: ReceivedItem[],
    payment = 0n,
  ): PlannedTransaction => ({
    ...call(from, marketplace, "fulfil", [offerer, offer, consideration], payment),
  });

  const sale = { offer: [card(1n)], wanted: [to(maker, coins("0.975")), to(trader, coins("0.025"))] };
  const bundle = { offer: [card(2n), card(3n)], wanted: [to(maker, coins("1.4"))] };
  const bid = { offer: [wrapped("0.6")], wanted: [to(trader, card(4n)), to(maker, wrapped("0.015"))] };
  return [
    [
      call(MAKER, cards, "mint", [maker, 8n]),
      call(MAKER, cards, "setApprovalForAll", [marketplace.address, true]),
      call(MAKER, cards, "setApprovalForAll", [bazaar.address, true]),
      { from: TRADER, to: weth.address, value: parseEther("5") },
      call(TRADER, weth, "approve", [marketplace.address, parseEther("5")]),
      call(TRADER, weth, "approve", [bazaar.address, parseEther("5")]),
      call(MAKER, weth, "approve", [marketplace.address, parseEther("5")]),
    ],
    [
      place(MAKER, sale.offer, sale.wanted),
      place(MAKER, bundle.offer, bundle.wanted),
      place(TRADER, bid.offer, bid.wanted),
      call(MAKER, bazaar, "place", [true, cards.address, 5n, zeroAddress, parseEther("0.8")]),
      call(TRADER, bazaar, "place", [false, cards.address, 6n, weth.address, parseEther("0.4")]),
    ],
    [fulfil(TRADER, maker, sale.offer, sale.wanted, parseEther("1"))],
    [
      fulfil(TRADER, maker, bundle.offer, bundle.wanted, parseEther("1.4")),
      fulfil(MAKER, trader, bid.offer, bid.wanted),
    ],
    [call(TRADER, bazaar, "take", [0n], parseEther("0.8")), call(MAKER, bazaar, "take", [1n])],
  ];
}
