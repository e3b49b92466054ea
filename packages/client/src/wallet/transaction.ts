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

/** How a transaction is followed. */
export interface FollowOptions {
  /** Names the errors of the contract that is called. */
  abi?: Abi | undefined;
  /** Between two looks, in ms. */
  pollMs?: number | undefined;
  /** After so many nothing more is told: 12 unless given. */
  confirmations?: number | undefined;
}

/** A transaction under way. The chain is asked while somebody listens, and not otherwise. */
export interface FollowedTransaction {
  readonly state: TransactionState;
  /** With what has been learnt meanwhile. */
  readonly reference: TransactionReference;
  /** Calls back at every change of the state. Returns the way to stop it. */
  subscribe(listener: (state: TransactionState) => void): () => void;
}

const POLL_MS = 1_000;
/** Between looks at a node that does not answer: longer each time, up to this. */
const LONGEST_PAUSE_MS = 30_000;
const FINAL = 12;

/** Follows a transaction on its chain, from its sending or from where a reload has interrupted it. */
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
    failures = seen.look.found === "no answer" ? failures + 1 : 0;
    const before = standing.state;
    standing = afterLook(standing, seen.look);
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

/** That another transaction has taken a transaction's place, as old code knows it. */
export class TransactionReplacedError extends Error {
  override readonly name = "TransactionReplacedError";
  readonly code = "TRANSACTION_REPLACED";
  readonly reason: "repriced" | "cancelled" | "replaced";
  readonly cancelled: boolean;
  /** Of the one that took its place; null where it was not found. */
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

/** That a transaction is in a block and has failed there. */
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
 * Resolves once a transaction has its confirmations. Rejects with TransactionFailedError where it has failed and with
 * TransactionReplacedError where another has taken its place; waits on while the node does not answer.
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

/** Replaced by one that cannot be found: there are no confirmations to wait for. */
function isLost(state: TransactionState): boolean {
  return state.status === "replaced" && state.receipt === null;
}

/** Where a transaction is on its way; `unknown` while the chain cannot be asked. */
export type TransactionProgress = ReachableState | { status: "unknown" };

/** Tells of a transaction's progress by its hash, until it is final or the returned function is called. */
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
