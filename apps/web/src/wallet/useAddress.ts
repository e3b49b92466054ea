import { useMoralis } from "@purse/react";
import { useSettings } from "../SettingsContext.tsx";
import { type AppChain, chainByHexId, defaultChain } from "../settings.ts";

/** The address that pages show by default: the connected wallet's, otherwise the user's primary one. */
export function useAddress(): { address: string | undefined; chain: AppChain | undefined } {
  const { account, chainId, user } = useMoralis();
  const settings = useSettings();
  const linked: unknown = user?.get("ethAddress");
  const address = account ?? (typeof linked === "string" ? linked : undefined);
  const chain = (chainId ? chainByHexId(settings, chainId) : undefined) ?? defaultChain(settings);
  return { address, chain };
}
