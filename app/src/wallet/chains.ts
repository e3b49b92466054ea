import { getChain } from "@purse/react";
import type { AppChain } from "../settings.ts";

/** A chain's name for people. */
export function chainName(chain: AppChain): string {
  return chain.name === "localdevchain" ? "Local chain" : (getChain(chain.hexId)?.name ?? chain.name);
}

/** What a wallet that does not know the chain is told of it; undefined where no node can be named to it. */
export function chainToAdd(chain: AppChain) {
  const known = getChain(chain.hexId);
  const rpcUrl = chain.rpcUrl ?? known?.rpc.find((url) => !url.includes("${"));
  if (!rpcUrl) return undefined;
  const { name, symbol } = chain.nativeCurrency;
  return { chainName: chainName(chain), currencyName: name, currencySymbol: symbol, rpcUrl };
}
