import { createContext, useContext } from "react";
import type { AppChain } from "../../settings.ts";
import type { ChainState, ServerStatus } from "../home/useServerStatus.ts";

/** The chain that is looked at, and how far it is; numbers of blocks are undefined while they are not known. */
export interface ExplorerState {
  chain: AppChain;
  head: number | undefined;
  /** What the chain's own rules call safe and final. */
  safe: number | undefined;
  final: number | undefined;
  /** The first block of the server's index. */
  start: number | undefined;
  /** Where all of that comes from, and how the chain is as far as it tells. */
  server: ServerStatus;
  state: ChainState | undefined;
}

export const ExplorerContext = createContext<ExplorerState | null>(null);

export function useExplorer(): ExplorerState {
  const state = useContext(ExplorerContext);
  if (!state) throw new Error("useExplorer is for pages of the explorer");
  return state;
}
