import { useMoralis } from "@purse/react";
import { EmptyState, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { useSettings } from "../SettingsContext.tsx";
import { type AppChain, chainByHexId, defaultChain } from "../settings.ts";
import { NetworkBanner } from "./NetworkBanner.tsx";
import { NoWallet } from "./NoWallet.tsx";

export interface RequireWalletProps {
  /** The chain of the URL, if it names one. */
  chain: string | undefined;
  /** What a wallet is needed for, as a sentence. */
  purpose: string;
  children: (wallet: { account: string; chain: AppChain }) => ReactNode;
}

/**
 * Content for the account of the connected wallet, on the chain of the URL or of the wallet. Without a wallet, or on a
 * chain that the server does not index, it says so instead.
 */
export function RequireWallet({ chain: hexId, purpose, children }: RequireWalletProps) {
  const { t } = useTranslation();
  const { account, chainId, isWeb3Enabled } = useMoralis();
  const settings = useSettings();
  const chain =
    chainByHexId(settings, hexId ?? chainId ?? "") ?? (hexId ? undefined : defaultChain(settings));
  if (!isWeb3Enabled || !account) {
    return <NoWallet title={t("No wallet connected")} purpose={purpose} />;
  }
  if (!chain) {
    return (
      <div className="card">
        <EmptyState title={t("Chain not supported")}>
          {t("This server does not index this chain.")}
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="stack">
      <NetworkBanner chain={chain} />
      <div className="card">{children({ account, chain })}</div>
    </div>
  );
}
