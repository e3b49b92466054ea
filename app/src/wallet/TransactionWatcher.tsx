import type { TransactionReference } from "@purse/client";
import { isSettled } from "./transactionLog.ts";
import { useFollowed } from "./useFollowed.ts";
import { useLoggedTransactions } from "./useLoggedTransactions.ts";

const DAY_MS = 86_400_000;
/** More at once would ask the node too often. */
const MOST = 3;

/** Follows what is under way, whichever page is open, also after a reload. */
export function TransactionWatcher() {
  const rows = useLoggedTransactions();
  const open = rows.filter((row) => !isSettled(row) && Date.now() - row.sentAt < DAY_MS).slice(0, MOST);
  return open.map(({ reference }) => <Watched key={reference.hash} reference={reference} />);
}

function Watched({ reference }: { reference: TransactionReference }) {
  useFollowed(reference);
  return null;
}
