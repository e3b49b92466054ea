import { type Address, encodeFunctionData, type Hex, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { devAccounts } from "./accounts.ts";
import { readArtifact } from "./artifacts.ts";
import { createdBy, type DevContract } from "./devContract.ts";
import { type NodeClient, nodeClient } from "./nodeClient.ts";
import { type Balances, coinDecimals, type TrafficLedger, trafficLedger } from "./trafficLedger.ts";

export interface TrafficOptions {
  /** The same seed on the same chain makes the same blocks. Default 1. */
  seed?: number;
  /** Default 100. */
  blocks?: number;
  /** Default 10; batches of items count as one. */
  transfersPerBlock?: number;
  /** At most this many of a block's transfers are in one transaction. Default 10. */
  transfersPerTransaction?: number;
  /** How many addresses hold tokens. Default 1,000. */
  wallets?: number;
  /** Seconds between blocks. Default 12. */
  blockSpacing?: number;
  /** Told in plain lines how far it is. */
  log?: (line: string) => void;
}

/** What the traffic was, and what the wallets hold after it. */
export interface Traffic {
  /** The first block made, in which the contracts are created. */
  fromBlock: number;
  toBlock: number;
  transactions: number;
  transfers: number;
  wallets: Address[];
  /** ERC-20, of 18, 6 and 0 decimals. */
  coins: (DevContract & { decimals: number; balances: Balances })[];
  /** ERC-721, with its owners by id. */
  pieces: DevContract & { owners: Map<bigint, Address> };
  /** ERC-1155, with its balances by id. */
  items: DevContract & { balances: Map<bigint, Balances> };
}

const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
/** Above what one needs at worst (an ERC-1155 batch of three to a new holder); what is not used is not paid. */
const gasPerTransfer = 160_000n;
/** Below the 2^24 that one transaction may take since EIP-7825. */
const maxTransactionGas = 16_000_000n;
const logInterval = 5_000;

/**
 * Fills a local chain that runs at `url` with token transfers between many wallets, block after block, signed by the
 * development accounts. No one else may send to the chain meanwhile. Rejects with an Error if an option makes no
 * sense, if the chain refuses a transaction or if a transfer failed.
 */
export async function makeTraffic(url: string, options: TrafficOptions = {}): Promise<Traffic> {
  const { seed = 1, blocks = 100, transfersPerBlock = 10, log = () => {} } = options;
  const { transfersPerTransaction = 10, wallets: walletCount = 1_000, blockSpacing = 12 } = options;
  const counts = { blocks, transfersPerBlock, transfersPerTransaction, wallets: walletCount, blockSpacing };
  for (const [name, count] of Object.entries(counts)) {
    if (!Number.isSafeInteger(count) || count < 1)
      throw new Error(`${name} must be a whole number from 1 on`);
  }
  if (BigInt(transfersPerTransaction) * gasPerTransfer > maxTransactionGas) {
    throw new Error(`transfersPerTransaction must be at most ${maxTransactionGas / gasPerTransfer}`);
  }

  const node = nodeClient(url);
  const senders = await Promise.all(devAccounts().map((account) => sender(node, account.privateKey)));
  const [deployer] = senders;
  if (!deployer) throw new Error("There is no development account");
  const wallets = Array.from({ length: walletCount }, (_, index) => trafficWallet(seed, index));
  const ledger = trafficLedger(seed, wallets);
  const { abi, bytecode } = readArtifact("TrafficMaker");
  const maker = createdBy(deployer.address, deployer.nonce);

  const head = await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
  const fromBlock = Number(head.number) + 1;
  let time = Number(head.timestamp);
  const mine = async (transactions: Hex[]): Promise<void> => {
    await sendAll(url, transactions);
    time += blockSpacing;
    await node.request({ method: "evm_mine", params: [time] });
  };

  const began = performance.now();
  let logged = began;
  let transactions = 1;
  await node.request({ method: "evm_setAutomine", params: [false] });
  // The clock may have gone on since the newest block; the traffic's times do not depend on that.
  await node.request({ method: "evm_setTime", params: [time] });
  try {
    await mine([await deployer.sign({ data: bytecode, gas: maxTransactionGas })]);
    for (let block = 1; block <= blocks; block++) {
      // One sender per block: its transactions have one order, whichever of them the node takes first.
      const from = senders[ledger.pick(senders.length)] ?? deployer;
      const signed: Hex[] = [];
      for (const count of portions(transfersPerBlock, transfersPerTransaction)) {
        const moves = Array.from({ length: count }, () => ledger.nextMove());
        const data = encodeFunctionData({ abi, functionName: "make", args: [moves] });
        signed.push(await from.sign({ to: maker, data, gas: BigInt(count) * gasPerTransfer + 100_000n }));
      }
      await mine(signed);
      transactions += signed.length;
      if (performance.now() - logged < logInterval) continue;
      logged = performance.now();
      log(`${block} of ${blocks} blocks of traffic after ${Math.round((logged - began) / 1000)} s`);
    }
  } finally {
    await node.request({ method: "evm_setAutomine", params: [true] });
    // The chain goes on at the time of now, which it would otherwise take up from the last block's.
    const now = Math.max(Math.floor(Date.now() / 1000), time + 1);
    await node.request({ method: "evm_setTime", params: [now] });
  }

  const transfers = blocks * transfersPerBlock;
  await requireMoved(node, maker, transfers);
  log(
    `${transfers} transfers in ${blocks} blocks of traffic, ${Math.round((performance.now() - began) / 1000)} s`,
  );
  const toBlock = fromBlock + blocks;
  return { fromBlock, toBlock, transactions, transfers, wallets, ...trafficContracts(maker, ledger) };
}

/** Address without a key that holds tokens in the traffic of a seed. */
function trafficWallet(seed: number, index: number): Address {
  return `0x${keccak256(toHex(`Purse traffic ${seed} ${index}`)).slice(-40)}`;
}

/** Who signs transactions, one after the other. */
async function sender(node: NodeClient, privateKey: Hex) {
  const account = privateKeyToAccount(privateKey);
  const { address } = account;
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const count = await node.request({ method: "eth_getTransactionCount", params: [address, "latest"] });
  const state = { address, nonce: Number(count) };
  return Object.assign(state, {
    sign: (transaction: { to?: Address; data: Hex; gas: bigint }): Promise<Hex> =>
      account.signTransaction({ type: "eip1559", chainId, nonce: state.nonce++, ...transaction, ...fees }),
  });
}

/** `total` in portions of at most `most`. */
function portions(total: number, most: number): number[] {
  return Array.from({ length: Math.ceil(total / most) }, (_, index) => Math.min(most, total - index * most));
}

/** Sends in one JSON-RPC batch. */
async function sendAll(url: string, transactions: Hex[]): Promise<void> {
  const calls = transactions.map((raw, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_sendRawTransaction",
    params: [raw],
  }));
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(calls) });
  const answers: { error?: { message: string } }[] = JSON.parse(await response.text());
  for (const { error } of answers) {
    if (error) throw new Error(`The local chain refuses a transaction of the traffic: ${error.message}`);
  }
}

/** A move that fails takes its transaction's others with it, and is not counted by the contract. */
async function requireMoved(node: NodeClient, maker: Address, transfers: number): Promise<void> {
  const data = encodeFunctionData({ abi: readArtifact("TrafficMaker").abi, functionName: "moved" });
  const moved = Number(await node.request({ method: "eth_call", params: [{ to: maker, data }, "latest"] }));
  if (moved !== transfers)
    throw new Error(`Only ${moved} of ${transfers} transfers of the traffic took place`);
}

/** TrafficMaker makes its tokens in its constructor: contracts' own nonces begin with 1. */
function trafficContracts(
  maker: Address,
  ledger: TrafficLedger,
): Pick<Traffic, "coins" | "pieces" | "items"> {
  const names = [
    { name: "Traffic Ether", symbol: "TETH" },
    { name: "Traffic Dollar", symbol: "TUSD" },
    { name: "Traffic Point", symbol: "TPT" },
  ];
  const coinAbi = readArtifact("TrafficCoin").abi;
  return {
    coins: names.map((words, index) => ({
      ...words,
      address: createdBy(maker, index + 1),
      abi: coinAbi,
      decimals: coinDecimals[index] ?? 0,
      balances: ledger.coins[index] ?? new Map(),
    })),
    pieces: {
      address: createdBy(maker, names.length + 1),
      name: "Traffic Pieces",
      symbol: "TPIECE",
      abi: readArtifact("TrafficPieces").abi,
      owners: ledger.pieces,
    },
    items: {
      address: createdBy(maker, names.length + 2),
      name: "",
      symbol: "",
      abi: readArtifact("TrafficItems").abi,
      balances: ledger.items,
    },
  };
}
