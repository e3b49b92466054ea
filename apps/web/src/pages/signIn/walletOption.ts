import type { EnableOptions, InjectedWallet } from "@purse/client";
import type { LucideIcon } from "lucide-react";

/** A wallet that can be connected. */
export interface WalletOption {
  id: string;
  name: string;
  /** The hint shown while waiting. */
  hint: string;
  /** A data URI or a Lucide icon. */
  icon?: string | LucideIcon;
  /** Whether it is connected by a link, scanned as a QR code or opened on this device. */
  usesLink?: boolean;
  options: EnableOptions;
}

export const WINDOW_HINT = "Open the wallet and approve the connection.";

export function installedWalletOption({ rdns, name, icon }: InjectedWallet): WalletOption {
  return { id: rdns, name, icon, hint: WINDOW_HINT, options: { provider: "injected", rdns } };
}
