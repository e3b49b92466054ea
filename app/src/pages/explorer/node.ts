import { callNode } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useMemo } from "react";
import { useExplorer } from "./ExplorerContext.ts";

/** A node of the chain that this page may ask itself, for what the data service does not tell. */
export interface PageNode {
  /** Tells nodes apart. */
  id: string;
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** The local chain's, else that of a connected wallet which is on the chain; else there is none. */
export function useNode(): PageNode | undefined {
  const { chain } = useExplorer();
  const { provider, chainId } = useMoralis();
  return useMemo(() => {
    const { rpcUrl, hexId } = chain;
    if (rpcUrl) return { id: rpcUrl, ask: (method, params) => callNode(rpcUrl, method, params) };
    if (provider && chainId === hexId)
      return { id: `wallet on ${hexId}`, ask: (method, params) => provider.request({ method, params }) };
    return undefined;
  }, [chain, provider, chainId]);
}
