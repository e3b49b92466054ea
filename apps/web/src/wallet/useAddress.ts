import { useMoralis } from "@purse/react";
import { useSettings } from "../SettingsContext.tsx";
import { type AppChain, chainByHexId, defaultChain } from "../settings.ts";

export interface OwnAddress {
  /** The address that pages show by default: the connected wallet's, otherwise the user's primary one. */
  address: string | undefined;
  /** Whether it is that of the connected wallet. */
  isConnected: boolean;
  /** The user's primary address. */
  primary: string | undefined;
  chain: AppChain | undefined;
}

export function useAddress(): OwnAddress {
  const { account, chainId, user } = useMoralis();
  const settings = useSettings();
  const linked: unknown = user?.get("ethAddress");
  const primary = typeof linked === "string" ? linked : undefined;
  const chain = (chainId ? chainByHexId(settings, chainId) : undefined) ?? defaultChain(settings);
  return { address: account ?? primary, isConnected: account !== null, primary, chain };
}
