import { callNode } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useMemo } from "react";
import { useExplorer } from "./ExplorerContext.ts";

/** A node of the chain that this page may ask itself, for what the data service does not tell. */
export interface RpcClient {
  /** Tells nodes apart. */
  id: string;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** The local chain's, else that of a connected wallet which is on the chain; else there is none. */
export function useRpcClient(): RpcClient | undefined {
  const { chain } = useExplorer();
  const { provider, chainId } = useMoralis();
  return useMemo(() => {
    const { rpcUrl, hexId } = chain;
    if (rpcUrl) return { id: rpcUrl, request: (method, params) => callNode(rpcUrl, method, params) };
    if (provider && chainId === hexId)
      return { id: `wallet on ${hexId}`, request: (method, params) => provider.request({ method, params }) };
    return undefined;
  }, [chain, provider, chainId]);
}
