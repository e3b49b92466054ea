import { callNode, type Eip1193Provider, type TransactionProgress, watchTransaction } from "@purse/client";
import { Store } from "./store.ts";

export interface TransactionState {
  status: TransactionProgress["status"];
  confirmations: number;
  receipt: { transactionHash: string; blockNumber: number; succeeded: boolean } | null;
  error: unknown;
}

const AT_FIRST: TransactionState = { status: "unknown", confirmations: 0, receipt: null, error: null };

/** Follows a transaction for as long as somebody listens. */
export class TransactionFollow {
  readonly #store = new Store<TransactionState>(AT_FIRST);
  readonly #watch: ((listener: Parameters<typeof watchTransaction>[2]) => () => void) | undefined;
  #stop: (() => void) | undefined;
  #listeners = 0;

  constructor(hash: string | null | undefined, provider: Eip1193Provider | null, rpcUrl?: string | null) {
    const source = provider ?? (rpcUrl ? nodeAt(rpcUrl) : undefined);
    if (hash && source) this.#watch = (listener) => watchTransaction(hash, source, listener);
  }

  readonly get = (): TransactionState => this.#store.get();

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = this.#store.subscribe(listener);
    this.#listeners += 1;
    this.#stop ??= this.#watch?.((progress, error) => {
      const receipt = "receipt" in progress ? progress.receipt : null;
      const confirmations = "confirmations" in progress ? progress.confirmations : 0;
      this.#store.set({ status: progress.status, confirmations, receipt, error: error ?? null });
    });
    return () => {
      stop();
      this.#listeners -= 1;
      if (this.#listeners > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  };
}

function nodeAt(rpcUrl: string): Eip1193Provider {
  return { request: ({ method, params }) => callNode(rpcUrl, method, params) };
}
