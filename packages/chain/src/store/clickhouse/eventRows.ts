import type { BlockRows } from "../../model/rows.ts";
import type { SqlValue } from "../indexQuery.ts";
import {
  feeValues,
  internalValues,
  logValues,
  nftTransferValues,
  tradeValues,
  transactionValues,
} from "../rowValues.ts";
import type { EventTable } from "../schema.ts";

/** The events of blocks as rows of the tables, with the values in the order of the columns. */
export function eventRows({
  transactions,
  logs,
  nftTransfers,
  trades,
  internalTransfers = [],
}: BlockRows): Record<EventTable, SqlValue[][]> {
  return {
    transactions: transactions.map(transactionValues),
    transaction_fees: transactions.flatMap(({ position, fees }) => (fees ? [feeValues(position, fees)] : [])),
    logs: logs.map(logValues),
    nft_transfers: nftTransfers.map(nftTransferValues),
    trades: trades.map(tradeValues),
    internal_transfers: internalTransfers.map(internalValues),
  };
}
