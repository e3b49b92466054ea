import type { Eip1193Provider } from "./eip1193.ts";

export interface TransactionReceipt {
  transactionHash: string;
  blockNumber: number;
  /** Whether it did what it was sent for. */
  succeeded: boolean;
}

/** Where a transaction is on its way. */
export type TransactionProgress =
  | { status: "unknown" }
  | { status: "submitted" }
  | { status: "seen" }
  | { status: "confirmed"; confirmations: number; receipt: TransactionReceipt }
  | { status: "reverted"; confirmations: number; receipt: TransactionReceipt };

const POLL_MS = 1_000;
/** After so many confirmations nothing more is told. */
const FINAL = 12;

/** Tells of a transaction's progress until it is final or the returned function is called. */
export function watchTransaction(
  hash: string,
  provider: Eip1193Provider,
  listener: (progress: TransactionProgress, error?: unknown) => void,
  pollMs = POLL_MS,
): () => void {
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = "";
  const tell = (progress: TransactionProgress) => {
    const text = JSON.stringify(progress);
    if (text !== last && !stopped) listener(progress);
    last = text;
  };
  const look = async () => {
    let done = false;
    try {
      const progress = await progressOf(hash, provider);
      tell(progress);
      done = "confirmations" in progress && progress.confirmations >= FINAL;
    } catch (error) {
      if (!stopped) listener({ status: "unknown" }, error);
    }
    if (!done && !stopped) timer = setTimeout(look, pollMs);
  };
  void look();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Resolves once a transaction has its confirmations. */
export function waitForReceipt(
  hash: string,
  provider: Eip1193Provider,
  confirmations: number,
): Promise<TransactionReceipt> {
  return new Promise((resolve) => {
    const stop = watchTransaction(hash, provider, (progress) => {
      if (!("receipt" in progress) || progress.confirmations < confirmations) return;
      resolve(progress.receipt);
      queueMicrotask(() => stop());
    });
  });
}

async function progressOf(hash: string, provider: Eip1193Provider): Promise<TransactionProgress> {
  const receipt = await provider.request({ method: "eth_getTransactionReceipt", params: [hash] });
  if (isRecord(receipt) && receipt.blockNumber) {
    const blockNumber = Number(receipt.blockNumber);
    const head = Number(await provider.request({ method: "eth_blockNumber" }));
    const confirmations = Math.max(1, head - blockNumber + 1);
    const succeeded = Number(receipt.status) === 1;
    const found = { transactionHash: hash, blockNumber, succeeded };
    return { status: succeeded ? "confirmed" : "reverted", confirmations, receipt: found };
  }
  const transaction = await provider.request({ method: "eth_getTransactionByHash", params: [hash] });
  return { status: transaction ? "seen" : "submitted" };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
