import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  pad,
  parseAbi,
  toEventSelector,
  zeroAddress,
} from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createDatabase, DATABASES, type DatabaseLocation } from "../../test/indexDatabase.ts";
import { type Intercept, proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { newLogEmitter, tokenAbi } from "../../test/testTokens.ts";

const erc20 = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
]);
const NAME = "0x06fdde03";
const SYMBOL = "0x95d89b41";
const TOTAL_SUPPLY = "0x18160ddd";

let chain: TestChain;
let token: Address;
let createIndexed: CreateIndexed;
const removals: (() => Promise<unknown>)[] = [];
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ({ chain } = await startTestChain(removals));
  token = chain.token;
  createIndexed = await indexBeforehand(chain, removals, DATABASES);
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(async () => {
  for (const remove of removals.reverse()) await remove();
});

function objectOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("the value is not an object");
}

/** Starts a service whose node is meddled with: it reads names of tokens only once, so that its index is empty. */
async function startBehindProxy(
  name: (typeof DATABASES)[number],
  intercept: Intercept,
): Promise<TestService> {
  const { location, remove } = await createDatabase(name);
  stops.push(remove);
  const proxy = await proxyNode(chain.url, intercept);
  stops.push(() => proxy.stop());
  return start(location, proxy.url, stops);
}

async function start(
  location: DatabaseLocation,
  url: string,
  ends: (() => Promise<unknown>)[],
): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls: [url] }, location);
  ends.push(() => service.stop());
  await atHead(service);
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
}

async function read(
  to: Address,
  functionName: "balanceOf" | "totalSupply",
  owner?: Address,
): Promise<bigint> {
  const data =
    functionName === "totalSupply"
      ? encodeFunctionData({ abi: erc20, functionName })
      : encodeFunctionData({ abi: erc20, functionName, args: [owner ?? "0x"] });
  return BigInt(String(await chain.rpc("eth_call", [{ to, data }, "latest"])));
}

/** All pages of the owners of the token. */
async function owners(service: TestService, parameters: JsonObject = {}): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  let cursor: JsonValue | undefined = "";
  do {
    const response = await service.run("getTokenOwners", { address: token, limit: 3, ...parameters, cursor });
    const page = objectOf(response);
    if (Array.isArray(page.result)) rows.push(...page.result.map(objectOf));
    ({ cursor } = page);
  } while (cursor !== "");
  return rows;
}

async function expectOwnersOfContract(service: TestService): Promise<JsonObject[]> {
  const rows = await owners(service);
  let sum = 0n;
  for (const { owner_address: owner, balance } of rows) {
    expect(String(balance)).toBe(String(await read(token, "balanceOf", `0x${String(owner).slice(2)}`)));
    sum += BigInt(String(balance));
  }
  expect(sum).toBe(await read(token, "totalSupply"));
  return rows;
}

describe.each(DATABASES)("on %s", (name) => {
  let service: TestService;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    service = await start(await createIndexed(name, ends), chain.url, ends);
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  it("getTokenOwners lists all owners with the balances of the contract, the largest first", async () => {
    const rows = await expectOwnersOfContract(service);
    const balances = rows.map(({ balance }) => BigInt(String(balance)));
    expect(balances).toEqual(balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
    expect(await owners(service, { order: "asc" })).toEqual(rows.toReversed());
    const supply = await read(token, "totalSupply");
    const page = objectOf(await service.run("getTokenOwners", { address: token }));
    expect(page).toMatchObject({ total: rows.length, page: 0, page_size: 100, total_supply: String(supply) });
    expect(rows[0]).not.toHaveProperty("calculated_from_transfers");
    const share = Number(((balances[0] ?? 0n) * 10n ** 6n) / supply) / 10_000;
    expect(rows[0]?.percentage_relative_to_total_supply).toBeCloseTo(share, 3);
  });

  it("owners follow transfers and reorganizations", async () => {
    const before = await owners(service);
    const receiver: Address = `0x${"77".repeat(20)}`;
    await chain.transfer(0, receiver, 5n);
    await atHead(service);
    const after = await expectOwnersOfContract(service);
    expect(after).toHaveLength(before.length + 1);
    expect(after.at(-1)).toMatchObject({ owner_address: receiver, balance: "5" });
    await chain.reorganize(1);
    await chain.mine(1);
    await atHead(service);
    expect(await owners(service)).toEqual(before);
  });

  it("getHistoricalTokenHolders counts the owners at past times as replaying the transfers does", async () => {
    const balances = new Map<string, bigint>();
    const counts: { time: number; count: number }[] = [];
    for (const transfer of await chain.transfers()) {
      const [block = "", , , from = "", to = "", value = "0"] = transfer.split(" ");
      balances.set(from, (balances.get(from) ?? 0n) - BigInt(value));
      balances.set(to, (balances.get(to) ?? 0n) + BigInt(value));
      const header = objectOf(
        await chain.rpc("eth_getBlockByNumber", [`0x${Number(block).toString(16)}`, false]),
      );
      const count = [...balances].filter(([owner, balance]) => owner !== zeroAddress && balance > 0n).length;
      counts.push({ time: Number(header.timestamp), count });
    }
    const countAt = (time: number) => counts.findLast((each) => each.time <= time)?.count ?? 0;
    const last = Math.min(counts.at(-1)?.time ?? 0, Math.floor(Date.now() / 1000));
    const range = { fromDate: last - 90 * 3_600, toDate: last, timeFrame: "1h" };
    const { result } = objectOf(await service.run("getHistoricalTokenHolders", { address: token, ...range }));
    const rows = Array.isArray(result) ? result.map(objectOf) : [];
    expect(rows).toHaveLength(91);
    for (const { timestamp, totalHolders, netHolderChange } of rows) {
      const time = Date.parse(String(timestamp)) / 1000;
      expect(totalHolders).toBe(countAt(time));
      expect(netHolderChange).toBe(countAt(time) - countAt(time - 3_600));
    }
    await expect(
      service.run("getHistoricalTokenHolders", { address: token, ...range, fromDate: 0 }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining("timeFrame is too short") });
  });

  it("marks balances as calculated if the contract's supply differs from the transfers", async () => {
    const supply = encodeAbiParameters([{ type: "uint256" }], [10n ** 30n]);
    const behind = await startBehindProxy(name, ({ method, params: [call] }) =>
      method === "eth_call" && Object(call).data === TOTAL_SUPPLY ? { result: supply } : undefined,
    );
    const [first] = await owners(behind);
    expect(first).toMatchObject({ calculated_from_transfers: true });
    const page = objectOf(await behind.run("getTokenOwners", { address: token }));
    expect(page.total_supply).toBe(String(10n ** 30n));
  });

  it("getTokenStats returns supply, holders, transfers and creation of a token", async () => {
    const stats = objectOf(await service.run("getTokenStats", { address: token }));
    const creation = objectOf(
      await chain.rpc("eth_getTransactionByHash", [String(stats.creation_transaction_hash)]),
    );
    expect(creation).toMatchObject({ to: null, from: stats.creator_address });
    expect(Number(creation.blockNumber)).toBe(Number(stats.creation_block_number));
    expect(stats).toMatchObject({
      holders: { total: (await owners(service)).length },
      transfers: { total: (await chain.transfers()).length },
      total_supply: String(await read(token, "totalSupply")),
    });
    await expect(service.run("getTokenStats", { address: `0x${"99".repeat(20)}` })).rejects.toMatchObject({
      status: 404,
    });
  });

  it("a changed name is read on request, after an upgrade of the contract, and after a reorganization", async () => {
    const emitter = await newLogEmitter(chain);
    let text = "Old name";
    const behind = await startBehindProxy(name, ({ method, params: [call] }) => {
      const { to, data } = Object(call);
      const isText = method === "eth_call" && (data === NAME || data === SYMBOL);
      if (!isText || String(to).toLowerCase() !== emitter.toLowerCase()) return undefined;
      return { result: encodeAbiParameters([{ type: "string" }], [text]) };
    });
    const metadata = async () => {
      const [first] = Object(await behind.run("getTokenMetadata", { addresses: emitter }));
      return objectOf(first).name;
    };
    expect(await metadata()).toBe("Old name");
    text = "New name";
    expect(await behind.run("resyncTokenMetadata", { address: emitter })).toMatchObject({
      name: "New name",
    });
    await expect.poll(metadata, { timeout: 20_000 }).toBe("New name");
    text = "Upgraded";
    const topics = [toEventSelector("Upgraded(address)"), `0x${"0".repeat(64)}`] as const;
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "make", args: [[...topics], "0x"] });
    await chain.send(0, emitter, data);
    await expect.poll(metadata, { timeout: 20_000 }).toBe("Upgraded");
    const beacon = await newLogEmitter(chain);
    const emit = async (contract: Address, signature: string, ...more: Hex[]) => {
      const log = encodeFunctionData({
        abi: tokenAbi,
        functionName: "make",
        args: [[toEventSelector(signature), ...more], "0x"],
      });
      await chain.send(0, contract, log);
    };
    text = "Behind a beacon";
    await emit(emitter, "BeaconUpgraded(address)", pad(beacon));
    await expect.poll(metadata, { timeout: 20_000 }).toBe("Behind a beacon");
    text = "Beacon upgraded";
    await emit(beacon, "Upgraded(address)", pad("0x"));
    await expect.poll(metadata, { timeout: 20_000 }).toBe("Beacon upgraded");
    text = "Diamond cut";
    await emit(emitter, "DiamondCut((address,uint8,bytes4[])[],address,bytes)");
    await expect.poll(metadata, { timeout: 20_000 }).toBe("Diamond cut");
    await behind.run("resyncTokenMetadata", { address: emitter });
    // A block that was never indexed is not noticed to be gone.
    await atHead(behind);
    text = "Reorganized";
    await chain.reorganize(1);
    await chain.mine(1);
    await expect.poll(metadata, { timeout: 20_000 }).toBe("Reorganized");
  });

  it("searchTokens finds a token by address, symbol and the beginning of its name", async () => {
    const [known] = Object(await service.run("getTokenMetadata", { addresses: token }));
    const { name: fullName, symbol, address } = objectOf(known);
    const beginning = String(fullName).slice(0, 3).toUpperCase();
    for (const query of [token, String(symbol).toLowerCase(), beginning]) {
      const search = async () => Object(await service.run("searchTokens", { query }));
      await expect.poll(search, { timeout: 20_000 }).toContainEqual(expect.objectContaining({ address }));
    }
    expect(await service.run("searchTokens", { query: "no such token" })).toEqual([]);
  });
});
