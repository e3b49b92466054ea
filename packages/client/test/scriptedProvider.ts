import { type Eip1193Provider, ProviderError } from "../src/wallet/eip1193.ts";

/** A fake wallet for tests: responses by method, recorded calls, and events emitted manually. */
export interface ScriptedProvider extends Eip1193Provider {
  readonly calls: { method: string; params: unknown }[];
  responses: Record<string, unknown>;
  emit(event: string, value?: unknown): void;
  listenerCount(): number;
}

export const ACCOUNT = `0x${"Ab".repeat(20)}`;
export const LOWER = ACCOUNT.toLowerCase();

/** Has one account on chain 0x539. Functions among the responses are called, Errors are thrown. */
export function scriptedProvider(responses: Record<string, unknown> = {}): ScriptedProvider {
  const listeners = new Map<string, Set<(...args: never[]) => void>>();
  return {
    calls: [],
    responses: {
      eth_requestAccounts: [ACCOUNT],
      eth_accounts: [ACCOUNT],
      eth_chainId: "0x539",
      wallet_switchEthereumChain: null,
      wallet_addEthereumChain: null,
      ...responses,
    },
    async request({ method, params }) {
      this.calls.push({ method, params });
      if (!(method in this.responses)) throw new ProviderError(4200, `no answer to ${method}`);
      const response = this.responses[method];
      if (response instanceof Error) throw response;
      return typeof response === "function" ? response(params) : response;
    },
    on(event, listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener(event, listener) {
      listeners.get(event)?.delete(listener);
    },
    emit(event, value) {
      for (const listener of listeners.get(event) ?? []) Reflect.apply(listener, undefined, [value]);
    },
    listenerCount: () => [...listeners.values()].reduce((sum, each) => sum + each.size, 0),
  };
}
