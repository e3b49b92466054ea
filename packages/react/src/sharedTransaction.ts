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
import { contentKey } from "./freeze.ts";

/** Where a transaction is, for pages. */
export interface TransactionView {
  /** `unknown` while there is no transaction or its chain cannot be asked. */
  status: Exclude<TransactionState["status"], "unreachable"> | "unknown";
  confirmations: number;
  receipt: TransactionReceipt | null;
  /** What has taken its place; the hash where it was found. */
  replacement: { reason: ReplacementKind; hash: string | null } | null;
  /** Why its contract has refused it, where that can still be found out. */
  revert: Revert | null;
  /** Why its chain cannot be asked. */
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

/** Followers that somebody may listen to, by what they ask and by the transaction. */
const followers = new WeakMap<object, Map<string, TransactionFollow>>();
const NO_PROVIDER = {};

/** The follower of a transaction that the whole page shares: its chain is asked once, however many components show it. */
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

/** Follows a transaction for as long as somebody listens. */
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
    /** Called when the last listener has gone. */
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
    // The same function may listen twice, and then has to be told twice.
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
