import { waitForCalls } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useToast, useTranslation } from "@purse/ui";
import { useEffect } from "react";
import { type CallsOutcome, callsOutcome } from "./callsOutcome.ts";
import type { LoggedTransaction } from "./transactionLog.ts";
import { useTransactionLog } from "./useLoggedTransactions.ts";

/**
 * Waits for calls that were sent together, and replaces them in the log by their transaction, which has notifications of
 * its own; shows a toast for calls that end without one.
 */
export function CallsNotifier({ row }: { row: LoggedTransaction }) {
  const { t } = useTranslation();
  const toast = useToast();
  const log = useTransactionLog();
  const { isWeb3Enabled } = useMoralis();
  const { hash: id } = row.reference;

  function settle(outcome: CallsOutcome): void {
    if ("hash" in outcome) log.settleCalls(id, outcome.hash);
    else if (log.settleCalls(id)) toast(t(NOTIFICATIONS[outcome.status], { what: row.label }));
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: waits once for the calls of each ID.
  useEffect(() => {
    if (!isWeb3Enabled) return undefined;
    const controller = new AbortController();
    waitForCalls(id, { signal: controller.signal }).then(
      (status) => settle(callsOutcome(status)),
      // They stay in the log, and the page of the calls shows the error.
      () => undefined,
    );
    return () => controller.abort();
  }, [log, id, isWeb3Enabled]);
  return null;
}

const NOTIFICATIONS = {
  confirmed: "{what}: confirmed",
  failed: "{what}: not executed",
  reverted: "{what}: reverted",
  unknown: "{what}: status unknown. Check your wallet.",
} as const;
