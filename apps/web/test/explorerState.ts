import type { ExplorerState } from "../src/pages/explorer/ExplorerContext.ts";
import type { AppChain } from "../src/settings.ts";

/** The local chain as the server describes it to the app. */
export function localChain(more: Partial<AppChain> = {}): AppChain {
  return {
    id: 1337,
    hexId: "0x539",
    name: "localdevchain",
    rpcUrl: null,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    wrappedNative: null,
    ...more,
  };
}

/** What the explorer knows of the local chain before the first answer of the server. */
export function explorerState(more: Partial<ExplorerState> = {}): ExplorerState {
  return {
    chain: localChain(),
    head: undefined,
    safe: undefined,
    final: undefined,
    start: undefined,
    contacts: new Map(),
    server: { state: "online", chains: [], updatedAt: 0, refetch: () => undefined },
    state: undefined,
    ...more,
  };
}
