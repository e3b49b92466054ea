import {
  callNode,
  type Eip1193Provider,
  type FollowedTransaction,
  followTransaction,
  type ReplacementKind,
  type Revert,
  type TransactionReceipt,
  type TransactionReference,
  type TransactionState,
} from "@purse/client";

import { type CallError, errorOf } from "./errors.ts";
import { contentKey } from "./plainValues.ts";

/** The state of a transaction for rendering. */
export interface TransactionView {
  /** `unknown` without a transaction or while its chain is unreachable. */
  status: Exclude<TransactionState["status"], "unreachable"> | "unknown";
  confirmations: number;
  receipt: TransactionReceipt | null;
  /** The replacing transaction; with its hash if it was found. */
  replacement: { reason: ReplacementKind; hash: string | null } | null;
  /** The revert reason, if it can be determined. */
  revert: Revert | null;
  /** The error while its chain is unreachable. */
  error: CallError | null;
}

const INITIAL_VIEW: TransactionView = {
  status: "unknown",
  confirmations: 0,
  receipt: null,
  replacement: null,
  revert: null,
  error: null,
};

/** Active followers by provider and transaction. */
const followers = new WeakMap<object, Map<string, TransactionFollow>>();
const NO_PROVIDER = {};

/** Returns the shared follower of a transaction: the chain is polled once for all components. */
export function sharedFollow(
  reference: TransactionReference | null | undefined,
  provider: Eip1193Provider | null,
  rpcUrl?: string | null,
): TransactionFollow {
  const source = provider ?? NO_PROVIDER;
  const known = followers.get(source) ?? new Map<string, TransactionFollow>();
  followers.set(source, known);
  const key = contentKey([reference ?? null, rpcUrl ?? null]);
  const follow =
    known.get(key) ?? new TransactionFollow(reference, provider, rpcUrl, () => void known.delete(key));
  known.set(key, follow);
  return follow;
}

/** Follows a transaction while there are subscribers. */
export class TransactionFollow {
  readonly #followed: FollowedTransaction | undefined;
  #state: TransactionState | undefined;
  #view = INITIAL_VIEW;
  #listenerCount = 0;
  readonly #onIdle: () => void;

  constructor(
    reference: TransactionReference | null | undefined,
    provider: Eip1193Provider | null,
    rpcUrl: string | null | undefined,
    /** Called when the last subscriber has left. */
    onIdle: () => void,
  ) {
    this.#onIdle = onIdle;
    const source = provider ?? (rpcUrl ? rpcProvider(rpcUrl) : undefined);
    if (reference && source) this.#followed = followTransaction(reference, source);
  }

  /** The same until the state changes. */
  readonly get = (): TransactionView => {
    const state = this.#followed?.state;
    if (state && state !== this.#state) this.#view = Object.freeze(toView(state));
    this.#state = state;
    return this.#view;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    // The same function may subscribe twice, and must then be called twice.
    const stop = this.#followed?.subscribe(() => listener());
    this.#listenerCount += 1;
    return () => {
      stop?.();
      this.#listenerCount -= 1;
      if (this.#listenerCount === 0) this.#onIdle();
    };
  };
}

function toView(state: TransactionState): TransactionView {
  if (state.status === "unreachable")
    return { ...toView(state.last), status: "unknown", error: errorOf(state.error) };
  const { status } = state;
  const confirmations = "confirmations" in state ? state.confirmations : 0;
  const receipt = "receipt" in state ? state.receipt : null;
  const replacement = status === "replaced" ? { reason: state.reason, hash: state.hash } : null;
  const revert = status === "reverted" ? state.revert : null;
  return { status, confirmations, receipt, replacement, revert, error: null };
}

function rpcProvider(rpcUrl: string): Eip1193Provider {
  return { request: ({ method, params }) => callNode(rpcUrl, method, params) };
}
