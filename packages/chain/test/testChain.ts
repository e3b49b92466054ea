import { randomBytes } from "node:crypto";
import type { JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  formatTransactionReceipt,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
  zeroAddress,
} from "viem";
import type { Market } from "../src/model/chainConfig.ts";
import { nodeClient } from "./nodeClient.ts";

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
  /** All transfers of the token from the node, oldest first: block, log index, block hash, parties and value. */
  transfers(): Promise<string[]>;
  /** All blocks of the node, oldest first: number, hash and hash of the parent. */
  blocks(): Promise<string[]>;
}

/** More than any transaction of the tests takes, and less than the node accepts. */
const GAS = 16_000_000n;

const nftAbi = parseAbi([
  "function mint(address to)",
  "function mint(address to, uint256 id, string uri)",
  "function burn(uint256 id)",
  "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)",
]);

/** Method and parameters. */
type Call = [method: string, params: JsonValue[]];

export function testChain({ url, chainId, accounts, contracts }: LocalChain): TestChain {
  const client = createPublicClient({ transport: http(url), cacheTime: 0, pollingInterval: 20 });

  const post = nodeClient(url);

  async function rpc(method: string, params: JsonValue[] = []): Promise<JsonValue> {
    return resultOf(await post({ jsonrpc: "2.0", id: 1, method, params }));
  }

  /** Calls in one request; the results are in the order of the calls. */
  async function batch(calls: Call[]): Promise<JsonValue[]> {
    const responses = await post(
      calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params })),
    );
    if (!Array.isArray(responses)) throw new Error(JSON.stringify(responses));
    return responses.map(resultOf);
  }

  let sent = 0n;

  /**
   * The node signs for its own accounts, and returns the receipt as soon as it has mined the transaction: one call instead
   * of several, and no polls.
   */
  async function send(from: number, to: Address | undefined, data: Hex, value = 0n) {
    const account = accounts[from];
    if (!account) throw new Error(`there is no account ${from}`);
    // Each transaction has a hash of its own: a node may ignore one that it had before it reverted to a snapshot.
    sent += 1n;
    const gas = numberToHex(GAS + sent);
    const call = { from: account.address, ...(to && { to }), data, value: numberToHex(value), gas };
    const receipt = formatTransactionReceipt(Object(await rpc("eth_sendTransactionSync", [call])));
    if (receipt.status !== "success") throw new Error(`transaction ${receipt.transactionHash} failed`);
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
      // Name, symbol and owner are in the first storage slots.
      const slots = Array.from({ length: 12 }, (_, slot) => `0x${slot.toString(16).padStart(64, "0")}`);
      const [code = null, ...values] = await batch([
        ["eth_getCode", [first, "latest"]],
        ...slots.map((slot): Call => ["eth_getStorageAt", [first, slot, "latest"]]),
      ]);
      await batch([
        ["anvil_setCode", [address, code]],
        ...slots.map((slot, i): Call => ["anvil_setStorageAt", [address, slot, values[i] ?? null]]),
      ]);
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
    head: async () => Number(await rpc("eth_blockNumber")),
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
    async blocks(): Promise<string[]> {
      // One request: hundreds of them would take longer than indexing the blocks.
      const node = createPublicClient({ transport: http(url, { batch: { batchSize: 1_000 } }) });
      const numbers = Array.from({ length: Number(await rpc("eth_blockNumber")) + 1 }, (_, i) => BigInt(i));
      const blocks = await Promise.all(numbers.map((blockNumber) => node.getBlock({ blockNumber })));
      return blocks.map(({ number, hash, parentHash }) => `${number} ${hash} ${parentHash}`);
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

function resultOf(response: JsonValue): JsonValue {
  const { result, error }: { result?: JsonValue; error?: JsonValue } = Object(response);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
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
