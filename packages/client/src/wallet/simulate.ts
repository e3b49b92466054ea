import type { Abi, Hex } from "viem";
import type { Eip1193Provider } from "./eip1193.ts";
import { type FeeTiers, feeTiers } from "./fees.ts";
import { quantity } from "./quantity.ts";
import { isRecord, readLog, type TransactionLogEntry } from "./receipt.ts";
import { type Revert, revertOf } from "./revert.ts";
import type { TransactionCall } from "./send.ts";
import { signerNow } from "./signer.ts";

/** What the sender has more (or, below 0, less) of. */
export interface BalanceChange {
  type: "native" | "erc20" | "erc721" | "erc1155";
  /** Lower-case hex; null for the chain's own currency. */
  contractAddress: string | null;
  /** Of NFTs. */
  tokenId: bigint | null;
  /** In the smallest unit, without what gas costs. */
  amount: bigint;
}

/** What a transaction would do if it were in a block now. */
export interface Simulation {
  /** Lower-case hex. */
  from: string;
  /** Why its contract would refuse it; null where it would not. */
  revert: Revert | null;
  /** null where it would fail. */
  gas: bigint | null;
  fees: FeeTiers;
  changes: BalanceChange[];
  /** Whether `changes` has tokens too: nodes without eth_simulateV1 tell of the currency only. */
  complete: boolean;
}

/** What helps to read why a transaction would fail. */
export interface SimulateOptions {
  /** Names the errors of the contract that is called. */
  abi?: Abi | undefined;
}

/** keccak256 of the standards' events. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TRANSFER_SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const TRANSFER_BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
/** Where nodes log moves of the currency as if it were a token. */
const CURRENCY = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/** Runs a transaction without sending it, from the wallet's account: nobody is asked to sign. */
export async function simulate(
  { to, value = 0n, data = "0x" }: TransactionCall,
  { abi }: SimulateOptions = {},
): Promise<Simulation> {
  const { provider, account: from } = await signerNow();
  const call = {
    from,
    ...(to !== undefined && { to }),
    value: quantity(value),
    ...(data !== "0x" && { data }),
  };
  const [estimated, fees, logs] = await Promise.all([
    estimate(provider, call, abi),
    feeTiers(provider),
    simulatedLogs(provider, call),
  ]);
  if (estimated.revert) return { from, ...estimated, fees, changes: [], complete: true };
  const changes = logs ? changesOf(logs, from) : [];
  const known = changes.some(({ type }) => type === "native");
  // Nodes may leave the currency out of the logs; what the sender gives itself is known without them.
  if (!known && value > 0n && to?.toLowerCase() !== from) {
    changes.unshift({ type: "native", contractAddress: null, tokenId: null, amount: -value });
  }
  return { from, ...estimated, fees, changes, complete: logs !== null };
}

async function estimate(
  provider: Eip1193Provider,
  call: object,
  abi: Abi | undefined,
): Promise<Pick<Simulation, "gas" | "revert">> {
  try {
    const gas = await provider.request({ method: "eth_estimateGas", params: [call] });
    return { gas: BigInt(String(gas)), revert: null };
  } catch (error) {
    const revert = await revertOf(error, abi);
    if (revert) return { gas: null, revert };
    throw error;
  }
}

/** null where the node has no eth_simulateV1. */
async function simulatedLogs(provider: Eip1193Provider, call: object): Promise<TransactionLogEntry[] | null> {
  const params = [{ blockStateCalls: [{ calls: [call] }], traceTransfers: true }, "latest"];
  const blocks = await provider.request({ method: "eth_simulateV1", params }).catch(() => null);
  const [block] = Array.isArray(blocks) ? blocks : [];
  const [ran] = isRecord(block) && Array.isArray(block.calls) ? block.calls : [];
  return isRecord(ran) && Array.isArray(ran.logs) ? ran.logs.filter(isRecord).map(readLog) : null;
}

/** Sums up by token; what comes back in the same transaction is not told. */
function changesOf(logs: readonly TransactionLogEntry[], account: string): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const { from, to, ...move } of logs.flatMap(movesOf)) {
    const amount = (to === account ? move.amount : 0n) - (from === account ? move.amount : 0n);
    const key = [move.contractAddress, move.tokenId].join(" ");
    const before = sums.get(key)?.amount ?? 0n;
    sums.set(key, { ...move, amount: before + amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

interface Move extends BalanceChange {
  from: string;
  to: string;
}

function movesOf({ address, topics, data }: TransactionLogEntry): Move[] {
  const [event, first, second, third] = topics;
  const native = address === CURRENCY;
  const contractAddress = native ? null : address;
  if (event === TRANSFER && first && second) {
    const ends = { from: accountOf(first), to: accountOf(second), contractAddress };
    if (third) return [{ ...ends, type: "erc721", tokenId: BigInt(third), amount: 1n }];
    const [amount] = words(data);
    if (amount === undefined) return [];
    return [{ ...ends, type: native ? "native" : "erc20", tokenId: null, amount }];
  }
  if ((event !== TRANSFER_SINGLE && event !== TRANSFER_BATCH) || !second || !third) return [];
  const ends = { from: accountOf(second), to: accountOf(third), contractAddress, type: "erc1155" as const };
  const numbers = words(data);
  if (event === TRANSFER_SINGLE) {
    const [tokenId, amount] = numbers;
    return tokenId === undefined || amount === undefined ? [] : [{ ...ends, tokenId, amount }];
  }
  const [ids, amounts] = [listAt(numbers, 0), listAt(numbers, 1)];
  return ids.map((tokenId, index) => ({ ...ends, tokenId, amount: amounts[index] ?? 0n }));
}

/** The 32-byte words of a log's data. */
function words(data: string): bigint[] {
  return (data.slice(2).match(/[0-9a-f]{64}/gi) ?? []).map((word) => BigInt(`0x${word}`));
}

/** An array whose place is in a word of its own (the ABI's dynamic types). */
function listAt(numbers: readonly bigint[], position: number): bigint[] {
  const start = Number(numbers[position] ?? 0n) / 32;
  const length = Number(numbers[start] ?? 0n);
  return numbers.slice(start + 1, start + 1 + length);
}

function accountOf(topic: string): Hex {
  return `0x${topic.slice(-40).toLowerCase()}`;
}
