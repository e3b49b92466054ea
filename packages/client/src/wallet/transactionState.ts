import type { KnownTransaction, TransactionReceipt } from "./receipt.ts";
import type { Revert } from "./revert.ts";

/** `sped up`: the same again for a higher fee; `cancelled`: nothing, sent to oneself; `replaced`: something else. */
export type ReplacementKind = "sped up" | "cancelled" | "replaced";

/** Where a transaction is, as far as its chain can be asked. */
export type ReachableState =
  /** The wallet has sent it; the node does not know it yet. */
  | { status: "submitted" }
  /** It waits to be taken into a block. */
  | { status: "seen" }
  | { status: "confirmed"; confirmations: number; receipt: TransactionReceipt }
  /** It is in a block and has failed there; `revert` where the contract's reason can still be found out. */
  | { status: "reverted"; confirmations: number; receipt: TransactionReceipt; revert: Revert | null }
  /** Another transaction has taken its place; its hash and receipt where it has been found. */
  | {
      status: "replaced";
      how: ReplacementKind;
      hash: string | null;
      confirmations: number;
      receipt: TransactionReceipt | null;
    }
  /** The node has forgotten it, and nothing has taken its place. It may come back. */
  | { status: "dropped" };

/** The node does not answer, or answers for another chain; `last` is what was known before. */
export interface UnreachableState {
  status: "unreachable";
  error: unknown;
  last: ReachableState;
}

/** Where a transaction is, or that its chain cannot be asked. */
export type TransactionState = ReachableState | UnreachableState;

/** What one look at the chain has found. */
export type Look =
  | { found: "nothing"; nonceUsed: boolean }
  | { found: "pending" }
  | { found: "receipt"; receipt: TransactionReceipt; head: number; revert: Revert | null }
  | {
      found: "replacement";
      transaction: KnownTransaction;
      how: ReplacementKind;
      receipt: TransactionReceipt;
      head: number;
    }
  | { found: "no answer"; error: unknown };

/** A state and how many looks in a row have found nothing. */
export interface Standing {
  state: TransactionState;
  absences: number;
}

/** Nodes behind one address lag behind each other: only what is missing so often is believed to be gone. */
const GONE_AFTER = 3;
/** What no node has seen yet may be on its way for longer. */
const LOST_AFTER = 120;

export const AT_FIRST: Standing = { state: { status: "submitted" }, absences: 0 };

/** The state after a look. From every state every other can be reached, since blocks are undone; so a look decides. */
export function afterLook({ state, absences }: Standing, look: Look): Standing {
  const last = state.status === "unreachable" ? state.last : state;
  switch (look.found) {
    case "no answer":
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
    case "nothing":
      return { state: missed(last, absences + 1, look.nonceUsed), absences: absences + 1 };
  }
}

/** Whether nothing more will be told. */
export function isFinal(state: TransactionState, confirmations: number): boolean {
  return "confirmations" in state && state.confirmations >= confirmations;
}

/** Whether two states tell people the same. */
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

/** The block that has it counts as one. */
function confirmationsOf(receipt: TransactionReceipt, head: number): number {
  return Math.max(1, head - receipt.blockNumber + 1);
}

function outcomeOf(state: ReachableState): string {
  if (!("confirmations" in state)) return "";
  const hash = "hash" in state ? state.hash : "";
  return [state.confirmations, state.receipt?.blockHash, hash].join(" ");
}
