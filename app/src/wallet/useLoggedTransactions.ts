import { useMoralis } from "@purse/react";
import { useSyncExternalStore } from "react";
import { type LoggedTransaction, type TransactionLog, transactionLogOf } from "./transactionLog.ts";
import { useAddress } from "./useAddress.ts";

/** The log of whoever uses the app: by the connected wallet, else by who is signed in. */
export function useTransactionLog(): TransactionLog {
  const { user } = useMoralis();
  const { address } = useAddress();
  return transactionLogOf(address ?? user?.id ?? "nobody");
}

/** What they have sent from this browser, newest first; changes as any of its tabs notes something. */
export function useLoggedTransactions(): readonly LoggedTransaction[] {
  const log = useTransactionLog();
  return useSyncExternalStore(log.subscribe, log.get, log.get);
}
