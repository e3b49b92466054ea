import { getChain } from "@purse/react";
import type { Translator } from "@purse/ui";
import { type AppChain, chainName } from "../settings.ts";

/** The display name of any chain by its hex ID; its number if it is unknown. */
export function chainNameOf(hexId: string): string {
  return getChain(hexId)?.name ?? String(Number(hexId));
}

/** The parameters to add a chain to a wallet; undefined if no node URL is known. */
export function chainToAdd(chain: AppChain, t: Translator["t"]) {
  const known = getChain(chain.hexId);
  const rpcUrl = chain.rpcUrl ?? known?.rpc.find((url) => !url.includes("${"));
  if (!rpcUrl) return undefined;
  const { name, symbol } = chain.nativeCurrency;
  return { chainName: chainName(chain, t), currencyName: name, currencySymbol: symbol, rpcUrl };
}
