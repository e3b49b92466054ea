import { type Address, encodeFunctionData, erc20Abi, erc721Abi, type Hex, parseAbi, toHex } from "viem";
import { devAccount } from "./devAccount.ts";
import type { Purse } from "./purse.ts";
import { until } from "./until.ts";

const erc1155Abi = parseAbi([
  "function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)",
]);

/** More than any transaction of this client takes. */
const GAS = 1_000_000n;

/** Controls the local chain of a server: transfers tokens, mines and reorganizes blocks. */
export interface ChainClient {
  token: Address;
  collection: Address;
  items: Address;
  account(index: number): Address;
  /** Transfers units of the ERC-20 token. Returns the transaction's hash. */
  transferToken(from: number, to: Address, units: bigint): Promise<Hex>;
  /** Transfers in a block each, which the server indexes together: waiting for each of them would take a second. */
  transferTokens(transfers: readonly TokenTransfer[]): Promise<Hex[]>;
  /** Allows a spender units of the ERC-20 token. */
  approveToken(from: number, spender: Address, units: bigint): Promise<Hex>;
  transferNft(from: number, to: Address, id: bigint): Promise<Hex>;
  transferItem(from: number, to: Address, id: bigint, amount: bigint): Promise<Hex>;
  /** The token id of an NFT that an account owns, and of an ERC-1155 item. */
  ownedNftId(index: number): Promise<bigint>;
  ownedItemId(index: number): Promise<bigint>;
  mine(blocks: number): Promise<unknown>;
  /** Replaces the latest blocks by empty ones. */
  reorganize(depth: number): Promise<unknown>;
}

export type TokenTransfer = [from: number, to: Address, units: bigint];

interface NftRow {
  token_address: Address;
  token_id: string;
  contract_type: string;
}

/** Waits until the server has indexed a block. */
async function waitUntilIndexed(purse: Purse, block: number): Promise<void> {
  const isIndexed = async () => {
    const { chains } = await (await fetch(`${purse.url}/health`)).json();
    const chain = chains.find((each: { chain: number }) => each.chain === 1337);
    return Number(chain?.indexed) >= block;
  };
  await until(isIndexed, { otherwise: `Block ${block} was not indexed` });
}

export async function createChainClient(purse: Purse): Promise<ChainClient> {
  const account = (index: number): Address => lowerCase(devAccount(index).address);
  const list = async <Row>(path: string): Promise<Row[]> => {
    const answer = await (await fetch(`${purse.url}/api/v2/${path}?chain=0x539`)).json();
    return Array.isArray(answer) ? answer : answer.result;
  };
  const nftsOf = (index: number) => list<NftRow>(`${account(index)}/nft`);
  const [first] = await list<{ token_address: Address }>(`${account(0)}/erc20`);
  const ownedNfts = (await Promise.all([0, 1, 2, 3].map(nftsOf))).flat();
  const [nft, item] = ["ERC721", "ERC1155"].map((type) =>
    ownedNfts.find((nft) => nft.contract_type === type),
  );
  if (!first || !nft || !item) throw new Error("the local chain has no tokens");
  const token = first.token_address;
  let sent = 0n;

  async function rpc(method: string, params: unknown[]) {
    const response = await fetch(purse.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
  /** Returns when the transaction is in a block. The node signs for its own accounts. */
  async function mineTransaction(
    from: number,
    to: Address,
    data: Hex,
  ): Promise<{ hash: Hex; block: number }> {
    // Each transaction has a hash of its own: the node may ignore one that a reorganization has removed.
    sent += 1n;
    const transaction = { from: account(from), to, data, gas: toHex(GAS + sent) };
    const receipt = await rpc("eth_sendTransactionSync", [transaction]);
    const { transactionHash: hash, status, blockNumber } = receipt;
    if (status !== "0x1") throw new Error(`transaction ${hash} failed`);
    return { hash, block: Number(blockNumber) };
  }
  async function send(from: number, to: Address, data: Hex): Promise<Hex> {
    const { hash, block } = await mineTransaction(from, to, data);
    await waitUntilIndexed(purse, block);
    return hash;
  }
  async function transferTokens(transfers: readonly TokenTransfer[]): Promise<Hex[]> {
    const mined: { hash: Hex; block: number }[] = [];
    for (const [from, to, units] of transfers)
      mined.push(await mineTransaction(from, token, encodeTransfer(to, units)));
    await waitUntilIndexed(purse, Math.max(...mined.map(({ block }) => block)));
    return mined.map(({ hash }) => hash);
  }
  const idOf = async (index: number, address: Address) => {
    const found = (await nftsOf(index)).find((nft) => nft.token_address === address);
    if (!found) throw new Error(`account ${index} has none of ${address}`);
    return BigInt(found.token_id);
  };
  return {
    token,
    collection: nft.token_address,
    items: item.token_address,
    account,
    transferToken: (from, to, units) => send(from, token, encodeTransfer(to, units)),
    transferTokens,
    approveToken: (from, spender, units) =>
      send(
        from,
        token,
        encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, units] }),
      ),
    transferNft: (from, to, id) =>
      send(
        from,
        nft.token_address,
        encodeFunctionData({ abi: erc721Abi, functionName: "transferFrom", args: [account(from), to, id] }),
      ),
    transferItem: (from, to, id, amount) =>
      send(
        from,
        item.token_address,
        encodeFunctionData({
          abi: erc1155Abi,
          functionName: "safeTransferFrom",
          args: [account(from), to, id, amount, "0x"],
        }),
      ),
    ownedNftId: (index) => idOf(index, nft.token_address),
    ownedItemId: (index) => idOf(index, item.token_address),
    mine: (blocks) => rpc("anvil_mine", [`0x${blocks.toString(16)}`]),
    reorganize: (depth) => rpc("anvil_reorg", [depth, []]),
  };
}

const encodeTransfer = (to: Address, units: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, units] });

function lowerCase(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
