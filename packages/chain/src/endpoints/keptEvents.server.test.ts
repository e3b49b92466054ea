import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type DatabaseLocation, NIGHTLY } from "../../test/indexDatabase.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { ChainStore } from "../store/chainStore.ts";
import { openReader } from "../store/openReader.ts";
import { SCHEMA_VERSION } from "../store/schema.ts";

/* A server that has removed the events of its oldest blocks. */

/** Blocks whose events are removed together: those of a partition. */
const BATCH_BLOCKS = 100;
const KEPT = 100;

const STORES = ["SQLite", "PostgreSQL with partitions"] as const;

describe.each(NIGHTLY ? STORES : STORES.slice(0, 1))("with its index in %s", (name) => {
  const ends: (() => Promise<unknown>)[] = [];
  let chain: TestChain;
  let service: TestService;
  let wallet: string;
  let keptFrom: number;
  let location: DatabaseLocation;

  beforeAll(async () => {
    ({ chain } = await startTestChain(ends));
    wallet = chain.account(7);
    await chain.transfer(0, chain.account(7), 77n);
    await chain.mine(300);
    await chain.transfer(0, chain.account(8), 88n);
    const database = await createDatabase(name);
    location =
      database.location.kind === "sqlite"
        ? { ...database.location, removalBlocks: BATCH_BLOCKS }
        : database.location;
    ends.push(database.remove);
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], keepBlocks: KEPT }, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    const status = await service.waitFor(({ state, indexed, finalized, keptFrom }) => {
      const before = Math.min(head + 1 - KEPT, finalized ?? head);
      const isRemoved = keptFrom === before - (before % BATCH_BLOCKS);
      return state === "following" && indexed === head && isRemoved;
    });
    keptFrom = status.keptFrom ?? -1;
  });
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function atHead() {
    const head = await chain.head();
    return service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
  }

  async function read(name: string, parameters: Record<string, unknown>): Promise<JsonObject> {
    const response = await service.run(name, parameters);
    if (isJsonObject(response)) return response;
    throw new Error("the response is not an object");
  }

  /** The balance of the wallet among those of all of its tokens. */
  async function listedBalance(): Promise<unknown> {
    const tokens = asList(await service.run("getTokenBalances", { address: wallet }));
    return Object(tokens.find((each) => Object(each).token_address === chain.token.toLowerCase())).balance;
  }

  const asList = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

  it("several blocks are removed together, and the status says from which block on events are kept", async () => {
    const head = await chain.head();
    expect(keptFrom % BATCH_BLOCKS).toBe(0);
    expect(keptFrom).toBeGreaterThan(0);
    expect(keptFrom).toBeLessThanOrEqual(head + 1 - KEPT);
    expect(service.log.lines.join()).toContain("removed the events of old blocks");
  });

  it("the version of the index is one that processes of versions without removals do not write", async () => {
    const reader = await openReader(indexLocationOf(location, chain.chainId), 1);
    const definition = (await new ChainStore(reader).properties()).get("making");
    await reader.close();
    // These write indexes up to their own version only.
    expect(JSON.parse(definition ?? "{}").layout).toBeGreaterThan(1_000 + SCHEMA_VERSION);
  });

  it("lists contain the kept events and say so", async () => {
    const old = await read("getTokenTransfers", { address: wallet });
    expect(old).toMatchObject({ total: 0, result: [], kept_from_block: String(keptFrom) });
    const recent = await read("getTokenTransfers", { address: chain.account(8), from_block: 0 });
    expect(recent).toMatchObject({ total: 1, kept_from_block: String(keptFrom) });
    for (const name of ["getWalletHistory", "getWalletStats", "getWalletApprovals"])
      expect(await read(name, { address: wallet })).toMatchObject({ kept_from_block: String(keptFrom) });
  });

  it("lists of blocks whose events are not kept are an error", async () => {
    const range = { address: wallet, to_block: keptFrom - 1 };
    const message = expect.stringContaining(`before block ${keptFrom} are no longer kept`);
    for (const name of ["getTokenTransfers", "getTransactions", "getWalletHistory"])
      await expect(service.run(name, range)).rejects.toMatchObject({ status: 503, message });
    const abi = {
      type: "event",
      name: "Transfer",
      inputs: [
        { type: "address", name: "from", indexed: true },
        { type: "address", name: "to", indexed: true },
        { type: "uint256", name: "value" },
      ],
    };
    const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    const events = { address: chain.token, topic, abi };
    const kept = await service.run("getContractEvents", events);
    expect(kept).toMatchObject({ kept_from_block: String(keptFrom), result: [expect.anything()] });
  });

  it("balances, holders and supply include the removed events", async () => {
    expect(await listedBalance()).toBe(String(await chain.tokenBalance(chain.account(7))));
    const owners = await read("getTokenOwners", { address: chain.token });
    expect(asList(owners.result)).toContainEqual(
      expect.objectContaining({ owner_address: wallet.toLowerCase() }),
    );
    const stats = await read("getTokenStats", { address: chain.token });
    expect(stats).not.toHaveProperty("calculated_from_transfers");
    expect(stats).toMatchObject({ kept_from_block: String(keptFrom), transfers: { total: 1 } });
  });

  it("what would need the removed events is an error or null", async () => {
    const message = expect.stringContaining("no longer kept");
    const history = { address: chain.token, fromDate: 0, timeFrame: "1d" };
    const { timestamp } = Object(
      await chain.rpc("eth_getBlockByNumber", [`0x${keptFrom.toString(16)}`, false]),
    );
    const before = { ...history, fromDate: Number(timestamp) - 86_400 };
    await expect(service.run("getHistoricalTokenHolders", before)).rejects.toMatchObject({
      status: 503,
      message,
    });
    const { active_chains: chains } = await read("getWalletActiveChains", { address: chain.account(0) });
    expect(asList(chains)).toEqual([
      expect.objectContaining({
        first_transaction: null,
        last_transaction: expect.anything(),
        kept_from_block: String(keptFrom),
      }),
    ]);
    const reader = service.service.eventReader(chain.chainId);
    const head = await reader.head();
    if (!head) throw new Error("the index is empty");
    const selection = { kind: "erc20Token", address: chain.token } as const;
    await expect(reader.events(selection, undefined, head, 10)).rejects.toThrow("no longer kept");
    const blocks = service.service.blockReader(chain.chainId);
    await expect(blocks.blocks(0, 5, 10)).rejects.toThrow("no longer kept");
  });

  it("a reorganization of kept blocks changes balances back", async () => {
    const before = await chain.tokenBalance(chain.account(7));
    await chain.transfer(0, chain.account(7), 5n);
    await atHead();
    await chain.reorganize(3);
    await expect
      .poll(
        async () => {
          await atHead();
          const owners = await read("getTokenOwners", { address: chain.token });
          const owner = asList(owners.result).find(
            (each) => Object(each).owner_address === wallet.toLowerCase(),
          );
          return [await listedBalance(), Object(owner).balance];
        },
        { timeout: 30_000, interval: 50 },
      )
      .toEqual([String(before), String(before)]);
  });
});
