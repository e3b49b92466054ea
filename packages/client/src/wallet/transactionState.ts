import type { KnownTransaction, TransactionReceipt } from "./receipt.ts";
import type { Revert } from "./revert.ts";

/** `sped up`: the same call with a higher fee; `cancelled`: an empty transfer to oneself; `replaced`: another call. */
export type ReplacementKind = "sped up" | "cancelled" | "replaced";

/** The state of a transaction while its chain is reachable. */
export type ReachableState =
  /** Sent by the wallet; the node does not know it yet. */
  | { status: "submitted" }
  /** Pending in the mempool. */
  | { status: "seen" }
  | { status: "confirmed"; confirmations: number; receipt: TransactionReceipt }
  /** Included and reverted; `revert` if the reason can be determined. */
  | { status: "reverted"; confirmations: number; receipt: TransactionReceipt; revert: Revert | null }
  /** Replaced by another transaction; with hash and receipt if it was found. */
  | {
      status: "replaced";
      reason: ReplacementKind;
      hash: string | null;
      confirmations: number;
      receipt: TransactionReceipt | null;
    }
  /** Dropped from the mempool without a replacement. It may reappear. */
  | { status: "dropped" };

/** The node is unreachable, or on another chain; `last` is the last known state. */
interface UnreachableState {
  status: "unreachable";
  error: unknown;
  last: ReachableState;
}

/** The state of a transaction, or that its chain is unreachable. */
export type TransactionState = ReachableState | UnreachableState;

/** The result of polling the chain once. */
export type PollResult =
  | { kind: "not found"; nonceUsed: boolean }
  | { kind: "pending" }
  | { kind: "receipt"; receipt: TransactionReceipt; head: number; revert: Revert | null }
  | {
      kind: "replacement";
      transaction: KnownTransaction;
      reason: ReplacementKind;
      receipt: TransactionReceipt;
      head: number;
    }
  | { kind: "unreachable"; error: unknown };

/** A state and the number of consecutive polls that did not find the transaction. */
export interface TrackedStatus {
  state: TransactionState;
  misses: number;
}

/** Load-balanced nodes lag behind each other: a transaction counts as gone only after this many misses. */
const MISSES_UNTIL_GONE = 3;
/** A transaction that no node has seen yet gets more time. */
const MISSES_UNTIL_DROPPED = 120;

export const INITIAL_STATUS: TrackedStatus = { state: { status: "submitted" }, misses: 0 };

/** The state after a poll. Because of reorganizations every transition is possible, so the result decides. */
export function afterPoll({ state, misses }: TrackedStatus, result: PollResult): TrackedStatus {
  const last = state.status === "unreachable" ? state.last : state;
  switch (result.kind) {
    case "unreachable":
      return { state: { status: "unreachable", error: result.error, last }, misses };
    case "pending":
      return { state: { status: "seen" }, misses: 0 };
    case "receipt":
      return { state: included(result), misses: 0 };
    case "replacement": {
      const { transaction, reason, receipt } = result;
      const confirmations = confirmationsOf(receipt, result.head);
      return {
        state: { status: "replaced", reason, hash: transaction.hash, confirmations, receipt },
        misses: 0,
      };
    }
    case "not found":
      return { state: afterMiss(last, misses + 1, result.nonceUsed), misses: misses + 1 };
  }
}

/** Whether the state will not change any more. */
export function isFinal(state: TransactionState, confirmations: number): boolean {
  return "confirmations" in state && state.confirmations >= confirmations;
}

/** Whether two states are equal for users. */
export function isSameState(one: TransactionState, other: TransactionState): boolean {
  if (one.status !== other.status) return false;
  if (one.status === "unreachable" || other.status === "unreachable") return true;
  return outcomeOf(one) === outcomeOf(other);
}

function included({ receipt, head, revert }: Extract<PollResult, { kind: "receipt" }>): ReachableState {
  const confirmations = confirmationsOf(receipt, head);
  return receipt.succeeded
    ? { status: "confirmed", confirmations, receipt }
    : { status: "reverted", confirmations, receipt, revert };
}

function afterMiss(last: ReachableState, misses: number, nonceUsed: boolean): ReachableState {
  if (misses < MISSES_UNTIL_GONE) return last;
  if (nonceUsed) {
    return { status: "replaced", reason: "replaced", hash: null, confirmations: 0, receipt: null };
  }
  if (last.status === "submitted" && misses < MISSES_UNTIL_DROPPED) return last;
  return { status: "dropped" };
}

/** The including block counts as one. */
function confirmationsOf(receipt: TransactionReceipt, head: number): number {
  return Math.max(1, head - receipt.blockNumber + 1);
}

function outcomeOf(state: ReachableState): string {
  if (!("confirmations" in state)) return "";
  const hash = "hash" in state ? state.hash : "";
  return [state.confirmations, state.receipt?.blockHash, hash].join(" ");
}
