import type { TransactionReference } from "@purse/client";
import { type TransactionView, useMoralis, useTransaction } from "@purse/react";
import { useEffect } from "react";
import { useToast } from "../design/Toasts.tsx";
import { useSettings } from "../SettingsContext.tsx";
import { chainByHexId } from "../settings.ts";
import { useTexts } from "../texts/TextsContext.tsx";
import type { Outcome } from "./transactionLog.ts";
import { useTransactionLog } from "./useLoggedTransactions.ts";

/** Follows a transaction, notes where it is for all tabs, and says it where it changes. */
export function useFollowed(reference: TransactionReference): TransactionView {
  const settings = useSettings();
  const { chainId } = useMoralis();
  const { t } = useTexts();
  const toast = useToast();
  const transactionLog = useTransactionLog();
  const chain = reference.chainId === null ? settings.chains[0] : chainByHexId(settings, reference.chainId);
  const view = useTransaction(reference, { rpcUrl: chain?.rpcUrl ?? null });
  const { status, confirmations } = view;
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once for each state.
  useEffect(() => {
    if (status === "unknown") return;
    const isNew = transactionLog.note(reference.hash, status, confirmations);
    const label = transactionLog.find(reference.hash)?.label;
    const said = SAID[status];
    if (isNew && said && label && document.visibilityState === "visible") toast(t(said, { what: label }));
  }, [status, confirmations, reference.hash, chainId]);
  return view;
}

const SAID: Partial<Record<Outcome, string>> = {
  seen: "{what}: seen by the network",
  confirmed: "{what}: confirmed",
  reverted: "{what}: the contract has refused it",
  replaced: "{what}: another transaction has taken its place",
  dropped: "{what}: the network has forgotten it",
};
