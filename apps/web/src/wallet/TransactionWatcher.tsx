import { useToast, useTranslation } from "@purse/ui";
import { useEffect } from "react";
import { CallsNotifier } from "./CallsNotifier.tsx";
import { isSettled, type LoggedStatus, type LoggedTransaction } from "./transactionLog.ts";
import { useLoggedTransactions, useTransactionLog } from "./useLoggedTransactions.ts";
import { useTrackedTransaction } from "./useTrackedTransaction.ts";

const DAY_MS = 86_400_000;
/** Limits the number of node requests. */
const MAX_TRACKED = 3;

/** Tracks pending transactions on every page, also after a reload, and shows a toast for each status change. */
export function TransactionWatcher() {
  const rows = useLoggedTransactions();
  const open = rows.filter((row) => !isSettled(row) && Date.now() - row.sentAt < DAY_MS);
  // Transactions without a block come before those that gather confirmations.
  const tracked = open.sort((a, b) => a.confirmations - b.confirmations).slice(0, MAX_TRACKED);
  return tracked.map((row) =>
    row.isCalls ? (
      <CallsNotifier key={row.reference.hash} row={row} />
    ) : (
      <TransactionNotifier key={row.reference.hash} row={row} />
    ),
  );
}

function TransactionNotifier({ row }: { row: LoggedTransaction }) {
  const { t } = useTranslation();
  const toast = useToast();
  const log = useTransactionLog();
  const { status } = useTrackedTransaction(row.reference);
  const { hash } = row.reference;
  // biome-ignore lint/correctness/useExhaustiveDependencies: notifies only when the status changes.
  useEffect(() => {
    if (status === "unknown" || NOTIFICATIONS[status] === undefined) return undefined;
    const notify = async () => {
      // Hidden tabs show no toast, so a visible one can reserve the notification.
      if (document.visibilityState !== "visible") return;
      if (await log.reserveNotification(hash, status))
        toast(t(NOTIFICATIONS[status] ?? "", { what: row.label }));
    };
    void notify();
    document.addEventListener("visibilitychange", notify);
    return () => document.removeEventListener("visibilitychange", notify);
  }, [log, hash, status]);
  return null;
}

const NOTIFICATIONS: Partial<Record<LoggedStatus, string>> = {
  seen: "{what}: in mempool",
  confirmed: "{what}: confirmed",
  reverted: "{what}: reverted",
  replaced: "{what}: replaced",
  dropped: "{what}: dropped",
};
