import { useMoralis } from "@purse/react";
import { useSyncExternalStore } from "react";
import { type LoggedTransaction, type TransactionLog, transactionLogOf } from "./transactionLog.ts";
import { useAddress } from "./useAddress.ts";

/** The transaction log of the connected wallet, otherwise of the signed-in user. */
export function useTransactionLog(): TransactionLog {
  const { user } = useMoralis();
  const { address } = useAddress();
  return transactionLogOf(address ?? user?.id ?? "nobody");
}

/** Transactions sent from this browser, newest first. Updates with changes of all tabs. */
export function useLoggedTransactions(): readonly LoggedTransaction[] {
  const log = useTransactionLog();
  return useSyncExternalStore(log.subscribe, log.get, log.get);
}
