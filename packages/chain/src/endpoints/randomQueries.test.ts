import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainStatus } from "../model/chainStatus.ts";
import { nftQuestions } from "../testing/nftQuestions.ts";
import { lower, NodeHistory } from "../testing/nodeHistory.ts";
import { seededRandom } from "../testing/randomHistory.ts";
import { allRows, Choice, type Questioner, type Questions } from "../testing/randomQuestions.ts";
import {
  createChainFolder,
  createDatabase,
  DATABASES,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testing/testChain.ts";
import { deploySeaport, type SeaportHand } from "../testing/testSeaport.ts";
import { moveToken, newSeries, newWeth, unwrap, wrap } from "../testing/testTokens.ts";
import { tokenQuestions } from "../testing/tokenQuestions.ts";
import { transactionQuestions } from "../testing/transactionQuestions.ts";

/**
 * Random queries on a random history, compared with results computed from the node's blocks, receipts, logs and calls:
 * after the first indexing, a reorganization and a restart. PURSE_QUESTIONS sets their number for each, PURSE_SEED the
 * seed. `npm run prove:data` asks 2,000.
 */

const QUESTIONS = Number(process.env.PURSE_QUESTIONS ?? 40);
const SEED = Number(process.env.PURSE_SEED ?? 15);
const EVENTS = 60;
/** In ms. */
const PATIENCE = 120_000 + QUESTIONS * 2_000;
const SERIES = 30;
const ACCOUNTS = [0, 1, 2, 3, 4, 5];

const random = seededRandom(SEED);
const choice = new Choice(random);

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
let node: NodeHistory;
const sales: Sale[] = [];

const account = () => chain.account(choice.of(ACCOUNTS));

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
  const buyer = choice.of(ACCOUNTS.filter((each) => each !== seller));
  const amount = BigInt(1 + choice.below(50));
  const piece = { kind: "erc721", token: series, id } as const;
  const payment = { kind: "erc20", token: weth, amount } as const;
  const query = { by: seller, offer: [piece], wants: [payment] };
  if (random() < 0.5) await seaport.fulfill(buyer, query);
  else {
    const bid = { by: buyer, offer: [payment], wants: [piece] };
    await seaport.match(
      choice.of(ACCOUNTS),
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
    const id = choice.below(SERIES);
    const owner = owners[id] ?? 1;
    if (dice < 0.2) await chain.transfer(0, account(), BigInt(1 + choice.below(1_000)));
    else if (dice < 0.35) await wrap(chain, weth, choice.of(ACCOUNTS), BigInt(1 + choice.below(500)));
    else if (dice < 0.5) await unwrap(chain, weth, choice.of(ACCOUNTS), BigInt(1 + choice.below(50)));
    else if (dice < 0.7) {
      const to = choice.of(ACCOUNTS);
      await moveToken(chain, series, owner, to, BigInt(id));
      owners[id] = to;
    } else if (dice < 0.9) owners[id] = await sell(owner, BigInt(id));
    else await chain.mine(1 + choice.below(3));
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
  node = new NodeHistory(chain, weth);
  await approveSeaport();
  await live();
});

/** Adds blocks with transfers and replaces them with empty ones. */
async function reorganize(): Promise<void> {
  const depth = 1 + choice.below(5);
  for (let i = 0; i < depth; i++) await chain.transfer(0, account(), BigInt(1 + choice.below(1_000)));
  await chain.reorganize(depth);
  await chain.transfer(1, account(), 1n);
}

afterAll(async () => {
  await devChain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe.each(DATABASES)("on %s", (database) => {
  let run: (name: string, params: JsonObject) => Promise<JsonValue>;
  let service: TestService | undefined;
  let start: () => Promise<void>;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const { location, remove } = await createDatabase(database);
    ends.push(remove);
    const market = {
      wrappedNative: weth,
      marketplaces: [{ name: "opensea" as const, address: seaport.address }],
    };
    start = async () => {
      await service?.stop();
      service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
      run = service.run;
    };
    ends.push(async () => service?.stop());
    await start();
  });

  /** Waits until the index has the node's latest block, by hash. */
  async function follow(): Promise<void> {
    await node.read();
    const { head } = node;
    const isFollowing = ({ state, indexed }: ChainStatus) => state === "following" && indexed === head;
    await service?.waitFor(isFollowing, 120_000);
    const { hash } = await node.readBlock(head);
    const indexedHash = async () => Object(await run("getBlock", { block_number_or_hash: head })).hash;
    await expect.poll(indexedHash, { timeout: 60_000 }).toBe(hash);
  }

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  function questions(): Questions {
    const asker: Questioner = {
      choice,
      node,
      accounts: ACCOUNTS.map((each) => chain.account(each)),
      tokens,
      weth,
      collections: [series, devChain.contracts.collection.address],
      run: (name, params) => run(name, params),
    };
    return {
      ...tokenQuestions(asker),
      ...nftQuestions(asker),
      ...transactionQuestions(asker, [...tokens, series, seaport.address]),
      async "the sales of a collection"() {
        const rows = await allRows(asker, "getNFTTrades", { address: series });
        const answered = rows.map(({ seller_address, buyer_address, price, token_ids }) => {
          return { seller: seller_address, buyer: buyer_address, price, id: String(token_ids) };
        });
        expect(answered).toEqual([...sales].reverse());
      },
    };
  }

  it.each([
    ["the first indexing", async () => undefined],
    ["a reorganization", reorganize],
    ["a restart", () => start()],
  ])(
    `after %s, answers ${QUESTIONS} random questions as the node does (seed ${SEED})`,
    { timeout: PATIENCE },
    async (_, happen) => {
      await happen();
      await follow();
      const all = Object.entries(questions());
      for (let i = 0; i < QUESTIONS; i++) {
        const [name, ask] = choice.of(all);
        await ask().catch((error: unknown) => {
          throw new Error(`${name} (question ${i})`, { cause: error });
        });
      }
    },
  );
});
