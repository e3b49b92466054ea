import type { NftTransferRow, RawLog } from "../../model/rows.ts";
import { addressOf, isAddressTopic, TRANSFER_TOPIC } from "../../model/topics.ts";
import type { TransferIndex } from "./transferIndex.ts";

/** A payment in an ERC-20 token. */
interface Payment {
  position: number;
  token: string;
  from: string;
  to: string;
  amount: bigint;
}

/** What a transaction contains besides the log of a sale, for marketplaces whose logs do not say everything. */
export interface TransactionContext {
  transfers: TransferIndex;
  /** The payments after a log position and before another one. */
  paymentsBetween(after: number, before: number): readonly Payment[];
}

/** `logs` are all logs of the transaction, in order. */
export function transactionContext(logs: readonly RawLog[], transfers: TransferIndex): TransactionContext {
  let payments: readonly Payment[] | undefined;
  return {
    transfers,
    paymentsBetween(after, before) {
      payments ??= logs.flatMap((log) => paymentOf(log) ?? []);
      return payments.filter(({ position }) => position > after && position < before);
    },
  };
}

function paymentOf({ position, address, topics, data }: RawLog): Payment | undefined {
  const [topic, from, to] = topics;
  if (topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 66) return undefined;
  if (!isAddressTopic(from) || !isAddressTopic(to)) return undefined;
  return { position, token: address, from: addressOf(from), to: addressOf(to), amount: BigInt(data) };
}

/** The decimal ids of transfers of one collection, each once; undefined if there are several collections or none. */
export function tokensOf(
  transfers: readonly NftTransferRow[],
): { token: string; tokenIds: string[] } | undefined {
  const [first] = transfers;
  if (!first || transfers.some(({ token }) => token !== first.token)) return undefined;
  return {
    token: first.token,
    tokenIds: [...new Set(transfers.map(({ tokenId }) => BigInt(tokenId).toString()))],
  };
}
