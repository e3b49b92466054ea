import { encodeAbiParameters, parseAbiParameters, toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import { TRANSFER_TOPIC } from "../model/topics.ts";
import { decodeLogs, TRANSFER_SINGLE_TOPIC } from "./decodeLogs.ts";

/** Topics of the deployed contracts' events, as block explorers show them. */
const SEAPORT = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const TAKER_BID = "0x3ee3de4684413690dee6fff1a0a4f92916a1b97d1c5a83cdf24671844306b2e3";
const TAKER_ASK = "0x9aaa45d6db2ef74ead0751ea9113263d1dec1b50cea05f0ca2002cb8063564a4";
const MATCHED = toEventSelector("OrdersMatched(bytes32[])");
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

interface SaleReport {
  maker?: number;
  taker?: number;
  to?: number;
  /** Position of its log. */
  at?: number;
  hash?: `0x${string}`;
}

function order(
  offer: Item[],
  consideration: Item[],
  { maker = SELLER, taker = BUYER, to = SELLER, at = 5, hash = `0x${"ab".repeat(32)}` }: SaleReport = {},
) {
  const item = ([itemType, token, identifier, amount]: Item) => ({
    itemType,
    token: address(token),
    identifier,
    amount,
  });
  const data = encodeAbiParameters(shape, [
    hash,
    address(taker),
    offer.map(item),
    consideration.map((each) => ({ ...item(each), recipient: address(to) })),
  ]);
  return log([SEAPORT, topic(maker), topic(0)], data, at);
}

const orderHash = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`;

/** Names matched orders. */
function matchedLog(at: number, ...hashes: `0x${string}`[]) {
  return log([MATCHED], encodeAbiParameters(parseAbiParameters("bytes32[]"), [hashes]), at);
}

/** An NFT transfer. */
function moved(from: number, to: number, at: number, id = 7) {
  return log([TRANSFER_TOPIC, topic(from), topic(to), topic(id)], "0x", at, CARDS);
}

const sales = (...logs: ReturnType<typeof log>[]) => decodeLogs(logs).trades;

describe("a Seaport order", () => {
  it("that offers NFTs is a sale by its offerer for the total consideration", () => {
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

  it("that offers a payment is a sale to its offerer for the offer", () => {
    const bid = order([dollars(100n)], [card(7n), dollars(5n)], { maker: BUYER, taker: SELLER });
    expect(sales(bid)).toMatchObject([
      { seller: address(SELLER), buyer: address(BUYER), price: topic(100), priceToken: address(DOLLAR) },
    ]);
  });

  it("that was matched with another one counts once, with the receiver of the token as buyer", () => {
    const delivery = moved(SELLER, BUYER, 4);
    const createAsk = order([card(7n)], [dollars(100n)], { taker: 0 });
    const bid = order([dollars(100n)], [card(7n)], { maker: BUYER, taker: 0 });
    expect(sales(delivery, createAsk, bid)).toMatchObject([
      { seller: address(SELLER), buyer: address(BUYER) },
    ]);
    expect(sales(createAsk)).toEqual([]);
  });

  it("that was matched counts once if the matcher is reported as recipient of both sides", () => {
    const MATCHER = 77;
    const createAsk = order([card(7n)], [dollars(100n)], { taker: MATCHER, at: 1, hash: orderHash(1) });
    const bid = order([dollars(100n)], [card(7n)], {
      maker: BUYER,
      taker: MATCHER,
      to: BUYER,
      at: 2,
      hash: orderHash(2),
    });
    const trades = sales(createAsk, bid, matchedLog(3, orderHash(1), orderHash(2)), moved(SELLER, BUYER, 4));
    expect(trades).toMatchObject([{ seller: address(SELLER), buyer: address(BUYER), price: topic(100) }]);
  });

  it("that was filled twice in a transaction, once matched and once individually, is two sales", () => {
    const [OTHER, MATCHER] = [3, 77];
    const part = (reports: SaleReport) =>
      order([[3, ITEMS, 1n, 2n]], [dollars(20n)], { hash: orderHash(1), ...reports });
    const bid = order([dollars(20n)], [[3, ITEMS, 1n, 2n]], {
      maker: BUYER,
      taker: MATCHER,
      to: BUYER,
      at: 4,
      hash: orderHash(2),
    });
    const trades = decodeLogs([
      part({ taker: OTHER, at: 1 }),
      part({ taker: MATCHER, at: 3 }),
      bid,
      matchedLog(5, orderHash(1), orderHash(2)),
      log(
        [TRANSFER_SINGLE_TOPIC, topic(9), topic(SELLER), topic(BUYER)],
        encodeAbiParameters(parseAbiParameters("uint256, uint256"), [1n, 2n]),
        6,
        ITEMS,
      ),
    ]).trades;
    expect(trades.map(({ position, seller, buyer }) => ({ position, seller, buyer }))).toEqual([
      { position: 1, seller: address(SELLER), buyer: address(OTHER) },
      { position: 4, seller: address(SELLER), buyer: address(BUYER) },
    ]);
  });

  it("that was matched twice in a transaction by version 1.1 is two sales", () => {
    const OTHER = 3;
    const pair = (seller: number, buyer: number, at: number, price: bigint) => [
      order([card(7n)], [dollars(price)], { maker: seller, taker: 0, at }),
      order([dollars(price)], [card(7n)], { maker: buyer, taker: 0, to: buyer, at: at + 1 }),
      moved(seller, buyer, at + 2),
    ];
    const trades = sales(...pair(SELLER, BUYER, 1, 100n), ...pair(BUYER, OTHER, 5, 120n));
    expect(trades).toMatchObject([
      { seller: address(SELLER), buyer: address(BUYER), price: topic(100) },
      { seller: address(BUYER), buyer: address(OTHER), price: topic(120) },
    ]);
  });

  it("that a router fulfilled has the sender of the transaction as buyer or seller", () => {
    const ROUTER = 88;
    const senders = (sender: number) => [{ hash: topic(99), from: address(sender) }];
    const bought = [
      order([card(7n)], [coins(10n)], { taker: ROUTER, at: 3 }),
      moved(SELLER, ROUTER, 2),
      moved(ROUTER, BUYER, 5),
    ];
    expect(decodeLogs(bought, { transactions: senders(BUYER) }).trades).toMatchObject([
      { seller: address(SELLER), buyer: address(BUYER) },
    ]);
    const sold = [
      moved(SELLER, ROUTER, 1),
      order([dollars(10n)], [card(7n)], { maker: BUYER, taker: ROUTER, to: BUYER, at: 3 }),
      moved(ROUTER, BUYER, 4),
    ];
    expect(decodeLogs(sold, { transactions: senders(SELLER) }).trades).toMatchObject([
      { seller: address(SELLER), buyer: address(BUYER) },
    ]);
  });

  it("whose buyer resells in the same transaction keeps the buyer", () => {
    const [TRADER, OTHER] = [6, 3];
    const trades = decodeLogs(
      [
        order([card(7n)], [coins(10n)], { taker: TRADER, at: 1 }),
        moved(SELLER, TRADER, 2),
        order([dollars(15n)], [card(7n)], {
          maker: OTHER,
          taker: TRADER,
          to: OTHER,
          at: 3,
          hash: orderHash(2),
        }),
        moved(TRADER, OTHER, 4),
      ],
      { transactions: [{ hash: topic(99), from: address(OTHER) }] },
    ).trades;
    expect(trades).toMatchObject([
      { seller: address(SELLER), buyer: address(TRADER) },
      { seller: address(TRADER), buyer: address(OTHER) },
    ]);
  });

  it.each([
    { what: "a gift", offer: [card(7n)], wanted: [] },
    { what: "a gift for nothing of the coin", offer: [card(7n)], wanted: [coins(0n)] },
    { what: "a swap", offer: [card(7n)], wanted: [card(8n, ITEMS)] },
    { what: "paid in two currencies", offer: [card(7n)], wanted: [coins(1n), dollars(1n)] },
    { what: "of two collections", offer: [card(7n), card(7n, ITEMS)], wanted: [coins(1n)] },
    { what: "tokens for tokens", offer: [dollars(1n)], wanted: [coins(1n)] },
    { what: "more than can be", offer: [card(7n)], wanted: [coins(2n ** 256n - 1n), coins(1n)] },
  ])("that is $what is no sale", ({ offer, wanted: consideration }) => {
    expect(sales(order(offer, consideration))).toEqual([]);
  });
});

describe("a sale on LooksRare v2", () => {
  const nonce = { orderHash: `0x${"cd".repeat(32)}`, orderNonce: 1n, isNonceInvalidated: true } as const;
  const taken = (event: string, currency = COIN) => {
    const parties = [address(3), address(BUYER), 0n, address(currency), address(CARDS)] as const;
    const lists = [
      [7n, 8n],
      [1n, 1n],
    ] as const;
    const fees = [[address(SELLER), address(9)] as const, [90n, 7n, 3n] as const] as const;
    return log([event], encodeAbiParameters(looksRare, [nonce, ...parties, ...lists, ...fees]));
  };

  it("has the receiver of the proceeds as seller for TakerBid", () => {
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

  it("has the taker as seller for TakerAsk", () => {
    expect(sales(taken(TAKER_ASK, DOLLAR))).toMatchObject([
      { seller: address(3), buyer: address(BUYER), price: topic(100), priceToken: address(DOLLAR) },
    ]);
  });
});

it("thousands of orders and transfers in one transaction are decoded in bounded CPU time", () => {
  const [ORDERS, TRANSFERS] = [2_000, 10_000];
  const orders = Array.from({ length: ORDERS }, (_, i) =>
    order([card(BigInt(i))], [dollars(1n)], { taker: 0, at: i, hash: orderHash(i) }),
  );
  const transfers = Array.from({ length: TRANSFERS }, (_, i) => moved(SELLER, BUYER, ORDERS + i, i));
  const before = process.threadCpuUsage();
  const { trades } = decodeLogs([...orders, ...transfers], {
    transactions: [{ hash: topic(99), from: address(50) }],
  });
  const { user } = process.threadCpuUsage(before);
  expect(trades).toHaveLength(ORDERS);
  expect(user / 1_000).toBeLessThan(5_000);
});

describe("a log that only resembles a sale", () => {
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
  ])("is not decoded as a sale: $what", ({ topics, data }) => {
    const { logs, trades } = decodeLogs([log(topics, data)]);
    expect(trades).toEqual([]);
    expect(logs).toHaveLength(1);
  });
});
