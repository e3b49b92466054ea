import { type ChildProcess, spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  getAddress,
  http,
  parseAbi,
  parseEther,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { discard, newFolder, newFolderWithHistory } from "../test/chainFolders.ts";
import { type DevChain, startDevChain } from "./index.ts";

/** `npm test` leaves out what starts more chains. */
const NIGHTLY = process.env.PURSE_TESTS !== undefined;

const erc20 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function balanceOf(address) view returns (uint256)",
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
]);
const erc721 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function ownerOf(uint256) view returns (address)",
  "function tokenURI(uint256) view returns (string)",
]);
const erc1155 = parseAbi([
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "function balanceOf(address, uint256) view returns (uint256)",
]);

const client = (chain: { url: string }) => createPublicClient({ transport: http(chain.url), cacheTime: 0 });

function addressOf(chain: DevChain, account: number): Address {
  const address = chain.accounts[account]?.address;
  if (!address) throw new Error(`There is no account ${account}`);
  return address;
}

/** Sends 1 ether from account 5 to account 6 and waits for its block. */
async function payOnce(chain: DevChain) {
  const key = chain.accounts[5]?.privateKey;
  if (!key) throw new Error("There is no account 5");
  const wallet = createWalletClient({
    account: privateKeyToAccount(key),
    transport: http(chain.url),
    chain: defineChain({
      id: chain.chainId,
      name: "Local",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [chain.url] } },
    }),
  });
  const hash = await wallet.sendTransaction({ to: addressOf(chain, 6), value: parseEther("1") });
  // Not waitForTransactionReceipt(): if a block arrives while it still looks because of the last one, it waits for the next.
  return vi.waitFor(() => client(chain).getTransactionReceipt({ hash }), { timeout: 30_000, interval: 20 });
}

const tokenLogs = (chain: DevChain) =>
  client(chain).getContractEvents({
    address: chain.contracts.token.address,
    abi: erc20,
    eventName: "Transfer",
    fromBlock: 0n,
  });

/** The number of the latest block that is saved in a folder; 0 if there is none. */
async function savedBlock(folder: string): Promise<number> {
  const file = await readFile(join(folder, "state.json.gz")).catch(() => undefined);
  return file ? Number(JSON.parse(gunzipSync(file).toString()).best_block_number) : 0;
}

const answers = (url: string) =>
  client({ url })
    .getChainId()
    .then(
      () => true,
      () => false,
    );

describe("a new chain", () => {
  let folder: string;
  let chain: DevChain;
  const lines: string[] = [];

  beforeAll(async () => {
    folder = await newFolder();
    chain = await startDevChain({ port: 0, dataDir: folder, log: (line) => lines.push(line) });
  });
  afterAll(async () => {
    await discard(chain);
    await rm(folder, { recursive: true });
  });

  it("responds as chain 0x539 on the loopback address", async () => {
    expect(chain.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await client(chain).request({ method: "eth_chainId" })).toBe("0x539");
    expect(lines.join("\n")).toMatch(/\d+ transactions in \d+ blocks/);
  });

  it("has the ten funded accounts of the test mnemonic, with their keys", async () => {
    expect(chain.accounts).toHaveLength(10);
    expect(chain.accounts[0]).toEqual({
      address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
      privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    });
    for (const { address, privateKey } of chain.accounts) {
      expect(privateKeyToAccount(privateKey).address.toLowerCase()).toBe(address);
      expect(await client(chain).getBalance({ address })).toBeGreaterThan(parseEther("9900"));
    }
  });

  it("has the contracts at the same addresses on every machine", () => {
    expect(chain.contracts.token.address).toBe("0x5fbdb2315678afecb367f032d93f642f64180aa3");
    expect(chain.contracts.collection.address).toBe("0xe7f1725e7734ce288f8367e1bb143e90bb3f0512");
    expect(chain.contracts.items.address).toBe("0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0");
  });

  it("has an ERC-20 with the recorded metadata and balances", async () => {
    const { token } = chain.contracts;
    const read = (functionName: "name" | "symbol" | "decimals") =>
      client(chain).readContract({ address: token.address, abi: erc20, functionName });
    expect([await read("name"), await read("symbol"), await read("decimals")]).toEqual([
      token.name,
      token.symbol,
      token.decimals,
    ]);
    expect(token).toMatchObject({ name: "Purse Token", symbol: "PURSE", decimals: 18 });
    const balances = new Map<string, bigint>();
    for (const { args } of await tokenLogs(chain)) {
      const { from = "0x", to = "0x", value = 0n } = args;
      balances.set(from, (balances.get(from) ?? 0n) - value);
      balances.set(to, (balances.get(to) ?? 0n) + value);
    }
    for (const { address } of chain.accounts) {
      const balance = await client(chain).readContract({
        address: token.address,
        abi: token.abi,
        functionName: "balanceOf",
        args: [address],
      });
      expect(balance).toBe(balances.get(getAddress(address)));
    }
  });

  it("has an ERC-721 with owners and embedded metadata", async () => {
    const { collection } = chain.contracts;
    const contract = { address: collection.address, abi: erc721 };
    const owner = await client(chain).readContract({ ...contract, functionName: "ownerOf", args: [3n] });
    expect(owner.toLowerCase()).toBe(addressOf(chain, 2));
    const uri = await client(chain).readContract({ ...contract, functionName: "tokenURI", args: [1n] });
    const metadata: unknown = JSON.parse(Buffer.from(uri.split(",")[1] ?? "", "base64").toString());
    expect(metadata).toMatchObject({
      name: "Purse Piece #1",
      image: expect.stringMatching(/^data:image\/svg/),
    });
  });

  it("has an ERC-1155 with single and batch transfers", async () => {
    const { items } = chain.contracts;
    const events = (eventName: "TransferSingle" | "TransferBatch") =>
      client(chain).getContractEvents({ address: items.address, abi: erc1155, eventName, fromBlock: 0n });
    expect((await events("TransferSingle")).length).toBeGreaterThanOrEqual(4);
    expect((await events("TransferBatch")).length).toBeGreaterThanOrEqual(3);
    const keys = await client(chain).readContract({
      address: items.address,
      abi: erc1155,
      functionName: "balanceOf",
      args: [addressOf(chain, 4), 1n],
    });
    expect(keys).toBe(15n);
  });

  it("returns about thirty token transfers in many blocks by eth_getLogs", async () => {
    const logs = await tokenLogs(chain);
    expect(logs.length).toBeGreaterThanOrEqual(30);
    expect(new Set(logs.map((log) => log.blockNumber)).size).toBeGreaterThan(10);
  });

  if (NIGHTLY)
    it("has the same hashes as another chain with the same history", async () => {
      const other = await newFolderWithHistory();
      const twin = await startDevChain({ port: 0, dataDir: other, autoSave: false });
      const block = (of: DevChain) => client(of).getBlock({ blockNumber: 27n });
      expect((await block(twin)).hash).toBe((await block(chain)).hash);
      await discard(twin);
      await rm(other, { recursive: true });
    });

  it("mines a block for each transaction at the current time", async () => {
    const before = Math.floor(Date.now() / 1000);
    const receipt = await payOnce(chain);
    const block = await client(chain).getBlock({ blockNumber: receipt.blockNumber });
    expect(block.transactions).toEqual([receipt.transactionHash]);
    // The clock of the chain was set at its start, in whole seconds and by a request, which it is late by.
    expect(Number(block.timestamp)).toBeGreaterThan(before - 60);
    expect(Number(block.timestamp)).toBeLessThanOrEqual(Date.now() / 1000);
  });
});

describe("a restarted chain", () => {
  it("continues with the same blocks, transactions, receipts, logs, past states and addresses", async () => {
    const folder = await newFolderWithHistory();
    const first = await startDevChain({ port: 0, dataDir: folder });
    const paid = await payOnce(first);
    const saved = {
      contracts: first.contracts,
      logs: await tokenLogs(first),
      block: await client(first).getBlock({ blockNumber: 6n, includeTransactions: true }),
      transaction: await client(first).getTransaction({ hash: paid.transactionHash }),
      balance: await client(first).getBalance({ address: addressOf(first, 1), blockNumber: 5n }),
    };
    await first.stop();

    const lines: string[] = [];
    const second = await startDevChain({ port: 0, dataDir: folder, log: (line) => lines.push(line) });
    expect(lines.join("\n")).toContain("continues");
    expect({
      contracts: second.contracts,
      logs: await tokenLogs(second),
      block: await client(second).getBlock({ blockNumber: 6n, includeTransactions: true }),
      transaction: await client(second).getTransaction({ hash: paid.transactionHash }),
      balance: await client(second).getBalance({ address: addressOf(second, 1), blockNumber: 5n }),
    }).toEqual(saved);
    expect(await client(second).getTransactionReceipt({ hash: paid.transactionHash })).toEqual(paid);
    const before = Math.floor(Date.now() / 1000);
    const next = await payOnce(second);
    expect(next.blockNumber).toBe(paid.blockNumber + 1n);
    const times = await Promise.all(
      [paid, next].map(({ blockHash }) => client(second).getBlock({ blockHash })),
    ).then((blocks) => blocks.map(({ timestamp }) => Number(timestamp)));
    expect(times[1]).toBeGreaterThan(times[0] ?? Infinity);
    expect(times[1]).toBeGreaterThanOrEqual(before);
    // Each block is at least a second later than the one before it.
    expect(times[1]).toBeLessThanOrEqual(Date.now() / 1000 + 1);
    await discard(second);
    await rm(folder, { recursive: true });
  });

  if (NIGHTLY)
    it("has lost nothing older than a few seconds after kill -9 of the node", async () => {
      const folder = await newFolderWithHistory();
      const lines: string[] = [];
      const first = await startDevChain({ port: 0, dataDir: folder, log: (line) => lines.push(line) });
      const paid = await payOnce(first);
      const logs = await tokenLogs(first);
      await expect.poll(() => savedBlock(folder)).toBeGreaterThanOrEqual(Number(paid.blockNumber));
      process.kill(-first.pid, "SIGKILL");
      await expect.poll(() => lines.join("\n")).toContain("SIGKILL");
      await first.stop();

      const second = await startDevChain({ port: 0, dataDir: folder });
      expect(await client(second).getTransactionReceipt({ hash: paid.transactionHash })).toEqual(paid);
      expect(await tokenLogs(second)).toEqual(logs);
      await discard(second);
      await rm(folder, { recursive: true });
    });

  it("reports a damaged state file and does not replace it", async () => {
    const folder = await newFolder();
    await writeFile(join(folder, "state.json.gz"), "no state");
    await expect(startDevChain({ port: 0, dataDir: folder })).rejects.toThrow(
      /saved state .*state\.json\.gz cannot be read/,
    );
    await rm(folder, { recursive: true });
  });
});

if (NIGHTLY)
  describe("the node's process", () => {
    it("exits when its chain is stopped, also if it is stopped twice", async () => {
      const folder = await newFolderWithHistory();
      const chain = await startDevChain({ port: 0, dataDir: folder });
      await Promise.all([chain.stop(), chain.stop()]);
      expect(await answers(chain.url)).toBe(false);
      expect(() => process.kill(-chain.pid, 0)).toThrow("ESRCH");
      await rm(folder, { recursive: true });
    });

    it("exits when its parent process is killed with kill -9", async () => {
      const folder = await newFolderWithHistory();
      const { parent, url } = await startElsewhere(folder);
      expect(await answers(url)).toBe(true);
      parent.kill("SIGKILL");
      await expect.poll(() => answers(url)).toBe(false);
      await rm(folder, { recursive: true });
    });
  });

describe("a port in use", () => {
  it("is reported with the setting that changes it", async () => {
    const folder = await newFolder();
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const address = holder.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const start = startDevChain({ port, dataDir: folder });
    await expect(start).rejects.toThrow(`Port ${port} on 127.0.0.1 of the local chain is already in use.`);
    await expect(start).rejects.toThrow("PURSE_DEV_CHAIN_PORT");
    await new Promise((resolve) => holder.close(resolve));
    await rm(folder, { recursive: true });
  });
});

/** Starts a chain in a separate process. */
async function startElsewhere(folder: string): Promise<{ parent: ChildProcess; url: string }> {
  const index = fileURLToPath(new URL("./index.ts", import.meta.url));
  const program = `
    import { startDevChain } from ${JSON.stringify(index)};
    const chain = await startDevChain({ port: 0, dataDir: ${JSON.stringify(folder)} });
    console.log(chain.url);
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    parent.stdout?.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    parent.once("exit", (code) => reject(new Error(`The other process ended with ${code}`)));
  });
  return { parent, url };
}
