import type { DevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Address, encodeFunctionData, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { deploySeaport, type ItemInput, SEAPORT_VERSIONS, type SeaportHand } from "../../test/testSeaport.ts";
import { startService } from "../../test/testService.ts";

/** Seaport orders that are matched by an account that is neither seller nor buyer. */

const [SELLER, BUYER, OTHER, ARTIST, MATCHER] = [0, 2, 3, 4, 5];
const abi = parseAbi([
  "function deposit() payable",
  "function approve(address spender, uint256 amount)",
  "function setApprovalForAll(address operator, bool approved)",
]);

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

type Name = "collection" | "items" | "weth";
const at = (name: Name): Address =>
  name === "weth" ? devChain.contracts.market.weth.address : devChain.contracts[name].address;

const approveAll = (operator: Address) =>
  encodeFunctionData({ abi, functionName: "setApprovalForAll", args: [operator, true] });
const approve = (spender: Address) =>
  encodeFunctionData({ abi, functionName: "approve", args: [spender, 10n ** 20n] });

const piece = (id: bigint): ItemInput => ({ kind: "erc721", token: at("collection"), id });
const weth = (amount: bigint): ItemInput => ({ kind: "erc20", token: at("weth"), amount });
const coin = (amount: bigint): ItemInput => ({ kind: "coin", amount });
const soldTokens = (amount: bigint): ItemInput => ({ kind: "erc1155", token: at("items"), id: 1n, amount });

/** Mints tokens of the collection for an account; returns their ids. */
async function newPieces(owner: number, count: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let i = 0; i < count; i++) {
    const { logs } = await chain.mintNft(chain.account(owner));
    ids.push(BigInt(logs[0]?.topics[3] ?? 0));
  }
  return ids;
}

async function deployed(version: (typeof SEAPORT_VERSIONS)[number]): Promise<SeaportHand> {
  const seaport = await deploySeaport(chain, devChain, version);
  for (const account of [SELLER, BUYER, OTHER]) {
    await chain.send(account, at("collection"), approveAll(seaport.address));
    await chain.send(account, at("items"), approveAll(seaport.address));
    await chain.send(account, at("weth"), approve(seaport.address));
    await chain.send(account, at("weth"), encodeFunctionData({ abi, functionName: "deposit" }), 10n ** 18n);
  }
  return seaport;
}

interface Expected {
  hash: string;
  token: "collection" | "items";
  /** Seller, buyer, price and ids of each sale. */
  sales: [seller: number, buyer: number, price: string, ids: bigint[]][];
}

/** Makes each kind of match once; returns the expected sales. */
const scenarios: Record<string, (seaport: SeaportHand) => Promise<Expected>> = {
  "an ask and a bid of the same amount": async (seaport) => {
    const [id = 0n] = await newPieces(SELLER, 1);
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [piece(id)], wants: [weth(600n)] },
        { by: BUYER, offer: [weth(600n)], wants: [piece(id)] },
      ],
      [
        [[[0, 0]], [[1, 0]]],
        [[[1, 0]], [[0, 0]]],
      ],
    );
    return { hash, token: "collection", sales: [[SELLER, BUYER, "600", [id]]] };
  },
  "fees and royalties on both sides": async (seaport) => {
    const [id = 0n] = await newPieces(SELLER, 1);
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [piece(id)], wants: [weth(550n), { ...weth(20n), to: ARTIST }] },
        { by: BUYER, offer: [weth(600n)], wants: [piece(id), { ...weth(30n), to: ARTIST }] },
      ],
      [
        [[[0, 0]], [[1, 0]]],
        [[[1, 0]], [[0, 0]]],
        [
          [[1, 0]],
          [
            [0, 1],
            [1, 1],
          ],
        ],
      ],
    );
    return { hash, token: "collection", sales: [[SELLER, BUYER, "600", [id]]] };
  },
  "a bundle for two bidders": async (seaport) => {
    const [a = 0n, b = 0n] = await newPieces(SELLER, 2);
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [piece(a), piece(b)], wants: [weth(500n)] },
        { by: BUYER, offer: [weth(300n)], wants: [piece(a)] },
        { by: OTHER, offer: [weth(200n)], wants: [piece(b)] },
      ],
      [
        [[[0, 0]], [[1, 0]]],
        [[[0, 1]], [[2, 0]]],
        [[[1, 0]], [[0, 0]]],
        [[[2, 0]], [[0, 0]]],
      ],
    );
    const sales: Expected["sales"] = [
      [SELLER, BUYER, "300", [a]],
      [SELLER, OTHER, "200", [b]],
    ];
    return { hash, token: "collection", sales };
  },
  "one bid for the tokens of two sellers": async (seaport) => {
    const [a = 0n] = await newPieces(SELLER, 1);
    const [b = 0n] = await newPieces(OTHER, 1);
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [piece(a)], wants: [weth(100n)] },
        { by: OTHER, offer: [piece(b)], wants: [weth(150n)] },
        { by: BUYER, offer: [weth(250n)], wants: [piece(a), piece(b)] },
      ],
      [
        [[[0, 0]], [[2, 0]]],
        [[[1, 0]], [[2, 1]]],
        [[[2, 0]], [[0, 0]]],
        [[[2, 0]], [[1, 0]]],
      ],
    );
    const sales: Expected["sales"] = [
      [SELLER, BUYER, "100", [a]],
      [OTHER, BUYER, "150", [b]],
    ];
    return { hash, token: "collection", sales };
  },
  "a part of an ask for several of one id": async (seaport) => {
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [soldTokens(10n)], wants: [weth(1_000n)], part: [3n, 10n] },
        { by: BUYER, offer: [weth(300n)], wants: [soldTokens(3n)] },
      ],
      [
        [[[0, 0]], [[1, 0]]],
        [[[1, 0]], [[0, 0]]],
      ],
    );
    return { hash, token: "items", sales: [[SELLER, BUYER, "300", [1n]]] };
  },
  "a bid for any token of the collection": async (seaport) => {
    const [id = 0n] = await newPieces(SELLER, 1);
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [piece(id)], wants: [weth(70n)] },
        { by: BUYER, offer: [weth(70n)], wants: [{ kind: "anyErc721", token: at("collection") }] },
      ],
      [
        [[[0, 0]], [[1, 0]]],
        [[[1, 0]], [[0, 0]]],
      ],
      { criteria: [{ order: 1, side: 1, id }] },
    );
    return { hash, token: "collection", sales: [[SELLER, BUYER, "70", [id]]] };
  },
  "two pairs in one transaction": async (seaport) => {
    const [a = 0n] = await newPieces(SELLER, 1);
    const [b = 0n] = await newPieces(OTHER, 1);
    const hash = await seaport.match(
      MATCHER,
      [
        { by: SELLER, offer: [piece(a)], wants: [weth(11n)] },
        { by: OTHER, offer: [piece(b)], wants: [weth(22n)] },
        { by: BUYER, offer: [weth(11n)], wants: [piece(a)] },
        { by: SELLER, offer: [weth(22n)], wants: [piece(b)] },
      ],
      [
        [[[0, 0]], [[2, 0]]],
        [[[1, 0]], [[3, 0]]],
        [[[2, 0]], [[0, 0]]],
        [[[3, 0]], [[1, 0]]],
      ],
    );
    const sales: Expected["sales"] = [
      [SELLER, BUYER, "11", [a]],
      [OTHER, SELLER, "22", [b]],
    ];
    return { hash, token: "collection", sales };
  },
  "a listing for one buyer, who pays in the chain's coin": async (seaport) => {
    const [id = 0n] = await newPieces(SELLER, 1);
    const hash = await seaport.match(
      BUYER,
      [
        {
          by: SELLER,
          offer: [piece(id)],
          wants: [coin(90n), { ...coin(10n), to: ARTIST }, { ...piece(id), to: BUYER }],
        },
        { by: BUYER, offer: [coin(100n)], wants: [], unsigned: true },
      ],
      [
        [[[0, 0]], [[0, 2]]],
        [[[1, 0]], [[0, 0]]],
        [[[1, 0]], [[0, 1]]],
      ],
      { value: 100n },
    );
    return { hash, token: "collection", sales: [[SELLER, BUYER, "100", [id]]] };
  },
  "a bid that was taken by itself": async (seaport) => {
    const [id = 0n] = await newPieces(SELLER, 1);
    const hash = await seaport.fulfill(SELLER, { by: BUYER, offer: [weth(80n)], wants: [piece(id)] });
    return { hash, token: "collection", sales: [[SELLER, BUYER, "80", [id]]] };
  },
};

describe.each(SEAPORT_VERSIONS)("Seaport %s", (version) => {
  let seaport: SeaportHand;
  const expected = new Map<string, Expected>();

  beforeAll(async () => {
    seaport = await deployed(version);
    for (const [title, scenario] of Object.entries(scenarios)) expected.set(title, await scenario(seaport));
  });

  describe.each(DATABASES)("on %s", (database) => {
    const found: JsonObject[] = [];

    beforeAll(async () => {
      const location = await createIndexed(database, ends);
      const market = { marketplaces: [{ name: "opensea" as const, address: seaport.address }] };
      const service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
      try {
        const head = await chain.head();
        await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
        for (const token of ["collection", "items"] as const) {
          const answer = await service.run("getNFTTrades", { address: at(token) });
          if (!isJsonObject(answer) || !Array.isArray(answer.result)) throw new Error("it is no list");
          found.push(...answer.result.filter(isJsonObject));
        }
      } finally {
        await service.stop();
      }
    });

    it.each(Object.keys(scenarios))("reports %s as a sale between seller and buyer", (title) => {
      const { hash, token, sales } = expected.get(title) ?? { hash: "", token: "items", sales: [] };
      const own = found.filter(({ transaction_hash }) => transaction_hash === hash);
      const lower = (account: number) => chain.account(account).toLowerCase();
      expect(
        own
          .map(({ seller_address, buyer_address, price, token_ids, token_address }) => {
            return { seller_address, buyer_address, price, token_ids, token_address };
          })
          .sort((a, b) => String(a.token_ids).localeCompare(String(b.token_ids), "en", { numeric: true })),
      ).toEqual(
        sales.map(([seller, buyer, price, ids]) => ({
          seller_address: lower(seller),
          buyer_address: lower(buyer),
          price,
          token_ids: ids.map(String),
          token_address: at(token).toLowerCase(),
        })),
      );
    });
  });
});
