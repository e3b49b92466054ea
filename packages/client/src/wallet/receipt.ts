/** What a block says of a transaction. */
export interface TransactionReceipt {
  transactionHash: string;
  blockNumber: number;
  blockHash: string;
  transactionIndex: number;
  /** Lower-case hex. */
  from: string;
  to: string | null;
  /** Of the contract that it has made. */
  contractAddress: string | null;
  gasUsed: bigint;
  /** Wei for one unit of gas; 0 where the node does not tell. */
  effectiveGasPrice: bigint;
  /** 1, or 0 where it has failed. */
  status: 0 | 1;
  /** Whether it did what it was sent for. */
  succeeded: boolean;
  logs: readonly TransactionLogEntry[];
}

/** An event that a contract has written in a transaction. */
export interface TransactionLogEntry {
  address: string;
  topics: readonly string[];
  data: string;
  logIndex: number;
}

/** A transaction as the node knows it. */
export interface KnownTransaction {
  hash: string;
  /** Lower-case hex. */
  from: string;
  /** Lower-case hex; null makes a contract. */
  to: string | null;
  nonce: number;
  value: bigint;
  data: string;
}

/** Reads a node's receipt; null for one that is not there yet. */
export function readReceipt(json: unknown): TransactionReceipt | null {
  if (!isRecord(json) || !json.blockNumber) return null;
  // Before Byzantium receipts told no status; what is in a block then did not revert for a reason anybody reads.
  const status = json.status === undefined || Number(json.status) === 1 ? 1 : 0;
  return {
    transactionHash: String(json.transactionHash),
    blockNumber: Number(json.blockNumber),
    blockHash: String(json.blockHash),
    transactionIndex: Number(json.transactionIndex ?? 0),
    from: addressOf(json.from) ?? "",
    to: addressOf(json.to),
    contractAddress: addressOf(json.contractAddress),
    gasUsed: wholeOf(json.gasUsed),
    effectiveGasPrice: wholeOf(json.effectiveGasPrice),
    status,
    succeeded: status === 1,
    logs: Array.isArray(json.logs) ? json.logs.filter(isRecord).map(readLog) : [],
  };
}

/** Reads a node's transaction; null for one that it does not know. */
export function readTransaction(json: unknown): KnownTransaction | null {
  if (!isRecord(json) || typeof json.hash !== "string") return null;
  return {
    hash: json.hash.toLowerCase(),
    from: addressOf(json.from) ?? "",
    to: addressOf(json.to),
    nonce: Number(json.nonce),
    value: wholeOf(json.value),
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function addressOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.toLowerCase() : null;
}

function wholeOf(value: unknown): bigint {
  return typeof value === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : 0n;
}
