import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { sql } from "kysely";
import postgres from "postgres";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  http,
  isHex,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  zeroAddress,
} from "viem";
import { inject } from "vitest";
import type { ChainService, ChainServiceConfig } from "../chainService.ts";
import type { EndpointRows } from "../endpoints/rows/row.ts";
import { ENDPOINTS } from "../endpoints/table.ts";
import type { ChainConfig, Market } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import { toHex } from "../model/hexBytes.ts";
import type { Logger } from "../model/logger.ts";
import { createChainService, indexLocationOf } from "../service.ts";
import { openReader } from "../store/openReader.ts";

/** Test support: control of a local chain, services for it, misbehaving nodes. */

/** The part of @purse/devchain's DevChain that tests need. */
export interface LocalChain {
  url: string;
  chainId: number;
  accounts: { address: Hex; privateKey: Hex }[];
  contracts: Record<"token" | "collection" | "items" | "gallery", { address: Address }>;
}

export interface TestChain {
  url: string;
  chainId: number;
  token: Address;
  account(index: number): Hex;
  rpc(method: string, params?: JsonValue[]): Promise<JsonValue>;
  /** Transfers units of the token from an account in a separate block. */
  transfer(from: number, to: Address, units: bigint): Promise<TransactionReceipt>;
  /** Mints an ERC-721 token. */
  mintNft(to: Address): Promise<TransactionReceipt>;
  /** Mints an ERC-721 token with a metadata URI in a gallery contract; burns it. */
  mintArtwork(gallery: Address, to: Address, id: bigint, uri: string): Promise<TransactionReceipt>;
  burnArtwork(gallery: Address, owner: number, id: bigint): Promise<TransactionReceipt>;
  /** Creates a copy of the gallery contract. */
  createGallery(): Promise<Address>;
  /** Transfers ERC-1155 tokens of account 0 in one batch. */
  transferItems(to: Address, ids: bigint[], amounts: bigint[]): Promise<TransactionReceipt>;
  /** Sends a transaction of an account in a separate block; value in wei. */
  send(from: number, to: Address, data: Hex, value?: bigint): Promise<TransactionReceipt>;
  /** Executes contract creation code. */
  create(code: Hex): Promise<TransactionReceipt>;
  mine(blocks: number): Promise<JsonValue>;
  /** Replaces the latest blocks with empty ones. */
  reorganize(depth: number): Promise<JsonValue>;
  head(): Promise<number>;
  /** In wei. */
  balance(address: Address): Promise<bigint>;
  /** In the token's smallest unit. */
  tokenBalance(address: Address): Promise<bigint>;
  /** All transfers of the token from the node, oldest first, in the format of the index. */
  transfers(): Promise<string[]>;
}

const nftAbi = parseAbi([
  "function mint(address to)",
  "function mint(address to, uint256 id, string uri)",
  "function burn(uint256 id)",
  "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)",
]);

export function testChain({ url, chainId, accounts, contracts }: LocalChain): TestChain {
  const client = createPublicClient({ transport: http(url), cacheTime: 0, pollingInterval: 20 });

  async function rpc(method: string, params: JsonValue[] = []): Promise<JsonValue> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error }: { result?: JsonValue; error?: JsonValue } = JSON.parse(await response.text());
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  let sent = 0n;

  /**
   * Polls for the receipt. viem's `waitForTransactionReceipt` looks again only when there is another block: it misses a
   * receipt that the node has a moment later than its block.
   */
  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      try {
        return await client.getTransactionReceipt({ hash });
      } catch (error) {
        if (!(error instanceof TransactionReceiptNotFoundError) || Date.now() > deadline) throw error;
      }
      await sleep(10);
    }
  }

  /** The node signs for its own accounts, which takes a part of the calls and of the time of signing here. */
  async function send(from: number, to: Address | undefined, data: Hex, value = 0n) {
    const account = accounts[from];
    if (!account) throw new Error(`there is no account ${from}`);
    const call = { from: account.address, ...(to && { to }), data, value: numberToHex(value) };
    // Each transaction has a hash of its own: a node may ignore one that it had before it reverted to a snapshot.
    sent += 1n;
    // A block later, the same call can cost more than estimated.
    const estimated = hexToBigInt(hexOf(await rpc("eth_estimateGas", [call])));
    const gas = estimated + estimated / 2n + sent;
    const hash = hexOf(await rpc("eth_sendTransaction", [{ ...call, gas: numberToHex(gas) }]));
    const receipt = await receiptOf(hash);
    if (receipt.status !== "success") throw new Error(`transaction ${hash} failed`);
    return receipt;
  }

  return {
    url,
    chainId,
    rpc,
    token: contracts.token.address,
    account: (index: number) => accounts[index]?.address ?? "0x",
    transfer: (from: number, to: Address, units: bigint) =>
      send(
        from,
        contracts.token.address,
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, units] }),
      ),
    mintNft: (to) =>
      send(
        0,
        contracts.collection.address,
        encodeFunctionData({ abi: nftAbi, functionName: "mint", args: [to] }),
      ),
    mintArtwork: (gallery, to, id, uri) =>
      send(0, gallery, encodeFunctionData({ abi: nftAbi, functionName: "mint", args: [to, id, uri] })),
    burnArtwork: (gallery, owner, id) =>
      send(owner, gallery, encodeFunctionData({ abi: nftAbi, functionName: "burn", args: [id] })),
    async createGallery() {
      const first = contracts.gallery.address;
      const address: Address = `0x${randomBytes(20).toString("hex")}`;
      await rpc("anvil_setCode", [address, await rpc("eth_getCode", [first, "latest"])]);
      // Name, symbol and owner are in the first storage slots.
      for (let slot = 0; slot < 12; slot++) {
        const location = `0x${slot.toString(16).padStart(64, "0")}`;
        await rpc("anvil_setStorageAt", [
          address,
          location,
          await rpc("eth_getStorageAt", [first, location, "latest"]),
        ]);
      }
      return address;
    },
    transferItems: (to, ids, amounts) =>
      send(
        0,
        contracts.items.address,
        encodeFunctionData({
          abi: nftAbi,
          functionName: "safeBatchTransferFrom",
          args: [accounts[0]?.address ?? zeroAddress, to, ids, amounts, "0x"],
        }),
      ),
    send,
    create: (code: Hex) => send(0, undefined, code),
    mine: (blocks: number) => rpc("anvil_mine", [`0x${blocks.toString(16)}`]),
    reorganize: (depth: number) => rpc("anvil_reorg", [depth, []]),
    head: async () => Number(await client.getBlockNumber()),
    balance: (address) => client.getBalance({ address }),
    tokenBalance: (address) =>
      client.readContract({
        address: contracts.token.address,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [address],
      }),
    async transfers(): Promise<string[]> {
      const logs = await client.getContractEvents({
        address: contracts.token.address,
        abi: erc20Abi,
        eventName: "Transfer",
        fromBlock: 0n,
        strict: true,
      });
      return logs.map(({ blockNumber, logIndex, blockHash, args }) => {
        const parties = `${args.from} ${args.to}`.toLowerCase();
        return `${blockNumber} ${logIndex} ${blockHash} ${parties} ${args.value}`;
      });
    },
  };
}

/** The part of DevChain with the markets. */
interface MarketChain {
  contracts: {
    dollar: { address: Address };
    market: {
      weth: { address: Address };
      v2: { factory: { address: Address } };
      v3: { factory: { address: Address } };
      marketplace: { address: Address };
      bazaar: { address: Address };
    };
  };
}

function hexOf(value: JsonValue): Hex {
  if (isHex(value)) return value;
  throw new Error(`${JSON.stringify(value)} is not a hexadecimal number`);
}

/** Market configuration of the local chain. */
export function localMarket({ contracts: { market, dollar } }: MarketChain): Partial<Market> {
  return {
    wrappedNative: market.weth.address,
    stables: [dollar.address],
    exchanges: [
      { name: "Uniswap v2", kind: "v2", factory: market.v2.factory.address },
      { name: "Uniswap v3", kind: "v3", factory: market.v3.factory.address },
    ],
    marketplaces: [
      { name: "opensea", address: market.marketplace.address },
      { name: "looksrare", address: market.bazaar.address },
    ],
  };
}

export const createTempFolder = () => mkdtemp(join(tmpdir(), "purse-chain-"));

/** Creates a directory for a local chain with a prebuilt history that all tests share. */
export async function createChainFolder(): Promise<string> {
  const folder = await createTempFolder();
  const savedState = process.env.PURSE_TEST_BEGUN_CHAIN;
  if (savedState !== undefined) await copyFile(savedState, join(folder, "state.json.gz"));
  return folder;
}

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the test run. */
    postgresUrl: string;
  }
}

/** Databases that indexes support. */
export const DATABASES = ["SQLite", "PostgreSQL"] as const;

export type DatabaseLocation = ChainServiceConfig["database"];

/** Creates an empty database for indexes. */
export async function createDatabase(
  name: (typeof DATABASES)[number],
): Promise<{ location: DatabaseLocation; remove(): Promise<void> }> {
  if (name === "SQLite") {
    const folder = await createTempFolder();
    return {
      location: { kind: "sqlite", folder },
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const server = inject("postgresUrl");
  const database = `chains_${randomUUID().replaceAll("-", "")}`;
  const sql = postgres(server, { max: 1, onnotice: () => undefined });
  await sql`CREATE DATABASE ${sql(database)}`;
  const url = Object.assign(new URL(server), { pathname: `/${database}` }).href;
  return {
    location: { kind: "postgres", url, connections: 2 },
    async remove() {
      await sql`DROP DATABASE IF EXISTS ${sql(database)} WITH (FORCE)`;
      await sql.end();
    },
  };
}

type DumpTable =
  | "blocks"
  | "transactions"
  | "logs"
  | "nft_transfers"
  | "nft_ranges"
  | "trades"
  | "nft_balances"
  | "erc20_balances"
  | "erc20_totals"
  | "list_counts"
  | "tokens"
  | "nft_metadata";
/** Bytes are in hex. */
type DumpRow = Record<string, string | number | null>;

/** Dumps the contents of a chain's index in a fixed order. */
export async function dumpIndex(
  location: DatabaseLocation,
  chainId: number,
): Promise<Record<DumpTable, DumpRow[]>> {
  const reader = await openReader(indexLocationOf(location, chainId), 1);
  const rowsOf = async (columns: string, table: DumpTable, order: string): Promise<DumpRow[]> => {
    const rows = await reader.all(
      sql.raw<Record<string, string | number | Uint8Array | null>>(
        `SELECT ${columns} FROM ${table} ORDER BY ${order}`,
      ),
    );
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, value instanceof Uint8Array ? toHex(value) : value]),
      ),
    );
  };
  try {
    return {
      blocks: await rowsOf("*", "blocks", "number"),
      transactions: await rowsOf("*", "transactions", "position"),
      logs: await rowsOf("*", "logs", "position"),
      nft_transfers: await rowsOf("*", "nft_transfers", "position, part"),
      nft_ranges: await rowsOf("*", "nft_ranges", "position"),
      trades: await rowsOf("*", "trades", "position"),
      nft_balances: await rowsOf("*", "nft_balances", "token, token_id, owner"),
      erc20_balances: await rowsOf("*", "erc20_balances", "token, owner"),
      erc20_totals: await rowsOf("*", "erc20_totals", "token"),
      list_counts: (await rowsOf("*", "list_counts", "list, key, detail")).filter(({ n }) => n !== 0),
      // Token metadata is read asynchronously.
      tokens: await rowsOf("address, standard, position", "tokens", "address"),
      // So is NFT metadata.
      nft_metadata: await rowsOf("token, token_id, standard, position", "nft_metadata", "token, token_id"),
    };
  } finally {
    await reader.close();
  }
}

/** A logger that records its lines. */
export function createRecordingLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const record = (message: string, fields?: Record<string, unknown>) => {
    lines.push(fields ? `${message} ${JSON.stringify(fields)}` : message);
  };
  return { lines, debug: record, info: record, warn: record, error: record };
}

export interface TestService {
  service: ChainService;
  log: { lines: string[] };
  /** Runs an endpoint by function name; returns the HTTP status as well. */
  runWithStatus(
    functionName: string,
    params: Record<string, unknown>,
  ): Promise<{ status: number; body: JsonValue }>;
  /** Runs an endpoint by function name; rejects if the response does not match its schema. */
  run(functionName: string, params: Record<string, unknown>): Promise<JsonValue>;
  status(): ChainStatus;
  /** Waits until the first chain's status meets a condition. */
  waitFor(condition: (status: ChainStatus) => boolean, deadline?: number): Promise<ChainStatus>;
  stop(): Promise<void>;
}

/** The bundled indexer thread, which starts in a fifth of the time of its sources; the global setup of the tests builds it. */
const INDEXER_MODULE = new URL("../../../../.cache/server/indexerThread.js", import.meta.url);

export async function startService(
  chain: Partial<ChainConfig> & Pick<ChainConfig, "id" | "rpcUrls">,
  location: string | ChainServiceConfig["database"],
  options: Pick<
    ChainServiceConfig,
    "fetchContent" | "retryMs" | "restart" | "readLimits" | "indexerModule"
  > = {},
): Promise<TestService> {
  const rows: EndpointRows = ENDPOINTS;
  const log = createRecordingLogger();
  const chains = [{ name: "localdevchain", aliases: ["eth"], ...chain }];
  const database = typeof location === "string" ? { kind: "sqlite" as const, folder: location } : location;
  const service = createChainService({
    chains,
    database,
    log,
    pollMs: 20,
    indexerModule: INDEXER_MODULE,
    ...options,
  });
  await service.start();

  function status(): ChainStatus {
    const [first] = service.status();
    if (!first) throw new Error("there is no chain");
    return first;
  }
  function route(functionName: string) {
    const found = service.routes.find((each) => each.functionName === functionName);
    if (found) return found;
    throw new Error(`there is no ${functionName}`);
  }
  return {
    service,
    log,
    status,
    runWithStatus: async (functionName, params) => route(functionName).runWithStatus(params),
    async run(functionName, params) {
      const response = await route(functionName).run(params);
      // Parsing removes fields that the schema does not have.
      assert.deepEqual(rows[functionName]?.response.parse(response), response);
      return response;
    },
    async waitFor(condition, deadline = 30_000) {
      const end = Date.now() + deadline;
      while (!condition(status())) {
        if (Date.now() > end) throw new Error(`timed out with status ${JSON.stringify(status())}`);
        await sleep(10);
      }
      return status();
    },
    stop: () => service.stop(),
  };
}

export interface ProxyNode {
  url: string;
  /** The requested methods in order. */
  methods: string[];
  stop(): Promise<void>;
}

interface RpcRequest {
  id: JsonValue;
  method: string;
  params: JsonValue[];
}

/** Intercepts a call: returns a response, or nothing to forward the call. */
export type Intercept = (call: RpcRequest) => { result: JsonValue } | { error: JsonObject } | undefined;

/** Changes a result of the node behind the proxy. */
export type RewriteResult = (call: RpcRequest, result: JsonValue) => JsonValue;

/** Starts a proxy for a node that changes some responses. */
export async function proxyNode(
  target: string,
  intercept: Intercept,
  rejectRequest?: (calls: RpcRequest[], response: ServerResponse) => boolean,
  rewriteResult?: RewriteResult,
): Promise<ProxyNode> {
  const methods: string[] = [];
  const server = createServer(async (request, response) => {
    const body: RpcRequest | RpcRequest[] = JSON.parse(await textOf(request));
    const calls = Array.isArray(body) ? body : [body];
    for (const { method } of calls) methods.push(method);
    if (rejectRequest?.(calls, response)) return;
    const answers = await Promise.all(
      calls.map(async (call) => {
        const own = intercept(call);
        if (own) return { jsonrpc: "2.0", id: call.id, ...own };
        const forwarded = await fetch(target, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", ...call }),
        });
        const answer: JsonObject = JSON.parse(await forwarded.text());
        return rewriteResult && answer.result !== undefined
          ? { ...answer, result: rewriteResult(call, answer.result) }
          : answer;
      }),
    ).catch(() => undefined);
    if (!answers) return response.destroy();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  return { url: await listen(server), methods, stop: () => close(server) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}

export function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
