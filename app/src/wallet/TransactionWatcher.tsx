import { useEffect } from "react";
import { useToast } from "../design/Toasts.tsx";
import { useTexts } from "../texts/TextsContext.tsx";
import { isSettled, type LoggedTransaction, type TransactionStatus } from "./transactionLog.ts";
import { useFollowedTransaction } from "./useFollowedTransaction.ts";
import { useLoggedTransactions, useTransactionLog } from "./useLoggedTransactions.ts";

const DAY_MS = 86_400_000;
/** More at once would ask the node too often. */
const MAX_FOLLOWED = 3;

/** Follows what is under way, whichever page is open, also after a reload, and announces what becomes of it. */
export function TransactionWatcher() {
  const rows = useLoggedTransactions();
  const open = rows.filter((row) => !isSettled(row) && Date.now() - row.sentAt < DAY_MS);
  // What is not in a block yet comes before what only gathers confirmations.
  const followed = open.sort((a, b) => a.confirmations - b.confirmations).slice(0, MAX_FOLLOWED);
  return followed.map((row) => <Watched key={row.reference.hash} row={row} />);
}

function Watched({ row }: { row: LoggedTransaction }) {
  const { t } = useTexts();
  const toast = useToast();
  const log = useTransactionLog();
  const { status } = useFollowedTransaction(row.reference);
  const { hash } = row.reference;
  const sentence = status === "unknown" ? undefined : ANNOUNCEMENTS[status];
  // biome-ignore lint/correctness/useExhaustiveDependencies: announced when the status changes, in the words of then.
  useEffect(() => {
    if (status === "unknown" || sentence === undefined) return undefined;
    const announce = async () => {
      // Nobody sees a toast in a hidden tab; the claim stays open for a visible one.
      if (document.visibilityState !== "visible") return;
      if (await log.claimAnnouncement(hash, status)) toast(t(sentence, { what: row.label }));
    };
    void announce();
    document.addEventListener("visibilitychange", announce);
    return () => document.removeEventListener("visibilitychange", announce);
  }, [log, hash, status]);
  return null;
}

const ANNOUNCEMENTS: Partial<Record<TransactionStatus, string>> = {
  seen: "{what}: seen by the network",
  confirmed: "{what}: confirmed",
  reverted: "{what}: the contract has refused it",
  replaced: "{what}: another transaction has taken its place",
  dropped: "{what}: the network has forgotten it",
};
