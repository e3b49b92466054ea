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
      how: ReplacementKind;
      hash: string | null;
      confirmations: number;
      receipt: TransactionReceipt | null;
    }
  /** Dropped from the mempool without a replacement. It may reappear. */
  | { status: "dropped" };

/** The node is unreachable, or on another chain; `last` is the last known state. */
export interface UnreachableState {
  status: "unreachable";
  error: unknown;
  last: ReachableState;
}

/** The state of a transaction, or that its chain is unreachable. */
export type TransactionState = ReachableState | UnreachableState;

/** The result of polling the chain once. */
export type Look =
  | { found: "not found"; nonceUsed: boolean }
  | { found: "pending" }
  | { found: "receipt"; receipt: TransactionReceipt; head: number; revert: Revert | null }
  | {
      found: "replacement";
      transaction: KnownTransaction;
      how: ReplacementKind;
      receipt: TransactionReceipt;
      head: number;
    }
  | { found: "unreachable"; error: unknown };

/** A state and the number of consecutive polls that did not find the transaction. */
export interface Standing {
  state: TransactionState;
  absences: number;
}

/** Load-balanced nodes lag behind each other: a transaction counts as gone only after this many misses. */
const GONE_AFTER = 3;
/** A transaction that no node has seen yet gets more time. */
const LOST_AFTER = 120;

export const AT_FIRST: Standing = { state: { status: "submitted" }, absences: 0 };

/** The state after a poll. Because of reorganizations every transition is possible, so the result decides. */
export function afterLook({ state, absences }: Standing, look: Look): Standing {
  const last = state.status === "unreachable" ? state.last : state;
  switch (look.found) {
    case "unreachable":
      return { state: { status: "unreachable", error: look.error, last }, absences };
    case "pending":
      return { state: { status: "seen" }, absences: 0 };
    case "receipt":
      return { state: included(look), absences: 0 };
    case "replacement": {
      const { transaction, how, receipt } = look;
      const confirmations = confirmationsOf(receipt, look.head);
      return {
        state: { status: "replaced", how, hash: transaction.hash, confirmations, receipt },
        absences: 0,
      };
    }
    case "not found":
      return { state: missed(last, absences + 1, look.nonceUsed), absences: absences + 1 };
  }
}

/** Whether the state will not change any more. */
export function isFinal(state: TransactionState, confirmations: number): boolean {
  return "confirmations" in state && state.confirmations >= confirmations;
}

/** Whether two states are equal for users. */
export function sameState(one: TransactionState, other: TransactionState): boolean {
  if (one.status !== other.status) return false;
  if (one.status === "unreachable" || other.status === "unreachable") return true;
  return outcomeOf(one) === outcomeOf(other);
}

function included({ receipt, head, revert }: Extract<Look, { found: "receipt" }>): ReachableState {
  const confirmations = confirmationsOf(receipt, head);
  return receipt.succeeded
    ? { status: "confirmed", confirmations, receipt }
    : { status: "reverted", confirmations, receipt, revert };
}

function missed(last: ReachableState, absences: number, nonceUsed: boolean): ReachableState {
  if (absences < GONE_AFTER) return last;
  if (nonceUsed) {
    return { status: "replaced", how: "replaced", hash: null, confirmations: 0, receipt: null };
  }
  if (last.status === "submitted" && absences < LOST_AFTER) return last;
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
