import { encodeAbiParameters, encodeEventTopics, type Hex, pad, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import {
  BLUR_V1,
  BLUR_V2,
  BLUR_V2_MAKER_FEE,
  BLUR_V2_TAKER_FEE,
  LOOKSRARE_V1_OFFER,
  LOOKSRARE_V1_PURCHASE,
  WYVERN_MATCH,
  WYVERN_TRANSFER,
  X2Y2_OFFER,
  X2Y2_SALE,
} from "../../test/marketplaceLogs.ts";
import { TRANSFER_TOPIC } from "../model/topics.ts";
import { decodeLogs, TRANSFER_SINGLE_TOPIC } from "./decodeLogs.ts";

const MARKETPLACE = `0x${"11".repeat(20)}`;
const TRANSACTION = `0x${"99".repeat(32)}`;
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const [ALICE, BOB, CARDS, COIN] = [1, 2, 3, 4].map((n) => pad(`0x${n.toString(16)}`, { size: 20 })) as [
  Hex,
  Hex,
  Hex,
  Hex,
];

const topic = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;
const word = (n: bigint): Hex => pad(`0x${n.toString(16)}`, { size: 32 });

interface TestLog {
  topics: string[];
  data: string;
  address?: string;
}

/** Decodes the sales of one transaction from its logs in order. */
function sales(logs: readonly TestLog[], sender?: string) {
  const rows = logs.map(({ topics, data, address = MARKETPLACE }, position) => ({
    position,
    transactionIndex: 0,
    transactionHash: TRANSACTION,
    address,
    topics,
    data,
  }));
  const transactions = sender === undefined ? {} : { transactions: [{ hash: TRANSACTION, from: sender }] };
  return decodeLogs(rows, transactions).trades.map((trade) => ({
    token: trade.token,
    tokenIds: trade.tokenIds,
    seller: trade.seller,
    buyer: trade.buyer,
    price: BigInt(trade.price).toString(),
    priceToken: trade.priceToken,
  }));
}

function nft(token: string, id: bigint, from: string, to: string): TestLog {
  return { address: token, topics: [TRANSFER_TOPIC, topic(from), topic(to), word(id)], data: "0x" };
}

function item(token: string, id: bigint, amount: bigint, from: string, to: string): TestLog {
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [id, amount]);
  return { address: token, topics: [TRANSFER_SINGLE_TOPIC, topic(from), topic(from), topic(to)], data };
}

function payment(token: string, amount: bigint, from: string, to: string): TestLog {
  return { address: token, topics: [TRANSFER_TOPIC, topic(from), topic(to)], data: word(amount) };
}

describe("sales of real transactions", () => {
  it("on Blur v1 have the parties of both orders", () => {
    expect(sales([BLUR_V1])).toEqual([
      {
        token: "0x60e4d786628fea6478f785a6d7e704777c86a7c6",
        tokenIds: ["13414"],
        seller: "0x3d606dd3a1b8e2519f9f955439e52184d4c80fa3",
        buyer: "0x4aee91e7d6c6e0c4c0ec10b9757b8d19ab7f427c",
        price: "13969800000000000000",
        priceToken: null,
      },
    ]);
  });

  it.each([
    [
      "without a fee",
      BLUR_V2,
      {
        token: "0x789e35a999c443fe6089544056f728239b8ffee7",
        tokenIds: ["8198"],
        seller: "0x83fa03a1747aafe4e0f0ec3880740f49d74f1158",
        buyer: "0xf770e42fd25d745e9f25ab57cca3e96f7fe62d14",
        price: "15000000000000000",
        priceToken: null,
      },
    ],
    [
      "with a fee of the maker",
      BLUR_V2_MAKER_FEE,
      {
        token: "0x6c952af158ec8d0fd94908e389c084394d9aebbb",
        tokenIds: ["2791"],
        seller: "0x27aced470e1e232babf2da93a78269bb5739c48c",
        buyer: "0x3ab15e75203dfce15c450a6cc1b205a33d40e7ea",
        price: "440000000000000000",
        priceToken: null,
      },
    ],
    [
      "of an accepted bid, with a fee of the taker",
      BLUR_V2_TAKER_FEE,
      {
        token: "0x6339e5e072086621540d0362c4e3cea0d643e114",
        tokenIds: ["3583"],
        seller: "0x1c4351c97177418cec07ff733f107fb9879dbed1",
        buyer: "0x1e863363f0aea30d45bc4224783b48cdd1f3d90d",
        price: "800000000000000000",
        // Blur's pool.
        priceToken: "0x0000000000a39bb272e79075ade125fd351887ac",
      },
    ],
  ])("on Blur v2 are unpacked %s, with the other party of the transfer", (_title, log, sale) => {
    const delivery = nft(sale.token, BigInt(sale.tokenIds[0] ?? 0), sale.seller, sale.buyer);
    expect(sales([delivery, log])).toEqual([sale]);
    expect(sales([log])).toEqual([]);
  });

  it.each([
    [
      "purchases",
      X2Y2_SALE,
      {
        token: "0x22c1f6050e56d2876009903609a2cc3fef83b415",
        tokenIds: ["14692"],
        seller: "0xaa1cc5543c558524c3db21d219fcee58af054f2c",
        buyer: "0xb6103b35c1dfcfbc66aa6aa59e5dec376b79dd6a",
        price: "15000000000000000",
        priceToken: null,
      },
    ],
    [
      "accepted offers",
      X2Y2_OFFER,
      {
        token: "0x709d30f1f60f03d85a0ef33142ef3259392dc9e1",
        tokenIds: ["705"],
        seller: "0xbfa30bbe5a9e5d252a92a8cc126691bba0e7a433",
        buyer: "0xb2f4fd60e80b5eccbcb8c80e923c31b0aaab8e24",
        price: "200000000000000000",
        priceToken: WETH,
      },
    ],
  ])("on X2Y2 are %s of tokens that were delivered", (_title, log, sale) => {
    const delivery = nft(sale.token, BigInt(sale.tokenIds[0] ?? 0), sale.seller, sale.buyer);
    expect(sales([delivery, log])).toEqual([sale]);
    expect(sales([log])).toEqual([]);
  });

  it("on LooksRare v1 have the sender as buyer if a contract bought for it", () => {
    const token = "0x8dcb8b2d721c022552d826f8bcf2995747248d31";
    const seller = "0x9b5ac41ebd9f079cda878f41d4d7ad32c22ac486";
    const contract = "0x83c8f28c26bf6aaca652df1dbbe0e1b56f8baba2";
    const sender = "0x94dbb3db4102181186fd127e6f81564d1d4a20a3";
    const sale = { token, tokenIds: ["2070"], seller, price: "80500000000000000", priceToken: WETH };
    expect(sales([LOOKSRARE_V1_PURCHASE])).toEqual([{ ...sale, buyer: contract }]);
    const moves = [
      nft(token, 2070n, seller, contract),
      LOOKSRARE_V1_PURCHASE,
      nft(token, 2070n, contract, sender),
    ];
    expect(sales(moves, sender)).toEqual([{ ...sale, buyer: sender }]);
  });

  it("on LooksRare v1 have the taker of an offer as seller", () => {
    expect(sales([LOOKSRARE_V1_OFFER])).toEqual([
      {
        token: "0x0fa6a99c66085b25552930be7961d8928061a842",
        tokenIds: ["32372326957878872325869669322028881416287194712918919938492792330334129618945"],
        seller: "0x47921676a46ccfe3d80b161c7b4ddc8ed9e716b6",
        buyer: "0x6c8ba1dafb22eae61e9cd3da724cbc3d164c27b9",
        price: "20000000000000000",
        priceToken: "0xc778417e063141139fce010982780140aa0cd5ab",
      },
    ]);
  });

  const wyvern = {
    token: "0x34d85c9cdeb23fa97cb08333b511ac86e1c4e258",
    tokenIds: ["5959"],
    seller: "0x2e73e34c50607b8fdff70323fa3279f41a522957",
    buyer: "0x9b00ccfda8368fc0955542ff3dac45824129113b",
    price: "1000000000000000000",
    priceToken: null,
  };
  const delivered = { ...WYVERN_TRANSFER, address: wyvern.token };

  it("on Wyvern v2 have the tokens and the parties of the transfer", () => {
    expect(sales([delivered, WYVERN_MATCH])).toEqual([wyvern]);
    expect(sales([WYVERN_MATCH])).toEqual([]);
  });
});

describe("a sale on Wyvern", () => {
  const seller = "0x2e73e34c50607b8fdff70323fa3279f41a522957";
  const buyer = "0x9b00ccfda8368fc0955542ff3dac45824129113b";
  const price = 1_000_000_000_000_000_000n;

  it("is in the token with which the buyer paid its price to the seller", () => {
    const logs = [
      payment(COIN, 5n, buyer, seller),
      payment(WETH, price, buyer, seller),
      nft(CARDS, 1n, seller, buyer),
      WYVERN_MATCH,
    ];
    expect(sales(logs)).toMatchObject([{ priceToken: WETH }]);
  });

  it("has the maker as buyer if the tokens went to the maker", () => {
    const trades = sales([nft(CARDS, 1n, buyer, seller), WYVERN_MATCH]);
    expect(trades).toMatchObject([{ seller: buyer, buyer: seller }]);
  });

  it("has all tokens of a bundle, but none of the previous sale of the transaction", () => {
    const trades = sales([
      nft(CARDS, 1n, seller, buyer),
      WYVERN_MATCH,
      nft(CARDS, 2n, seller, buyer),
      nft(CARDS, 3n, seller, buyer),
      WYVERN_MATCH,
    ]);
    expect(trades.map(({ tokenIds }) => tokenIds)).toEqual([["1"], ["2", "3"]]);
  });

  it("of several collections is left out, as it has no price for one", () => {
    expect(sales([nft(CARDS, 1n, seller, buyer), nft(COIN, 2n, seller, buyer), WYVERN_MATCH])).toEqual([]);
  });
});

describe("a sale on Sudoswap v2", () => {
  const pairAbi = parseAbi([
    "event SwapNFTInPair(uint256 amountOut, uint256[] ids)",
    "event SwapNFTOutPair(uint256 amountIn, uint256[] ids)",
  ]);
  const itemAbi = parseAbi(["event SwapNFTOutPair(uint256 amountIn, uint256 numNFTs)"]);
  const ids = [{ type: "uint256" }, { type: "uint256[]" }] as const;
  const [inTopic] = encodeEventTopics({ abi: pairAbi, eventName: "SwapNFTInPair" });
  const [outTopic] = encodeEventTopics({ abi: pairAbi, eventName: "SwapNFTOutPair" });
  const [itemTopic] = encodeEventTopics({ abi: itemAbi, eventName: "SwapNFTOutPair" });
  const sold = (...list: bigint[]) => ({
    topics: [outTopic],
    data: encodeAbiParameters(ids, [100n, list]),
  });
  const bought = (...list: bigint[]) => ({ topics: [inTopic], data: encodeAbiParameters(ids, [90n, list]) });

  it("by the pair is one of the tokens that it sent", () => {
    expect(
      sales([nft(CARDS, 7n, MARKETPLACE, ALICE), nft(CARDS, 8n, MARKETPLACE, ALICE), sold(7n, 8n)]),
    ).toEqual([
      {
        token: CARDS,
        tokenIds: ["7", "8"],
        seller: MARKETPLACE,
        buyer: ALICE,
        price: "100",
        priceToken: null,
      },
    ]);
  });

  it("to the pair is one of the tokens that it received", () => {
    expect(sales([nft(CARDS, 7n, BOB, MARKETPLACE), bought(7n)])).toMatchObject([
      { tokenIds: ["7"], seller: BOB, buyer: MARKETPLACE, price: "90", priceToken: null },
    ]);
  });

  it("is in the token that the pair was paid", () => {
    const logs = [payment(COIN, 95n, ALICE, MARKETPLACE), nft(CARDS, 7n, MARKETPLACE, ALICE), sold(7n)];
    expect(sales(logs)).toMatchObject([{ priceToken: COIN }]);
  });

  it("is left out if the payment went elsewhere", () => {
    expect(sales([payment(COIN, 95n, ALICE, BOB), nft(CARDS, 7n, MARKETPLACE, ALICE), sold(7n)])).toEqual([]);
  });

  it("of an ERC-1155 token has the id of the transfer", () => {
    const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [50n, 3n]);
    expect(sales([item(CARDS, 12n, 3n, MARKETPLACE, ALICE), { topics: [itemTopic], data }])).toMatchObject([
      { tokenIds: ["12"], seller: MARKETPLACE, buyer: ALICE, price: "50" },
    ]);
  });
});

describe("a sale on Sudoswap v1", () => {
  const pairAbi = parseAbi(["event SwapNFTInPair()", "event SwapNFTOutPair()"]);
  const [inTopic] = encodeEventTopics({ abi: pairAbi, eventName: "SwapNFTInPair" });
  const [outTopic] = encodeEventTopics({ abi: pairAbi, eventName: "SwapNFTOutPair" });
  const sold = { topics: [outTopic], data: "0x" };
  const bought = { topics: [inTopic], data: "0x" };

  it("by a pair with an ERC-20 token has what the buyer paid, with the protocol's fee", () => {
    const logs = [
      payment(COIN, 1_000n, ALICE, MARKETPLACE),
      payment(COIN, 5n, ALICE, BOB),
      nft(CARDS, 7n, MARKETPLACE, ALICE),
      nft(CARDS, 8n, MARKETPLACE, ALICE),
      sold,
    ];
    expect(sales(logs)).toEqual([
      {
        token: CARDS,
        tokenIds: ["7", "8"],
        seller: MARKETPLACE,
        buyer: ALICE,
        price: "1005",
        priceToken: COIN,
      },
    ]);
  });

  it("to a pair with an ERC-20 token has what the pair paid to the seller", () => {
    const logs = [
      payment(COIN, 900n, MARKETPLACE, BOB),
      payment(COIN, 5n, MARKETPLACE, ALICE),
      nft(CARDS, 7n, BOB, MARKETPLACE),
      bought,
    ];
    expect(sales(logs)).toMatchObject([
      { tokenIds: ["7"], seller: BOB, buyer: MARKETPLACE, price: "900", priceToken: COIN },
    ]);
  });

  it("of a pair with native coins is left out, as its payments are not logged", () => {
    expect(sales([nft(CARDS, 7n, MARKETPLACE, ALICE), sold])).toEqual([]);
    expect(sales([payment(COIN, 95n, ALICE, BOB), nft(CARDS, 7n, MARKETPLACE, ALICE), sold])).toEqual([]);
  });
});

describe("a sale by 0x", () => {
  const abi = parseAbi([
    "event ERC721OrderFilled(uint8 direction, address maker, address taker, uint256 nonce, address erc20Token, uint256 erc20TokenAmount, address erc721Token, uint256 erc721TokenId, address matcher)",
    "event ERC1155OrderFilled(uint8 direction, address maker, address taker, uint256 nonce, address erc20Token, uint256 erc20FillAmount, address erc1155Token, uint256 erc1155TokenId, uint128 erc1155FillAmount, address matcher)",
  ]);
  const [first] = encodeEventTopics({ abi, eventName: "ERC721OrderFilled" });
  const [second] = encodeEventTopics({ abi, eventName: "ERC1155OrderFilled" });
  const native = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
  const filled = (direction: number, token: Hex, price = 100n) => ({
    topics: [first],
    data: encodeAbiParameters(abi[0].inputs, [
      direction,
      ALICE,
      BOB,
      1n,
      token,
      price,
      CARDS,
      9n,
      pad("0x0", { size: 20 }),
    ]),
  });

  it("has the topic of the deployed contract", () => {
    expect(first).toBe("0x50273fa02273cceea9cf085b42de5c8af60624140168bd71357db833535877af");
    expect(second).toBe("0x20cca81b0e269b265b3229d6b537da91ef475ca0ef55caed7dd30731700ba98d");
  });

  it("has the maker as seller of a sell order, and as buyer of a buy order", () => {
    expect(sales([filled(0, native)])).toEqual([
      { token: CARDS, tokenIds: ["9"], seller: ALICE, buyer: BOB, price: "100", priceToken: null },
    ]);
    expect(sales([filled(1, COIN)])).toMatchObject([{ seller: BOB, buyer: ALICE, priceToken: COIN }]);
  });

  it("of ERC-1155 tokens has the amount that was filled as price", () => {
    const data = encodeAbiParameters(abi[1].inputs, [
      0,
      ALICE,
      BOB,
      1n,
      COIN,
      70n,
      CARDS,
      9n,
      2n,
      pad("0x0", { size: 20 }),
    ]);
    expect(sales([{ topics: [second], data }])).toMatchObject([{ tokenIds: ["9"], price: "70" }]);
  });

  it("without a price is left out", () => {
    expect(sales([filled(0, native, 0n)])).toEqual([]);
  });
});
