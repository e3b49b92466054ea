import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { type Address, createPublicClient, encodeFunctionData, http, type Log, toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../testing/randomHistory.ts";
import {
  createChainFolder,
  createDatabase,
  DATABASES,
  startService,
  type TestChain,
  testChain,
} from "../testing/testChain.ts";
import { deploySeaport, type SeaportHand } from "../testing/testSeaport.ts";
import { moveToken, newSeries, newWeth, tokenAbi, unwrap, wrap } from "../testing/testTokens.ts";

/**
 * Random queries on a random history, compared with results computed from the node's logs and calls. PURSE_QUESTIONS
 * sets their number, PURSE_SEED the seed.
 */

const QUESTIONS = Number(process.env.PURSE_QUESTIONS ?? 60);
const SEED = Number(process.env.PURSE_SEED ?? 15);
const EVENTS = 60;
const SERIES = 30;
const ACCOUNTS = [0, 1, 2, 3, 4, 5];

const random = seededRandom(SEED);
const below = (count: number) => Math.floor(random() * count);
const pick = <T>(items: readonly T[]): T => {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
};

interface Sale {
  seller: string;
  buyer: string;
  price: string;
  id: string;
}

let devChain: DevChain;
let chain: TestChain;
let dataDir: string;
let weth: Address;
let series: Address;
let seaport: SeaportHand;
let tokens: Address[];
let logs: Log<bigint, number, false>[];
let head: number;
const sales: Sale[] = [];

const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });
const lower = (text: string) => text.toLowerCase();
const account = () => chain.account(pick(ACCOUNTS));

async function approveSeaport(): Promise<void> {
  const nothing = { outputs: [], stateMutability: "nonpayable", type: "function" } as const;
  const operator = { name: "operator", type: "address" } as const;
  const all = {
    name: "setApprovalForAll",
    inputs: [operator, { name: "is", type: "bool" }],
    ...nothing,
  } as const;
  const some = {
    name: "approve",
    inputs: [operator, { name: "amount", type: "uint256" }],
    ...nothing,
  } as const;
  for (const each of ACCOUNTS) {
    await chain.send(each, series, encodeFunctionData({ abi: [all], args: [seaport.address, true] }));
    await chain.send(each, weth, encodeFunctionData({ abi: [some], args: [seaport.address, 10n ** 18n] }));
    await wrap(chain, weth, each, 10_000n);
  }
}

/** A sale by matched orders of both sides, or by one order that the other side fulfills. */
async function sell(seller: number, id: bigint): Promise<number> {
  const buyer = pick(ACCOUNTS.filter((each) => each !== seller));
  const amount = BigInt(1 + below(50));
  const piece = { kind: "erc721", token: series, id } as const;
  const payment = { kind: "erc20", token: weth, amount } as const;
  const query = { by: seller, offer: [piece], wants: [payment] };
  if (random() < 0.5) await seaport.fulfill(buyer, query);
  else {
    const bid = { by: buyer, offer: [payment], wants: [piece] };
    await seaport.match(
      pick(ACCOUNTS),
      [query, bid],
      [
        [[[0, 0]], [[1, 0]]],
        [[[1, 0]], [[0, 0]]],
      ],
    );
  }
  sales.push({
    seller: lower(chain.account(seller)),
    buyer: lower(chain.account(buyer)),
    price: String(amount),
    id: String(id),
  });
  return buyer;
}

async function live(): Promise<void> {
  const owners: number[] = Array.from({ length: SERIES }, (_, i) => (i < SERIES / 2 ? 1 : 2));
  for (let i = 0; i < EVENTS; i++) {
    const dice = random();
    const id = below(SERIES);
    const owner = owners[id] ?? 1;
    if (dice < 0.2) await chain.transfer(0, account(), BigInt(1 + below(1_000)));
    else if (dice < 0.35) await wrap(chain, weth, pick(ACCOUNTS), BigInt(1 + below(500)));
    else if (dice < 0.5) await unwrap(chain, weth, pick(ACCOUNTS), BigInt(1 + below(50)));
    else if (dice < 0.7) {
      const to = pick(ACCOUNTS);
      await moveToken(chain, series, owner, to, BigInt(id));
      owners[id] = to;
    } else if (dice < 0.9) owners[id] = await sell(owner, BigInt(id));
    else await chain.mine(1 + below(3));
  }
}

beforeAll(async () => {
  dataDir = await createChainFolder();
  devChain = await startDevChain({ port: 0, dataDir });
  chain = testChain(devChain);
  weth = await newWeth(chain);
  series = await newSeries(chain, [
    [1, SERIES / 2],
    [2, SERIES / 2],
  ]);
  seaport = await deploySeaport(chain, devChain, "1.6");
  tokens = [devChain.contracts.token.address, devChain.contracts.dollar.address, weth];
  await approveSeaport();
  await live();
  head = await chain.head();
  logs = await client().getLogs({ fromBlock: 0n, toBlock: BigInt(head) });
});

afterAll(async () => {
  await devChain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const [TRANSFER, DEPOSIT, WITHDRAWAL] = [
  "Transfer(address,address,uint256)",
  "Deposit(address,uint256)",
  "Withdrawal(address,uint256)",
].map((each) => toEventSelector(each));
const party = (topic: string | undefined) => `0x${(topic ?? "").slice(26)}`;
const UNUSED_ADDRESS = `0x${"0".repeat(40)}`;

/** ERC-20 transfers of tokens, latest first, from the node's logs. */
function erc20Moves(): { block: number; token: string; from: string; to: string; value: string }[] {
  const known = new Set(tokens.map(lower));
  return logs
    .filter(({ address }) => known.has(lower(address)))
    .flatMap(({ address, topics: [topic, first, second], data, blockNumber }) => {
      const row = {
        block: Number(blockNumber),
        token: lower(address),
        value: String(data === "0x" ? 0n : BigInt(data)),
      };
      if (topic === TRANSFER && second) return [{ ...row, from: party(first), to: party(second) }];
      if (lower(address) !== lower(weth)) return [];
      if (topic === DEPOSIT) return [{ ...row, from: UNUSED_ADDRESS, to: party(first) }];
      return topic === WITHDRAWAL ? [{ ...row, from: party(first), to: UNUSED_ADDRESS }] : [];
    })
    .reverse();
}

describe.each(DATABASES)("on %s", (database) => {
  let run: (name: string, params: JsonObject) => Promise<JsonValue>;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const { location, remove } = await createDatabase(database);
    ends.push(remove);
    const market = {
      wrappedNative: weth,
      marketplaces: [{ name: "opensea" as const, address: seaport.address }],
    };
    const service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
    ends.push(() => service.stop());
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head, 60_000);
    run = service.run;
  });

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  async function rows(name: string, params: JsonObject): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    let cursor: JsonValue = "";
    do {
      const page = await run(name, { ...params, limit: 1 + below(60), cursor });
      if (!isJsonObject(page) || !Array.isArray(page.result)) throw new Error("it is no list");
      found.push(...page.result.filter(isJsonObject));
      cursor = page.cursor ?? "";
    } while (cursor !== "");
    return found;
  }

  const questions: Record<string, () => Promise<void>> = {
    async "the balances of a wallet at a block"() {
      const [address, to_block] = [account(), below(head + 1)];
      const answer = await run("getTokenBalances", { address, to_block });
      const listed = new Map(
        (Array.isArray(answer) ? answer : [])
          .filter(isJsonObject)
          .map(({ token_address, balance }) => [token_address, balance]),
      );
      for (const token of tokens) {
        const balance = await client()
          .readContract({
            address: token,
            abi: tokenAbi,
            functionName: "balanceOf",
            args: [address],
            blockNumber: BigInt(to_block),
          })
          .catch(() => 0n);
        expect(listed.get(lower(token)) ?? "0", `${token} of ${address} at ${to_block}`).toBe(
          String(balance),
        );
      }
    },
    async "the token transfers of a wallet between blocks"() {
      const address = account();
      const [from_block, to_block] = [below(head), below(head)].sort((a, b) => a - b);
      const known = new Set(tokens.map(lower));
      const answered = (
        await rows("getTokenTransfers", { address, from_block: from_block ?? 0, to_block: to_block ?? 0 })
      )
        .filter((row) => known.has(String(row.address)))
        .map(({ block_number, address: token, from_address, to_address, value }) => {
          return { block: Number(block_number), token, from: from_address, to: to_address, value };
        });
      const own = lower(address);
      const truth = erc20Moves().filter(
        ({ block, from, to }) =>
          block >= (from_block ?? 0) && block <= (to_block ?? 0) && (from === own || to === own),
      );
      expect(answered).toEqual(truth);
    },
    async "the owners of a collection"() {
      const answered = (await rows("getNFTOwners", { address: series })).map(
        ({ token_id, owner_of }) => `${token_id} ${owner_of}`,
      );
      const truth = await Promise.all(
        Array.from({ length: SERIES }, async (_, id) => {
          const args = [BigInt(id)] as const;
          const owner = await client().readContract({
            address: series,
            abi: tokenAbi,
            functionName: "ownerOf",
            args,
          });
          return `${id} ${lower(owner)}`;
        }),
      );
      expect(answered).toEqual(truth);
    },
    async "how many pieces a wallet has of a collection"() {
      const address = account();
      const args = [address] as const;
      const count = await client().readContract({
        address: series,
        abi: tokenAbi,
        functionName: "balanceOf",
        args,
      });
      expect(await rows("getNFTsForContract", { address, token_address: series })).toHaveLength(
        Number(count),
      );
    },
    async "the sales of a collection"() {
      const answered = (await rows("getNFTTrades", { address: series })).map(
        ({ seller_address, buyer_address, price, token_ids }) => {
          return { seller: seller_address, buyer: buyer_address, price, id: String(token_ids) };
        },
      );
      expect(answered).toEqual([...sales].reverse());
    },
  };

  it(`answers ${QUESTIONS} random questions as the node does (seed ${SEED})`, async () => {
    for (let i = 0; i < QUESTIONS; i++) await questions[pick(Object.keys(questions))]?.();
  });
});
