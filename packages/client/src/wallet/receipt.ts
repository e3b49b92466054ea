import { isRecord } from "@purse/protocol";

/** The receipt of a transaction. */
export interface TransactionReceipt {
  transactionHash: string;
  blockNumber: number;
  blockHash: string;
  transactionIndex: number;
  /** Lowercase hex. */
  from: string;
  to: string | null;
  /** The address of a created contract. */
  contractAddress: string | null;
  gasUsed: bigint;
  /** In wei per unit of gas; 0 if the node does not report it. */
  effectiveGasPrice: bigint;
  /** 1, or 0 if it failed. */
  status: 0 | 1;
  /** Whether it did not revert. */
  succeeded: boolean;
  logs: readonly TransactionLogEntry[];
}

/** An event log of a transaction. */
export interface TransactionLogEntry {
  address: string;
  topics: readonly string[];
  data: string;
  logIndex: number;
}

/** The receipt of calls that a wallet has executed, with the fields that wallets report (EIP-5792). */
export interface CallsReceipt
  extends Pick<
    TransactionReceipt,
    "transactionHash" | "blockNumber" | "blockHash" | "gasUsed" | "status" | "succeeded"
  > {
  logs: readonly Omit<TransactionLogEntry, "logIndex">[];
}

/** A transaction as the node returns it. */
export interface KnownTransaction {
  hash: string;
  /** Lowercase hex. */
  from: string;
  /** Lowercase hex; null for contract creation. */
  to: string | null;
  nonce: number;
  value: bigint;
  data: string;
}

/** Parses a node's receipt; null if there is none yet. */
export function readReceipt(json: unknown): TransactionReceipt | null {
  if (!isRecord(json) || !json.blockNumber) return null;
  // Receipts from before Byzantium have no status; they count as successful.
  const status = json.status === undefined || Number(json.status) === 1 ? 1 : 0;
  return {
    transactionHash: String(json.transactionHash),
    blockNumber: Number(json.blockNumber),
    blockHash: String(json.blockHash),
    transactionIndex: Number(json.transactionIndex ?? 0),
    from: addressOf(json.from) ?? "",
    to: addressOf(json.to),
    contractAddress: addressOf(json.contractAddress),
    gasUsed: integerOf(json.gasUsed),
    effectiveGasPrice: integerOf(json.effectiveGasPrice),
    status,
    succeeded: status === 1,
    logs: Array.isArray(json.logs) ? json.logs.filter(isRecord).map(readLog) : [],
  };
}

/** Parses a wallet's receipt of calls; null if there is none yet. */
export function readCallsReceipt(json: unknown): CallsReceipt | null {
  const receipt = readReceipt(json);
  if (!receipt) return null;
  const { transactionHash, blockNumber, blockHash, gasUsed, status, succeeded } = receipt;
  const logs = receipt.logs.map(({ address, topics, data }) => ({ address, topics, data }));
  return { transactionHash, blockNumber, blockHash, gasUsed, status, succeeded, logs };
}

/** Parses a node's transaction; null if the node does not know it. */
export function readTransaction(json: unknown): KnownTransaction | null {
  if (!isRecord(json) || typeof json.hash !== "string") return null;
  return {
    hash: json.hash.toLowerCase(),
    from: addressOf(json.from) ?? "",
    to: addressOf(json.to),
    nonce: Number(json.nonce),
    value: integerOf(json.value),
    data: String(json.input ?? json.data ?? "0x").toLowerCase(),
  };
}

export function readLog(json: Record<string, unknown>): TransactionLogEntry {
  return {
    address: String(json.address).toLowerCase(),
    topics: Array.isArray(json.topics) ? json.topics.map(String) : [],
    data: String(json.data ?? "0x"),
    logIndex: Number(json.logIndex ?? 0),
  };
}

function addressOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.toLowerCase() : null;
}

function integerOf(value: unknown): bigint {
  return typeof value === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : 0n;
}
