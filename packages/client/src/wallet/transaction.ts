import type { Abi } from "viem";
import type { Eip1193Provider } from "./eip1193.ts";
import { look, type Sought, type TransactionReference } from "./lookForTransaction.ts";
import type { TransactionReceipt } from "./receipt.ts";
import { RevertError } from "./revert.ts";
import {
  AT_FIRST,
  afterLook,
  isFinal,
  type ReachableState,
  type ReplacementKind,
  sameState,
  type TransactionState,
} from "./transactionState.ts";

/** Options of following a transaction. */
export interface FollowOptions {
  /** Used to decode the errors of the called contract. */
  abi?: Abi | undefined;
  /** The polling interval, in ms. */
  pollMs?: number | undefined;
  /** The number of confirmations after which polling stops; 12 by default. */
  confirmations?: number | undefined;
}

/** A followed transaction. The chain is polled only while there are subscribers. */
export interface FollowedTransaction {
  readonly state: TransactionState;
  /** The reference, completed with fields from the chain. */
  readonly reference: TransactionReference;
  /** Calls back on every change of state. Returns a function that unsubscribes. */
  subscribe(listener: (state: TransactionState) => void): () => void;
}

const POLL_MS = 1_000;
/** The maximum of the interval, which grows while the node is unreachable. */
const LONGEST_PAUSE_MS = 30_000;
const FINAL = 12;

/** Follows a transaction on its chain, from its submission or after a reload. */
export function followTransaction(
  reference: TransactionReference,
  provider: Eip1193Provider,
  { abi, pollMs = POLL_MS, confirmations = FINAL }: FollowOptions = {},
): FollowedTransaction {
  const listeners = new Set<(state: TransactionState) => void>();
  let sought: Sought = { reference, revert: null };
  let standing = AT_FIRST;
  let failures = 0;
  let running: { timer?: ReturnType<typeof setTimeout> } | undefined;

  const round = async (run: { timer?: ReturnType<typeof setTimeout> }) => {
    const seen = await look(sought, provider, abi);
    if (running !== run) return;
    sought = seen.sought;
    failures = seen.result.found === "unreachable" ? failures + 1 : 0;
    const before = standing.state;
    standing = afterLook(standing, seen.result);
    if (!sameState(before, standing.state)) {
      for (const listener of [...listeners]) listener(standing.state);
    }
    if (running !== run) return;
    if (isFinal(standing.state, confirmations)) running = undefined;
    else run.timer = setTimeout(round, Math.min(pollMs * 2 ** failures, LONGEST_PAUSE_MS), run);
  };

  return {
    get state() {
      return standing.state;
    },
    get reference() {
      return sought.reference;
    },
    subscribe(listener) {
      listeners.add(listener);
      if (!running && !isFinal(standing.state, confirmations)) {
        running = {};
        void round(running);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || !running) return;
        clearTimeout(running.timer);
        running = undefined;
      };
    },
  };
}

/** The transaction was replaced by another one; compatible with ethers' error. */
export class TransactionReplacedError extends Error {
  override readonly name = "TransactionReplacedError";
  readonly code = "TRANSACTION_REPLACED";
  readonly reason: "repriced" | "cancelled" | "replaced";
  readonly cancelled: boolean;
  /** The hash of the replacement; null if it was not found. */
  readonly hash: string | null;
  readonly receipt: TransactionReceipt | null;

  constructor(how: ReplacementKind, hash: string | null, receipt: TransactionReceipt | null) {
    super(how === "sped up" ? "transaction was repriced" : `transaction was ${how}`);
    this.reason = how === "sped up" ? "repriced" : how;
    this.cancelled = how !== "sped up";
    this.hash = hash;
    this.receipt = receipt;
  }
}

/** The transaction was included in a block and reverted. */
export class TransactionFailedError extends RevertError {
  readonly transactionHash: string;
  readonly receipt: TransactionReceipt;

  constructor({ receipt, revert }: Extract<TransactionState, { status: "reverted" }>) {
    super(revert ?? { reason: "no reason given", errorName: null, errorArgs: [], data: null });
    this.message = `Transaction ${receipt.transactionHash} failed: ${this.reason}`;
    this.transactionHash = receipt.transactionHash;
    this.receipt = receipt;
  }
}

/**
 * Resolves once a transaction has its confirmations. Rejects with TransactionFailedError if it failed, and with
 * TransactionReplacedError if it was replaced; keeps waiting while the node is unreachable.
 */
export function confirmed(
  followed: FollowedTransaction,
  confirmations = 1,
  signal?: AbortSignal,
): Promise<TransactionReceipt> {
  return new Promise((resolve, reject) => {
    const settle = (state: TransactionState): void => {
      if (!isFinal(state, Math.max(1, confirmations)) && !isLost(state)) return;
      stop();
      signal?.removeEventListener("abort", abort);
      if (state.status === "confirmed") resolve(state.receipt);
      else if (state.status === "reverted") reject(new TransactionFailedError(state));
      else if (state.status === "replaced")
        reject(new TransactionReplacedError(state.how, state.hash, state.receipt));
    };
    const abort = () => {
      stop();
      reject(signal?.reason);
    };
    const stop = followed.subscribe(settle);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    settle(followed.state);
  });
}

/** The replacement was not found: there are no confirmations to wait for. */
function isLost(state: TransactionState): boolean {
  return state.status === "replaced" && state.receipt === null;
}

/** The progress of a transaction; `unknown` while the chain is unreachable. */
export type TransactionProgress = ReachableState | { status: "unknown" };

/** Reports a transaction's progress by its hash, until it is final or the returned function is called. */
export function watchTransaction(
  hash: string,
  provider: Eip1193Provider,
  listener: (progress: TransactionProgress, error?: unknown) => void,
  pollMs = POLL_MS,
): () => void {
  const followed = followTransaction({ hash, chainId: null }, provider, { pollMs });
  const tell = (state: TransactionState) => {
    if (state.status === "unreachable") listener({ status: "unknown" }, state.error);
    else listener(state);
  };
  const stop = followed.subscribe(tell);
  tell(followed.state);
  return stop;
}
