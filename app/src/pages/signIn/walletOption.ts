import type { EnableOptions } from "@purse/client";
import type { LucideIcon } from "lucide-react";

/** A wallet that somebody has chosen, and how to ask it. */
export interface WalletOption {
  id: string;
  name: string;
  /** What to do while it is waited for. */
  hint: string;
  /** A data URI, or a sign of ours. */
  icon?: string | LucideIcon;
  /** Whether it may be on another device: it takes a link, as a code to scan or to open. */
  usesLink?: boolean;
  options: EnableOptions;
}
