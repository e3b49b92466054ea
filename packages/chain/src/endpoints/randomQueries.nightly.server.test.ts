import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Address, getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import {
  createChainFolder,
  createDatabase,
  createTempFolder,
  DATABASES,
  type DatabaseLocation,
} from "../../test/indexDatabase.ts";
import { marketQuestions } from "../../test/marketQuestions.ts";
import { metadataQuestions } from "../../test/metadataQuestions.ts";
import { nftQuestions } from "../../test/nftQuestions.ts";
import { NodeHistory } from "../../test/nodeHistory.ts";
import { seededRandom, startIndexerProcess } from "../../test/randomHistory.ts";
import { Choice, type Questioner, type Questions } from "../../test/randomQuestions.ts";
import { ACCOUNTS, RandomScenario } from "../../test/randomScenario.ts";
import { saleQuestions } from "../../test/saleQuestions.ts";
import { serviceQuestions } from "../../test/serviceQuestions.ts";
import { type TestChain, testChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { tokenQuestions } from "../../test/tokenQuestions.ts";
import { transactionQuestions } from "../../test/transactionQuestions.ts";
import { walletQuestions } from "../../test/walletQuestions.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import { ENDPOINT_NAMES } from "./table.ts";

/**
 * Random queries of all operations on a random history, compared with results computed from the node's blocks,
 * receipts, logs and calls: after the first indexing, a reorganization, a restart, and kills of the process that
 * indexes. PURSE_QUESTIONS sets their number for each, PURSE_SEED the seed. `npm run prove:data` asks 2,000.
 */

/** All operations are asked for, one half on each database. */
const FEW = process.env.PURSE_TESTS === "all" ? 20 : 10;
const QUESTIONS = Number(process.env.PURSE_QUESTIONS ?? FEW);
const SEED = Number(process.env.PURSE_SEED ?? 15);
const EVENTS = 60;
const KILLS = QUESTIONS < 100 ? 1 : 3;
/** In ms. */
const PATIENCE = 120_000 + QUESTIONS * 2_000;
/** Files in IPFS are not on a chain. */
const NOT_CALLED: ReadonlySet<string> = new Set(["uploadFolder"]);

const choice = new Choice(seededRandom(SEED));

let devChain: DevChain;
let chain: TestChain;
let folders: string[];
let scenario: RandomScenario;
let node: NodeHistory;
const sources = new Map<Address, JsonObject[]>();
/** Names of questions: each comes once before one is repeated, also on the next database. */
let remaining: string[] = [];

beforeAll(async () => {
  folders = [await createChainFolder(), await createTempFolder()];
  devChain = await startDevChain({ port: 0, dataDir: folders[0] ?? "", autoSave: false });
  chain = testChain(devChain);
  scenario = await RandomScenario.create(choice, chain, devChain, EVENTS);
  node = new NodeHistory(chain, scenario.weth);
  const { token, dollar } = devChain.contracts;
  for (const { address, abi } of [token, dollar])
    await publishSource(address, JSON.parse(JSON.stringify(abi)));
}, 120_000);

/** Writes the source of a contract into the repository. */
async function publishSource(address: Address, abi: JsonObject[]): Promise<void> {
  const folder = join(folders[1] ?? "", `contracts/full_match/${chain.chainId}`, getAddress(address));
  await mkdir(folder, { recursive: true });
  const metadata = {
    compiler: { version: "0.8.26" },
    language: "Solidity",
    output: { abi },
    settings: { compilationTarget: { "A.sol": "A" } },
    sources: { "A.sol": { content: "contract A {}" } },
  };
  await writeFile(join(folder, "metadata.json"), JSON.stringify(metadata));
  sources.set(address, abi);
}

/** Adds blocks with transfers and replaces them with empty ones. */
async function reorganize(): Promise<void> {
  const depth = 1 + choice.below(5);
  const account = () => chain.account(choice.of(ACCOUNTS));
  for (let i = 0; i < depth; i++) await chain.transfer(0, account(), BigInt(1 + choice.below(1_000)));
  await chain.reorganize(depth);
  await chain.transfer(1, account(), 1n);
}

afterAll(async () => {
  await discardChain(devChain);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe.each(DATABASES)("on %s", (database) => {
  let location: DatabaseLocation;
  let service: TestService | undefined;
  const called = new Set<string>();
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const created = await createDatabase(database);
    ({ location } = created);
    ends.push(created.remove, async () => service?.stop());
    await start();
  });

  async function start(): Promise<void> {
    await service?.stop();
    service = await startService(settings(), location);
  }

  function settings() {
    const { contracts, names } = devChain;
    return {
      id: chain.chainId,
      rpcUrls: [chain.url],
      traces: true,
      market: {
        wrappedNative: scenario.weth.toLowerCase(),
        stables: [contracts.dollar.address],
        exchanges: scenario.uniswap.exchanges,
        marketplaces: [{ name: "opensea" as const, address: scenario.seaport.address }],
      },
      entryPoints: [{ version: scenario.entryPoint.version, address: scenario.entryPoint.address }],
      labels: { sources: [folders[1] ?? ""] },
      names: { ens: names.registry, unstoppable: names.reader },
    };
  }

  /** Kills a process that indexes several times while blocks are added and replaced. */
  async function kill(): Promise<void> {
    await service?.stop();
    service = undefined;
    for (let kills = 0; kills < KILLS; kills++) {
      const indexer = startIndexerProcess(chain, location, settings());
      const before = await chain.head();
      await scenario.continue(3);
      await reorganize();
      // Once it writes the new blocks.
      const isWriting = () => (indexer.status()?.indexed ?? 0) > before;
      await expect.poll(isWriting, { timeout: 60_000 }).toBe(true);
      await scenario.continue(1);
      await indexer.kill();
    }
    await start();
  }

  /** Waits until the index has the node's latest block, by hash. */
  async function follow(): Promise<void> {
    await node.read();
    const { head } = node;
    const isFollowing = ({ state, indexed }: ChainStatus) => state === "following" && indexed === head;
    await service?.waitFor(isFollowing, 120_000);
    const { hash } = await node.readBlock(head);
    const indexedHash = async () => Object(await ask("getBlock", { block_number_or_hash: head })).hash;
    await expect.poll(indexedHash, { timeout: 60_000 }).toBe(hash);
  }

  async function ask(name: string, params: JsonObject): Promise<JsonValue> {
    called.add(name);
    return service?.run(name, params) ?? null;
  }

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  function questions(): Questions {
    const { dollar, collection } = devChain.contracts;
    const { weth, series, gallery, seaport, uniswap, since, waiting } = scenario;
    const tokens = [chain.token, dollar.address, weth];
    const asker: Questioner = {
      choice,
      node,
      accounts: ACCOUNTS.map((each) => chain.account(each)),
      tokens,
      weth,
      collections: [series, collection.address],
      waiting,
      run: ask,
    };
    const names = new Map([1, 2].map((i) => [i === 1 ? "alice.eth" : "bob.eth", chain.account(i)] as const));
    return {
      ...tokenQuestions(asker),
      ...nftQuestions(asker),
      ...transactionQuestions(asker, [...tokens, series, seaport.address, uniswap.v2.router]),
      ...walletQuestions(asker),
      ...marketQuestions(asker, { uniswap, token: chain.token, dollar: dollar.address, coin: weth, since }),
      ...metadataQuestions(asker, gallery),
      ...serviceQuestions(asker, names, sources),
      ...saleQuestions(asker, series, scenario.sales),
    };
  }

  const rounds: readonly [string, () => Promise<unknown>][] = [
    ["the first indexing", async () => undefined],
    ["a reorganization", reorganize],
    ["a restart", start],
    ["kills of the indexer", kill],
  ];
  it.each(rounds)(
    `after %s, returns the same as the node for ${QUESTIONS} random queries (seed ${SEED})`,
    { timeout: PATIENCE },
    async (_, happen) => {
      await happen();
      await follow();
      for (let i = 0; i < QUESTIONS; i++) {
        const all = questions();
        if (remaining.length === 0) remaining = choice.shuffled(Object.keys(all));
        const name = remaining.pop() ?? "";
        await all[name]?.().catch((error: unknown) => {
          throw new Error(`${name} (question ${i})`, { cause: error });
        });
      }
    },
  );

  it.runIf(QUESTIONS >= 250)("all operations were called", () => {
    expect(ENDPOINT_NAMES.filter((name) => !called.has(name) && !NOT_CALLED.has(name))).toEqual([]);
  });
});
