import { useSyncExternalStore } from "react";
import { type LoggedTransaction, transactionLog } from "./transactionLog.ts";

/** What this browser has sent, newest first; changes as any of its tabs notes something. */
export function useLoggedTransactions(): readonly LoggedTransaction[] {
  return useSyncExternalStore(transactionLog.subscribe, transactionLog.get, transactionLog.get);
}
