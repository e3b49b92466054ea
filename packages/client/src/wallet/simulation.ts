import { isRecord } from "@purse/protocol";
import type { Abi, Hex } from "viem";
import type { Eip1193Provider } from "./eip1193.ts";
import { type FeeTiers, feeTiers } from "./fees.ts";
import { quantity, quantityOf } from "./quantity.ts";
import { readLog, type TransactionLogEntry } from "./receipt.ts";
import { decodeRevert, type Revert, revertOf } from "./revert.ts";
import type { TransactionCall } from "./send.ts";
import { getSigner } from "./signer.ts";

/** A change of one of the sender's balances. */
export interface BalanceChange {
  type: "native" | "erc20" | "erc721" | "erc1155";
  /** Lowercase hex; null for the native currency. */
  contractAddress: string | null;
  /** For NFTs. */
  tokenId: bigint | null;
  /** In the smallest unit, without gas; negative for losses. */
  amount: bigint;
}

/** The simulated effects of a transaction. */
export interface Simulation {
  /** Lowercase hex. */
  from: string;
  /** The revert reason; null if it would succeed. */
  revert: Revert | null;
  /** null if it would fail. */
  gas: bigint | null;
  fees: FeeTiers;
  changes: BalanceChange[];
  /** Whether `changes` includes tokens: nodes without eth_simulateV1 report only the native currency. */
  complete: boolean;
}

/** Options of a simulation. */
export interface SimulateOptions {
  /** Used to decode the errors of the called contract. */
  abi?: Abi | undefined;
}

/** keccak256 of the token standards' events. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TRANSFER_SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const TRANSFER_BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
/** The pseudo-contract of native currency transfers in simulated logs. */
const CURRENCY = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

export async function simulate(
  { to, value = 0n, data = "0x" }: TransactionCall,
  { abi }: SimulateOptions = {},
): Promise<Simulation> {
  const { provider, account: from } = await getSigner();
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
  const changes = logs ? netChanges(logs, from) : [];
  const known = changes.some(({ type }) => type === "native");
  // Nodes may omit native transfers from the logs; the transaction's own value is known.
  if (!known && value > 0n && to?.toLowerCase() !== from) {
    changes.unshift({ type: "native", contractAddress: null, tokenId: null, amount: -value });
  }
  return { from, ...estimated, fees, changes, complete: logs !== null };
}

export async function simulateCalls(
  calls: readonly TransactionCall[],
  { abi }: SimulateOptions = {},
): Promise<Simulation> {
  const { provider, account: from } = await getSigner();
  const requests = calls.map(({ to, value = 0n, data = "0x" }) => ({
    from,
    ...(to !== undefined && { to }),
    value: quantity(value),
    ...(data !== "0x" && { data }),
  }));
  const [fees, results] = await Promise.all([feeTiers(provider), simulatedCalls(provider, requests)]);
  if (!results || results.length < calls.length)
    return { from, revert: null, gas: null, fees, changes: [], complete: false };
  const failed = results.find(({ status }) => status !== "0x1");
  if (failed) {
    const error = isRecord(failed.error) ? failed.error : {};
    const revert = (await revertOf(error, abi)) ?? (await decodeRevert(hexOf(failed.returnData), abi));
    return { from, revert, gas: null, fees, changes: [], complete: true };
  }
  const gas = results.reduce((sum, { gasUsed }) => sum + (quantityOf(gasUsed) ?? 0n), 0n);
  return {
    from,
    revert: null,
    gas,
    fees,
    changes: netChanges(results.flatMap(logsOf), from),
    complete: true,
  };
}

function hexOf(value: unknown): Hex {
  return typeof value === "string" && /^0x[0-9a-f]*$/i.test(value) ? `0x${value.slice(2)}` : "0x";
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

/** null if the node does not support eth_simulateV1. */
async function simulatedLogs(provider: Eip1193Provider, call: object): Promise<TransactionLogEntry[] | null> {
  const [result] = (await simulatedCalls(provider, [call])) ?? [];
  return result && Array.isArray(result.logs) ? logsOf(result) : null;
}

/** The results of calls in one block; null if the node does not support eth_simulateV1. */
async function simulatedCalls(
  provider: Eip1193Provider,
  calls: readonly object[],
): Promise<Record<string, unknown>[] | null> {
  const params = [{ blockStateCalls: [{ calls }], traceTransfers: true }, "latest"];
  const blocks = await provider.request({ method: "eth_simulateV1", params }).catch(() => null);
  const [block] = Array.isArray(blocks) ? blocks : [];
  return isRecord(block) && Array.isArray(block.calls) ? block.calls.filter(isRecord) : null;
}

function logsOf({ logs }: Record<string, unknown>): TransactionLogEntry[] {
  return Array.isArray(logs) ? logs.filter(isRecord).map(readLog) : [];
}

/** Sums transfers by token; amounts that cancel out are omitted. */
function netChanges(logs: readonly TransactionLogEntry[], account: string): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const { from, to, ...tokenTransfer } of logs.flatMap(transfersOf)) {
    const amount =
      (to === account ? tokenTransfer.amount : 0n) - (from === account ? tokenTransfer.amount : 0n);
    const key = [tokenTransfer.contractAddress, tokenTransfer.tokenId].join(" ");
    const before = sums.get(key)?.amount ?? 0n;
    sums.set(key, { ...tokenTransfer, amount: before + amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

interface TokenTransfer extends BalanceChange {
  from: string;
  to: string;
}

function transfersOf({ address, topics, data }: TransactionLogEntry): TokenTransfer[] {
  const [event, first, second, third] = topics;
  const native = address === CURRENCY;
  const contractAddress = native ? null : address;
  if (event === TRANSFER && first && second) {
    const parties = { from: accountOf(first), to: accountOf(second), contractAddress };
    if (third) return [{ ...parties, type: "erc721", tokenId: BigInt(third), amount: 1n }];
    const [amount] = words(data);
    if (amount === undefined) return [];
    return [{ ...parties, type: native ? "native" : "erc20", tokenId: null, amount }];
  }
  if ((event !== TRANSFER_SINGLE && event !== TRANSFER_BATCH) || !second || !third) return [];
  const parties = {
    from: accountOf(second),
    to: accountOf(third),
    contractAddress,
    type: "erc1155" as const,
  };
  const numbers = words(data);
  if (event === TRANSFER_SINGLE) {
    const [tokenId, amount] = numbers;
    return tokenId === undefined || amount === undefined ? [] : [{ ...parties, tokenId, amount }];
  }
  const [ids, amounts] = [listAt(numbers, 0), listAt(numbers, 1)];
  return ids.map((tokenId, index) => ({ ...parties, tokenId, amount: amounts[index] ?? 0n }));
}

/** The 32-byte words of a log's data. */
function words(data: string): bigint[] {
  return (data.slice(2).match(/[0-9a-f]{64}/gi) ?? []).map((word) => BigInt(`0x${word}`));
}

/** Decodes an array by its offset (the ABI's dynamic types). */
function listAt(numbers: readonly bigint[], position: number): bigint[] {
  const start = Number(numbers[position] ?? 0n) / 32;
  const length = Number(numbers[start] ?? 0n);
  return numbers.slice(start + 1, start + 1 + length);
}

function accountOf(topic: string): Hex {
  return `0x${topic.slice(-40).toLowerCase()}`;
}
