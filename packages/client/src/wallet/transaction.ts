import type { Abi } from "viem";
import type { Eip1193Provider } from "./eip1193.ts";
import { POLL_INTERVAL_MS, pollInterval } from "./pollInterval.ts";
import type { TransactionReceipt } from "./receipt.ts";
import { RevertError } from "./revert.ts";
import { poll, type TransactionQuery } from "./transactionPoll.ts";
import type { TransactionReference } from "./transactionReference.ts";
import {
  afterPoll,
  INITIAL_STATUS,
  isFinal,
  isSameState,
  type ReachableState,
  type ReplacementKind,
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

const DEFAULT_CONFIRMATIONS = 12;

/** Follows a transaction on its chain, from its submission or after a reload. */
export function followTransaction(
  reference: TransactionReference,
  provider: Eip1193Provider,
  { abi, pollMs = POLL_INTERVAL_MS, confirmations = DEFAULT_CONFIRMATIONS }: FollowOptions = {},
): FollowedTransaction {
  const listeners = new Set<(state: TransactionState) => void>();
  let query: TransactionQuery = { reference, revert: null };
  let status = INITIAL_STATUS;
  let failures = 0;
  let running: { timer?: ReturnType<typeof setTimeout> } | undefined;

  const pollOnce = async (run: { timer?: ReturnType<typeof setTimeout> }) => {
    const polled = await poll(query, provider, abi);
    if (running !== run) return;
    query = polled.query;
    failures = polled.result.kind === "unreachable" ? failures + 1 : 0;
    const before = status.state;
    status = afterPoll(status, polled.result);
    if (!isSameState(before, status.state)) {
      for (const listener of [...listeners]) listener(status.state);
    }
    if (running !== run) return;
    if (isFinal(status.state, confirmations)) running = undefined;
    else run.timer = setTimeout(pollOnce, pollInterval(pollMs, failures), run);
  };

  return {
    get state() {
      return status.state;
    },
    get reference() {
      return query.reference;
    },
    subscribe(listener) {
      listeners.add(listener);
      if (!running && !isFinal(status.state, confirmations)) {
        running = {};
        void pollOnce(running);
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

  constructor(kind: ReplacementKind, hash: string | null, receipt: TransactionReceipt | null) {
    super(kind === "sped up" ? "transaction was repriced" : `transaction was ${kind}`);
    this.reason = kind === "sped up" ? "repriced" : kind;
    this.cancelled = kind !== "sped up";
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
export function waitForConfirmations(
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
        reject(new TransactionReplacedError(state.reason, state.hash, state.receipt));
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
  pollMs = POLL_INTERVAL_MS,
): () => void {
  const followed = followTransaction({ hash, chainId: null }, provider, { pollMs });
  const report = (state: TransactionState) => {
    if (state.status === "unreachable") listener({ status: "unknown" }, state.error);
    else listener(state);
  };
  const stop = followed.subscribe(report);
  report(followed.state);
  return stop;
}
