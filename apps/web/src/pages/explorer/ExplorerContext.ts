import { createContext, useContext } from "react";
import type { AppChain } from "../../settings.ts";
import type { ChainState, ServerStatus } from "../home/useServerStatus.ts";

/** The selected chain and its block heights, which are undefined while unknown. */
export interface ExplorerState {
  chain: AppChain;
  head: number | undefined;
  /** The safe and finalized blocks of the chain. */
  safe: number | undefined;
  final: number | undefined;
  /** The first indexed block. */
  start: number | undefined;
  /** The names of one's contacts by their addresses, lower-case hex. */
  contacts: ReadonlyMap<string, string>;
  /** The source of this state, and the chain's state if known. */
  server: ServerStatus;
  state: ChainState | undefined;
}

export const ExplorerContext = createContext<ExplorerState | null>(null);

export function useExplorer(): ExplorerState {
  const state = useContext(ExplorerContext);
  if (!state) throw new Error("useExplorer must be used inside Explorer");
  return state;
}
