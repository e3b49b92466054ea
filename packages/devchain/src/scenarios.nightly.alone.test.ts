import { rm } from "node:fs/promises";
import { type Address, createPublicClient, erc20Abi, type Hex, http, pad, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { discard, newFolderWithHistory } from "../test/chainFolders.ts";
import { type DevChain, type DevContract, generateTraffic, startDevChain } from "./index.ts";

/** `npm test` leaves out what starts more chains. */
const NIGHTLY = process.env.PURSE_TESTS !== undefined;

let folder: string;
let chain: DevChain;
const client = (of: { url: string } = chain) =>
  createPublicClient({ transport: http(of.url), cacheTime: 0, batch: { multicall: false } });

beforeAll(async () => {
  folder = await newFolderWithHistory();
  chain = await startDevChain({ port: 0, dataDir: folder, autoSave: false });
});
afterAll(async () => {
  await discard(chain);
  await rm(folder, { recursive: true });
});

const account = (index: number): Address => chain.accounts[index]?.address ?? "0x";
const read = ({ address, abi }: DevContract, functionName: string, args: unknown[] = [], from = client()) =>
  from.readContract({ address, abi, functionName, args });

/** The arguments of a contract's events, oldest first, with addresses in lower case. */
async function events(contract: DevContract, eventName: string, from = client()) {
  const logs = await from.getContractEvents({ ...contract, eventName, fromBlock: 0n });
  return logs.map(({ args = {} }) =>
    Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        typeof value === "string" ? value.toLowerCase() : value,
      ]),
    ),
  );
}

/** All transactions of the history with their receipts. */
async function history() {
  const head = Number(await client().getBlockNumber());
  const numbers = Array.from({ length: head }, (_, index) => BigInt(index + 1));
  const blocks = await Promise.all(
    numbers.map((blockNumber) => client().getBlock({ blockNumber, includeTransactions: true })),
  );
  const transactions = blocks.flatMap((block) => block.transactions);
  const receipts = await Promise.all(
    transactions.map(({ hash }) => client().getTransactionReceipt({ hash })),
  );
  return { blocks, transactions, receipts };
}

describe("the history's tokens", () => {
  it("have 18, 6, 0 and 8 decimals and the recorded metadata", async () => {
    const { token, dollar, point } = chain.contracts;
    for (const each of [token, dollar, point]) {
      const says = await Promise.all(["name", "symbol", "decimals"].map((what) => read(each, what)));
      expect(says).toEqual([each.name, each.symbol, each.decimals]);
    }
    expect([dollar.symbol, dollar.decimals, point.symbol, point.decimals]).toEqual(["pUSD", 6, "POINT", 0]);
    expect(await read(dollar, "balanceOf", [account(6)])).toBe(1_999_990_000n);
    expect(await read(point, "balanceOf", [account(6)])).toBe(600n);
  });

  it("include a legacy token with bytes32 metadata and without a return value of transfers", async () => {
    const { legacy } = chain.contracts;
    const toBytes32 = (text: string) =>
      pad(`0x${Buffer.from(text).toString("hex")}`, { dir: "right", size: 32 });
    expect(await read(legacy, "name")).toBe(toBytes32(legacy.name));
    expect(await read(legacy, "symbol")).toBe(toBytes32(legacy.symbol));
    expect(await read(legacy, "decimals")).toBe(BigInt(legacy.decimals));
    const transfer = { address: legacy.address, abi: erc20Abi, account: account(7) };
    const { data } = await client().call({
      account: account(7),
      to: legacy.address,
      data: `0xa9059cbb${pad(account(8)).slice(2)}${"1".padStart(64, "0")}`,
    });
    expect(data).toBeUndefined();
    await expect(
      client().simulateContract({ ...transfer, functionName: "transfer", args: [account(8), 1n] }),
    ).rejects.toThrow('returned no data ("0x")');
    expect(await read(legacy, "balanceOf", [account(8)])).toBe(200_000_001n);
  });

  it("include artworks that were minted, transferred and burnt, with URIs of several kinds", async () => {
    const { gallery } = chain.contracts;
    const last = 2n ** 256n - 1n;
    const lives = (await events(gallery, "Transfer")).filter(({ tokenId }) => tokenId === 1n);
    expect(lives.map(({ from, to }) => [from, to])).toEqual([
      [zeroAddress, account(5)],
      [account(5), account(6)],
      [account(6), zeroAddress],
    ]);
    await expect(read(gallery, "ownerOf", [1n])).rejects.toThrow("ERC721NonexistentToken");
    expect(String(await read(gallery, "ownerOf", [last])).toLowerCase()).toBe(account(8));
    expect(await read(gallery, "tokenURI", [7n])).toBe("https://gallery.example/7");
    expect(await read(gallery, "tokenURI", [last])).toMatch(/^data:application\/json,/);
    expect(await read(gallery, "tokenURI", [8n])).toBe("");
  });

  it("include tickets that were transferred and burnt individually and in batches", async () => {
    const { tickets } = chain.contracts;
    const batches = await events(tickets, "TransferBatch");
    expect(batches.map(({ from, to, ids, values }) => [from, to, ids, values])).toEqual([
      [zeroAddress, account(5), [1n, 2n, 2n ** 255n], [300n, 40n, 1n]],
      [account(5), account(8), [1n, 2n], [50n, 10n]],
      [account(5), account(6), [1n, 1n], [3n, 4n]],
      [account(5), account(6), [], []],
      [account(8), zeroAddress, [1n, 2n], [50n, 4n]],
    ]);
    const singles = await events(tickets, "TransferSingle");
    expect(singles).toContainEqual({
      operator: account(7),
      from: account(7),
      to: zeroAddress,
      id: 1n,
      value: 5n,
    });
    expect(await read(tickets, "balanceOf", [account(8), 2n])).toBe(6n);
    expect(await read(tickets, "uri", [1n])).toContain("{id}");
  });
});

describe("the history's transactions", () => {
  it("succeed except one in the middle of a block", async () => {
    const { blocks, receipts } = await history();
    const failed = receipts.filter(({ status }) => status === "reverted");
    expect(failed).toMatchObject([
      { from: account(7), to: chain.contracts.point.address, transactionIndex: 1, logs: [] },
    ]);
    const block = blocks.find(({ hash }) => hash === failed[0]?.blockHash);
    expect(block?.transactions).toHaveLength(3);
    expect(blocks.length).toBeLessThanOrEqual(150);
  });

  it("include a contract deployed by another account, a zero payment and self-payments", async () => {
    const { transactions, receipts } = await history();
    const created = receipts.find(({ from, contractAddress }) => from === account(8) && contractAddress);
    expect(await client().getCode({ address: created?.contractAddress ?? "0x" })).toMatch(/^0x6/);
    const plain = transactions.filter(({ input }) => input === "0x");
    expect(plain).toContainEqual(expect.objectContaining({ from: account(6), to: account(7), value: 0n }));
    expect(plain).toContainEqual(expect.objectContaining({ from: account(6), to: account(6) }));
    const dollars = await events(chain.contracts.dollar, "Transfer");
    expect(dollars).toContainEqual({ from: account(6), to: account(7), value: 0n });
    expect(dollars).toContainEqual({ from: account(6), to: account(6), value: 25_000_000n });
  });
});

describe("the hostile contracts", () => {
  it("log a transfer and then revert on every call", async () => {
    const { reverter } = chain.contracts.hostile;
    expect(await events(reverter, "Transfer")).toEqual([{ from: account(8), to: account(7), value: 1000n }]);
    for (const what of ["name", "symbol", "decimals"]) {
      await expect(read(reverter, what)).rejects.toThrow("Refused");
    }
    await expect(read(reverter, "balanceOf", [account(7)])).rejects.toThrow("Refused");
  });

  it("have a name that is not UTF-8 and a symbol of 100,000 bytes", async () => {
    const { name } = chain.contracts.hostile;
    const { data = "0x" } = await client().call({ to: name.address, data: "0x06fdde03" });
    const bytes = Buffer.from(data.slice(2 + 128, 2 + 128 + 28), "hex");
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow();
    expect(await read(name, "symbol")).toHaveLength(100_000);
    expect(await read(name, "decimals")).toBe(255);
  });

  it("log malformed transfers", async () => {
    const logs = await client().getLogs({ address: chain.contracts.hostile.logs.address, fromBlock: 0n });
    const size = (data: Hex) => (data.length - 2) / 2;
    expect(logs.map(({ topics, data }) => [topics.length, size(data)])).toEqual([
      [1, 96],
      [2, 64],
      [3, 32],
      [3, 31],
      [3, 64],
      [4, 0],
      [4, 288],
      [4, 223],
      [4, 64],
      [4, 96],
      [4, 63],
    ]);
    const dirty = logs[2]?.topics[1] ?? "0x";
    expect(dirty).toBe(`0x${"f".repeat(24)}${account(8).slice(2)}`);
  });
});

describe("traffic", () => {
  const small = { seed: 7, blocks: 20, transfersPerBlock: 25, wallets: 40 };

  if (NIGHTLY)
    it("is the same for the same seed, and different for another seed", async () => {
      const hashes: (Hex | null)[] = [];
      for (const seed of [7, 7, 8]) {
        const elsewhere = await newFolderWithHistory();
        const twin = await startDevChain({ port: 0, dataDir: elsewhere, autoSave: false });
        const { toBlock } = await generateTraffic(twin.url, { ...small, seed });
        hashes.push((await client(twin).getBlock({ blockNumber: BigInt(toBlock) })).hash);
        await discard(twin);
        await rm(elsewhere, { recursive: true });
      }
      expect(hashes[1]).toBe(hashes[0]);
      expect(hashes[2]).not.toBe(hashes[0]);
    });

  it("leaves all wallets with the recorded balances", async () => {
    const before = Number(await client().getBlockNumber());
    const traffic = await generateTraffic(chain.url, small);
    expect(traffic).toMatchObject({ fromBlock: before + 1, toBlock: before + 21, transfers: 500 });
    expect(Number(await client().getBlockNumber())).toBe(traffic.toBlock);

    for (const coin of traffic.coins) {
      const balances = await Promise.all(traffic.wallets.map((wallet) => read(coin, "balanceOf", [wallet])));
      expect(balances).toEqual(traffic.wallets.map((wallet) => coin.balances.get(wallet) ?? 0n));
      expect([await read(coin, "symbol"), await read(coin, "decimals")]).toEqual([
        coin.symbol,
        coin.decimals,
      ]);
    }
    const owners = await Promise.all(
      [...traffic.pieces.owners].map(([id]) => read(traffic.pieces, "ownerOf", [id])),
    );
    expect(owners.map((owner) => String(owner).toLowerCase())).toEqual([...traffic.pieces.owners.values()]);
    for (const [id, balances] of traffic.items.balances) {
      const holders = [...balances.keys()];
      const ids = holders.map(() => id);
      expect(await read(traffic.items, "balanceOfBatch", [holders, ids])).toEqual([...balances.values()]);
    }
  });

  it("has the requested number of transfers, of all kinds", async () => {
    const traffic = await generateTraffic(chain.url, { ...small, seed: 9, transfersPerBlock: 75 });
    const coins = (await Promise.all(traffic.coins.map((coin) => events(coin, "Transfer")))).flat();
    const pieces = await events(traffic.pieces, "Transfer");
    const singles = await events(traffic.items, "TransferSingle");
    const batches = await events(traffic.items, "TransferBatch");
    const counts = [coins, pieces, singles, batches].map((each) => each.length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1500);
    expect(Math.min(...counts)).toBeGreaterThan(5);
    for (const each of [coins, pieces, singles.concat(batches)]) {
      expect(each.some(({ to }) => to === zeroAddress)).toBe(true);
    }
  });

  it("is rejected with a readable message for invalid options", async () => {
    await expect(generateTraffic(chain.url, { blocks: 0 })).rejects.toThrow(
      "blocks must be a positive integer",
    );
    await expect(generateTraffic(chain.url, { transfersPerTransaction: 101 })).rejects.toThrow("at most 100");
  });

  it("leaves a chain that mines a block for each transaction at the current time", async () => {
    const before = Math.floor(Date.now() / 1000);
    const hash = await client().request<{
      Method: "eth_sendTransaction";
      Parameters: [object];
      ReturnType: Hex;
    }>({
      method: "eth_sendTransaction",
      params: [{ from: account(5), to: account(6), value: "0x1" }],
    });
    const { blockNumber } = await vi.waitFor(() => client().getTransactionReceipt({ hash }), {
      timeout: 30_000,
      interval: 20,
    });
    const { timestamp } = await client().getBlock({ blockNumber });
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Number(timestamp)).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
