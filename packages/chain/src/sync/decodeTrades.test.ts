import { encodeAbiParameters, parseAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import { decodeLogs, TRANSFER_TOPIC } from "./decode.ts";

/** The topics of the real contracts' events, as block explorers show them. */
const SEAPORT = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const TAKER_BID = "0x3ee3de4684413690dee6fff1a0a4f92916a1b97d1c5a83cdf24671844306b2e3";
const TAKER_ASK = "0x9aaa45d6db2ef74ead0751ea9113263d1dec1b50cea05f0ca2002cb8063564a4";
const shape = parseAbiParameters(
  "bytes32, address, (uint8 itemType, address token, uint256 identifier, uint256 amount)[], (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[]",
);

const looksRare = parseAbiParameters(
  "(bytes32 orderHash, uint256 orderNonce, bool isNonceInvalidated), address, address, uint256, address, address, uint256[], uint256[], address[2], uint256[3]",
);

const address = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "0")}`;
const topic = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
const [SELLER, BUYER, CARDS, ITEMS, COIN, DOLLAR] = [1, 2, 11, 12, 0, 20];

type Item = [itemType: number, token: number, identifier: bigint, amount: bigint];
const card = (id: bigint, token = CARDS): Item => [2, token, id, 1n];
const coins = (amount: bigint): Item => [0, COIN, 0n, amount];
const dollars = (amount: bigint): Item => [1, DOLLAR, 0n, amount];

function log(topics: string[], data: string, position = 5, from = 30) {
  return { position, transactionIndex: 0, transactionHash: topic(99), address: address(from), topics, data };
}

function order(offer: Item[], wanted: Item[], { maker = SELLER, taker = BUYER, to = SELLER } = {}) {
  const item = ([itemType, token, identifier, amount]: Item) => ({
    itemType,
    token: address(token),
    identifier,
    amount,
  });
  const data = encodeAbiParameters(shape, [
    `0x${"ab".repeat(32)}`,
    address(taker),
    offer.map(item),
    wanted.map((each) => ({ ...item(each), recipient: address(to) })),
  ]);
  return log([SEAPORT, topic(maker), topic(0)], data);
}

const sales = (...logs: ReturnType<typeof log>[]) => decodeLogs(logs).trades;

describe("a Seaport order", () => {
  it("that asks is a sale by its maker, and what all receive is the price", () => {
    expect(sales(order([card(7n)], [coins(90n), coins(10n)]))).toEqual([
      {
        position: 5,
        transactionIndex: 0,
        transactionHash: topic(99),
        marketplace: address(30),
        token: address(CARDS),
        tokenIds: ["7"],
        seller: address(SELLER),
        buyer: address(BUYER),
        price: topic(100),
        priceToken: null,
      },
    ]);
  });

  it("that bids is a sale to its maker, for what it offers", () => {
    const bid = order([dollars(100n)], [card(7n), dollars(5n)], { maker: BUYER, taker: SELLER });
    expect(sales(bid)).toMatchObject([
      { seller: address(SELLER), buyer: address(BUYER), price: topic(100), priceToken: address(DOLLAR) },
    ]);
  });

  it("that was matched with another counts once, and went to whom the token went", () => {
    const moved = log([TRANSFER_TOPIC, topic(SELLER), topic(BUYER), topic(7)], "0x", 4, CARDS);
    const ask = order([card(7n)], [dollars(100n)], { taker: 0 });
    const bid = order([dollars(100n)], [card(7n)], { maker: BUYER, taker: 0 });
    expect(sales(moved, ask, bid)).toMatchObject([{ seller: address(SELLER), buyer: address(BUYER) }]);
    expect(sales(ask)).toEqual([]);
  });

  it.each([
    { what: "a gift", offer: [card(7n)], wanted: [] },
    { what: "a gift for nothing of the coin", offer: [card(7n)], wanted: [coins(0n)] },
    { what: "a swap", offer: [card(7n)], wanted: [card(8n, ITEMS)] },
    { what: "paid in two currencies", offer: [card(7n)], wanted: [coins(1n), dollars(1n)] },
    { what: "of two collections", offer: [card(7n), card(7n, ITEMS)], wanted: [coins(1n)] },
    { what: "tokens for tokens", offer: [dollars(1n)], wanted: [coins(1n)] },
    { what: "more than can be", offer: [card(7n)], wanted: [coins(2n ** 256n - 1n), coins(1n)] },
  ])("that is $what has no price", ({ offer, wanted }) => {
    expect(sales(order(offer, wanted))).toEqual([]);
  });
});

describe("a sale of LooksRare's second version", () => {
  const nonce = { orderHash: `0x${"cd".repeat(32)}`, orderNonce: 1n, isNonceInvalidated: true } as const;
  const taken = (event: string, currency = COIN) => {
    const sides = [address(3), address(BUYER), 0n, address(currency), address(CARDS)] as const;
    const lists = [
      [7n, 8n],
      [1n, 1n],
    ] as const;
    const fees = [[address(SELLER), address(9)] as const, [90n, 7n, 3n] as const] as const;
    return log([event], encodeAbiParameters(looksRare, [nonce, ...sides, ...lists, ...fees]));
  };

  it("is by whom the proceeds go to, where somebody buys", () => {
    expect(sales(taken(TAKER_BID))).toMatchObject([
      {
        token: address(CARDS),
        tokenIds: ["7", "8"],
        seller: address(SELLER),
        buyer: address(BUYER),
        price: topic(100),
        priceToken: null,
      },
    ]);
  });

  it("is by whoever takes a bid, where somebody sells", () => {
    expect(sales(taken(TAKER_ASK, DOLLAR))).toMatchObject([
      { seller: address(3), buyer: address(BUYER), price: topic(100), priceToken: address(DOLLAR) },
    ]);
  });
});

describe("what only looks like a sale", () => {
  const real = order([card(7n)], [coins(1n)]);
  it.each([
    { what: "no data", topics: real.topics, data: "0x" },
    { what: "half its data", topics: real.topics, data: real.data.slice(0, 2 + 64 * 5) },
    { what: "lists of endless length", topics: real.topics, data: `0x${"f".repeat(64 * 8)}` },
    {
      what: "lists that lie in one another",
      topics: real.topics,
      data: `0x${topic(0x20).slice(2).repeat(40)}`,
    },
    { what: "a topic too few", topics: real.topics.slice(0, 2), data: real.data },
    { what: "megabytes", topics: real.topics, data: `0x${"00".repeat(2_000_000)}` },
    { what: "noise", topics: [TAKER_BID], data: `0x${"9c".repeat(32 * 30)}` },
    { what: "nothing at all", topics: [], data: "0x" },
  ])("stays a log: $what", ({ topics, data }) => {
    const { logs, trades } = decodeLogs([log(topics, data)]);
    expect(trades).toEqual([]);
    expect(logs).toHaveLength(1);
  });
});
