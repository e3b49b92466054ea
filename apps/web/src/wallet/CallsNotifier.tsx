import { useToast, useTranslation } from "@purse/ui";
import { useEffect } from "react";
import type { LoggedTransaction } from "./transactionLog.ts";
import { useCallsOutcome } from "./useCallsOutcome.ts";
import { useTransactionLog } from "./useLoggedTransactions.ts";

/**
 * Waits for calls that were sent together, and replaces them in the log by their transaction, which has notifications of
 * its own; shows a toast for calls that end without one.
 */
export function CallsNotifier({ row }: { row: LoggedTransaction }) {
  const { t } = useTranslation();
  const toast = useToast();
  const log = useTransactionLog();
  const { hash: id } = row.reference;
  // After an error they stay in the log, and the page of the calls shows it.
  const { data: outcome } = useCallsOutcome(id);

  // biome-ignore lint/correctness/useExhaustiveDependencies: notifies once of an outcome.
  useEffect(() => {
    if (!outcome) return;
    if ("hash" in outcome) log.settleCalls(id, outcome.hash);
    else if (log.settleCalls(id)) toast(t(NOTIFICATIONS[outcome.status], { what: row.label }));
  }, [log, id, outcome]);
  return null;
}

const NOTIFICATIONS = {
  confirmed: "{what}: confirmed",
  failed: "{what}: not executed",
  reverted: "{what}: reverted",
  unknown: "{what}: status unknown. Check your wallet.",
} as const;
