import type { TransactionReference } from "@purse/client";
import { type TransactionView, useTransaction } from "@purse/react";
import { useEffect } from "react";
import { useSettings } from "../SettingsContext.tsx";
import { chainByHexId } from "../settings.ts";
import { useTransactionLog } from "./useLoggedTransactions.ts";

/** Tracks a transaction and stores its status in the log that all tabs share. */
export function useTrackedTransaction(reference: TransactionReference): TransactionView {
  const settings = useSettings();
  const log = useTransactionLog();
  const chain = reference.chainId === null ? settings.chains[0] : chainByHexId(settings, reference.chainId);
  const view = useTransaction(reference, { rpcUrl: chain?.rpcUrl ?? null });
  const { status, confirmations } = view;
  useEffect(() => {
    if (status !== "unknown") log.observe(reference.hash, status, confirmations);
  }, [log, status, confirmations, reference.hash]);
  return view;
}
