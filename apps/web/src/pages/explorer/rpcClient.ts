import { callNode } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useMemo } from "react";
import { useExplorer } from "./ExplorerContext.ts";

/** A node that the page queries itself for data that the data API does not have. */
export interface RpcClient {
  /** Identifies the node. */
  id: string;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** The local chain's node, otherwise the node of a wallet on the chain, if any. */
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
