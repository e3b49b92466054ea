import { type Address, encodeFunctionData, type Hex, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { devAccounts } from "./accounts.ts";
import { readArtifact } from "./artifacts.ts";
import { createdBy, type DevContract } from "./devContract.ts";
import { type NodeClient, nodeClient } from "./nodeClient.ts";
import { type Balances, coinDecimals, type TrafficLedger, trafficLedger } from "./trafficLedger.ts";

export interface TrafficOptions {
  /** The same seed on the same chain creates the same blocks. Default 1. */
  seed?: number;
  /** Default 100. */
  blocks?: number;
  /** Default 10; batches of items count as one. */
  transfersPerBlock?: number;
  /** Max transfers per transaction. Default 10. */
  transfersPerTransaction?: number;
  /** Number of addresses that hold tokens. Default 1,000. */
  wallets?: number;
  /** Seconds between blocks. Default 12. */
  blockSpacing?: number;
  /** Receives progress messages. */
  log?: (line: string) => void;
}

/** The generated traffic and the resulting balances. */
export interface Traffic {
  /** The first generated block, which deploys the contracts. */
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
/** Above the worst case (an ERC-1155 batch of three to a new holder); unused gas is not charged. */
const gasPerTransfer = 160_000n;
/** Below the transaction gas limit of 2^24 (EIP-7825). */
const maxTransactionGas = 16_000_000n;
const logInterval = 5_000;

/**
 * Fills a local chain at `url` with token transfers between many wallets, block by block, signed by the development
 * accounts. No one else may send transactions meanwhile. Rejects with an Error if an option is invalid, the chain
 * rejects a transaction or a transfer fails.
 */
export async function generateTraffic(url: string, options: TrafficOptions = {}): Promise<Traffic> {
  const { seed = 1, blocks = 100, transfersPerBlock = 10, log = () => {} } = options;
  const { transfersPerTransaction = 10, wallets: walletCount = 1_000, blockSpacing = 12 } = options;
  const limits = { blocks, transfersPerBlock, transfersPerTransaction, wallets: walletCount, blockSpacing };
  for (const [name, count] of Object.entries(limits)) {
    if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${name} must be a positive integer`);
  }
  if (BigInt(transfersPerTransaction) * gasPerTransfer > maxTransactionGas) {
    throw new Error(`transfersPerTransaction must be at most ${maxTransactionGas / gasPerTransfer}`);
  }

  const node = nodeClient(url);
  const senders = await Promise.all(devAccounts().map((account) => createSender(node, account.privateKey)));
  const [deployer] = senders;
  if (!deployer) throw new Error("There is no development account");
  const wallets = Array.from({ length: walletCount }, (_, index) => trafficWallet(seed, index));
  const ledger = trafficLedger(seed, wallets);
  const { abi, bytecode } = readArtifact("TrafficGenerator");
  const generator = createdBy(deployer.address, deployer.nonce);

  const head = await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
  const fromBlock = Number(head.number) + 1;
  let time = Number(head.timestamp);
  const mine = async (transactions: Hex[]): Promise<void> => {
    await sendAll(url, transactions);
    time += blockSpacing;
    await node.request({ method: "evm_mine", params: [time] });
  };

  const startedAt = performance.now();
  let loggedAt = startedAt;
  let transactions = 1;
  await node.request({ method: "evm_setAutomine", params: [false] });
  // The clock may be ahead of the latest block; the traffic's times must not depend on it.
  await node.request({ method: "evm_setTime", params: [time] });
  try {
    await mine([await deployer.sign({ data: bytecode, gas: maxTransactionGas })]);
    for (let block = 1; block <= blocks; block++) {
      // One sender per block: the order of its transactions is deterministic.
      const from = senders[ledger.randomInteger(senders.length)] ?? deployer;
      const signed: Hex[] = [];
      for (const count of splitCount(transfersPerBlock, transfersPerTransaction)) {
        const moves = Array.from({ length: count }, () => ledger.nextTransfer());
        const data = encodeFunctionData({ abi, functionName: "make", args: [moves] });
        signed.push(await from.sign({ to: generator, data, gas: BigInt(count) * gasPerTransfer + 100_000n }));
      }
      await mine(signed);
      transactions += signed.length;
      if (performance.now() - loggedAt < logInterval) continue;
      loggedAt = performance.now();
      log(`${block} of ${blocks} blocks of traffic after ${Math.round((loggedAt - startedAt) / 1000)} s`);
    }
  } finally {
    await node.request({ method: "evm_setAutomine", params: [true] });
    // The chain continues at the current time instead of the last block's.
    const now = Math.max(Math.floor(Date.now() / 1000), time + 1);
    await node.request({ method: "evm_setTime", params: [now] });
  }

  const transfers = blocks * transfersPerBlock;
  await requireTransfers(node, generator, transfers);
  log(
    `${transfers} transfers in ${blocks} blocks of traffic, ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  const toBlock = fromBlock + blocks;
  return { fromBlock, toBlock, transactions, transfers, wallets, ...trafficContracts(generator, ledger) };
}

/** Address without a key that holds tokens in the traffic of a seed. */
function trafficWallet(seed: number, index: number): Address {
  return `0x${keccak256(toHex(`Purse traffic ${seed} ${index}`)).slice(-40)}`;
}

/** Signs the transactions of an account in nonce order. */
async function createSender(node: NodeClient, privateKey: Hex) {
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

/** Splits `total` into counts of at most `max`. */
function splitCount(total: number, max: number): number[] {
  return Array.from({ length: Math.ceil(total / max) }, (_, index) => Math.min(max, total - index * max));
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
    if (error) throw new Error(`The local chain rejected a traffic transaction: ${error.message}`);
  }
}

/** A failing transfer reverts its whole transaction and is not counted by the contract. */
async function requireTransfers(node: NodeClient, generator: Address, transfers: number): Promise<void> {
  const data = encodeFunctionData({ abi: readArtifact("TrafficGenerator").abi, functionName: "moved" });
  const moved = Number(
    await node.request({ method: "eth_call", params: [{ to: generator, data }, "latest"] }),
  );
  if (moved !== transfers) throw new Error(`Only ${moved} of ${transfers} traffic transfers were executed`);
}

/** TrafficGenerator deploys its tokens in its constructor; nonces of contracts begin with 1. */
function trafficContracts(
  generator: Address,
  ledger: TrafficLedger,
): Pick<Traffic, "coins" | "pieces" | "items"> {
  const names = [
    { name: "Traffic Ether", symbol: "TETH" },
    { name: "Traffic Dollar", symbol: "TUSD" },
    { name: "Traffic Point", symbol: "TPT" },
  ];
  const coinAbi = readArtifact("TrafficCoin").abi;
  return {
    coins: names.map((texts, index) => ({
      ...texts,
      address: createdBy(generator, index + 1),
      abi: coinAbi,
      decimals: coinDecimals[index] ?? 0,
      balances: ledger.coins[index] ?? new Map(),
    })),
    pieces: {
      address: createdBy(generator, names.length + 1),
      name: "Traffic Pieces",
      symbol: "TPIECE",
      abi: readArtifact("TrafficPieces").abi,
      owners: ledger.pieces,
    },
    items: {
      address: createdBy(generator, names.length + 2),
      name: "",
      symbol: "",
      abi: readArtifact("TrafficItems").abi,
      balances: ledger.items,
    },
  };
}
