import { type SqlBool, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import {
  type LogRow,
  type NftTransferRow,
  positionOf,
  type TradeRow,
  type TransactionRow,
} from "../model/rows.ts";
import type { ListTable } from "./tables.ts";
import { addressTopicBytes, type Erc20Selection, type NftTransferSelection } from "./transferConditions.ts";

/** Lists whose lengths the index contains: the rows of a table with the same value in one column, or in two. */
interface CountedList {
  /** Stored in `list_counts`. */
  id: number;
  table: ListTable;
  /** Column of the key; all rows belong to one list without it. */
  key?: string;
  detail?: string;
  where?: string;
}

export const COUNTED_LISTS = {
  transactionsFrom: { id: 1, table: "transactions", key: "from_address" },
  transactionsTo: { id: 2, table: "transactions", key: "to_address", where: "to_address <> from_address" },
  creations: {
    id: 3,
    table: "transactions",
    key: "contract",
    where: "contract <> from_address AND to_address IS NULL",
  },
  logs: { id: 4, table: "logs", key: "address" },
  otherLogs: { id: 5, table: "logs", key: "address", detail: "topic0", where: "erc20 = 0" },
  erc20Of: { id: 6, table: "logs", key: "address", where: "erc20 = 1" },
  erc20From: { id: 7, table: "logs", key: "topic1", where: "erc20 = 1" },
  erc20To: { id: 8, table: "logs", key: "topic2", where: "erc20 = 1 AND topic2 <> topic1" },
  nfts: { id: 9, table: "nft_transfers" },
  nftsFrom: { id: 10, table: "nft_transfers", key: "from_address" },
  nftsTo: { id: 11, table: "nft_transfers", key: "to_address" },
  nftsToOthers: { id: 12, table: "nft_transfers", key: "to_address", where: "to_address <> from_address" },
  nftsOf: { id: 13, table: "nft_transfers", key: "token" },
  nftsOfId: { id: 14, table: "nft_transfers", key: "token", detail: "token_id" },
  trades: { id: 15, table: "trades", key: "token", detail: "marketplace" },
  internalFrom: { id: 16, table: "internal_transfers", key: "from_address" },
  internalTo: { id: 17, table: "internal_transfers", key: "to_address", where: "to_address <> from_address" },
} as const satisfies Record<string, CountedList>;

/** A list whose length the index contains. */
export interface CountKey {
  list: number;
  key: Uint8Array;
  detail: Uint8Array;
}

/** Condition for the rows of `list_counts` of lists. */
export function isOneOf(lists: readonly CountKey[]) {
  return sql.join(
    lists.map(
      ({ list, key, detail }) => sql<SqlBool>`(list = ${list} AND key = ${key} AND detail = ${detail})`,
    ),
    sql` OR `,
  );
}

const EMPTY = new Uint8Array(0);

function countKey(
  list: keyof typeof COUNTED_LISTS,
  key: Uint8Array = EMPTY,
  detail: Uint8Array = EMPTY,
): CountKey {
  return { list: COUNTED_LISTS[list].id, key, detail };
}

/** The lists that `transactionConditions` selects. */
export function transactionCounts(address: string): CountKey[] {
  const key = toBytes(address);
  return [countKey("transactionsFrom", key), countKey("transactionsTo", key), countKey("creations", key)];
}

/** The lists that `partyConditions` selects of internal transfers. */
export function internalCounts(address: string): CountKey[] {
  const key = toBytes(address);
  return [countKey("internalFrom", key), countKey("internalTo", key)];
}

/** The lists that `erc20WalletConditions` or `erc20TokenCondition` selects; undefined if their lengths are not stored. */
export function erc20Counts(selection: Erc20Selection): CountKey[] | undefined {
  if ("token" in selection) return [countKey("erc20Of", toBytes(selection.token))];
  if (selection.tokens) return undefined;
  const topic = addressTopicBytes(selection.wallet);
  return [countKey("erc20From", topic), countKey("erc20To", topic)];
}

/** The lists that `nftConditions` selects; undefined if their lengths are not stored. */
export function nftCounts(selection: NftTransferSelection): CountKey[] | undefined {
  if ("token" in selection && selection.token !== undefined) {
    const token = toBytes(selection.token);
    return [
      selection.tokenId ? countKey("nftsOfId", token, toBytes(selection.tokenId)) : countKey("nftsOf", token),
    ];
  }
  if (!("wallet" in selection) || selection.wallet === undefined) return [countKey("nfts")];
  if (selection.tokens) return undefined;
  const wallet = toBytes(selection.wallet);
  switch (selection.direction) {
    case "from":
      return [countKey("nftsFrom", wallet)];
    case "to":
      return [countKey("nftsTo", wallet)];
    default:
      return [countKey("nftsFrom", wallet), countKey("nftsToOthers", wallet)];
  }
}

/** The list of the sales that contracts reported for a collection. */
export function tradeCounts(token: string, marketplaces: readonly string[]): CountKey[] {
  return marketplaces.map((marketplace) => countKey("trades", toBytes(token), toBytes(marketplace)));
}

/** The list of all logs of a contract. */
export function logCounts(address: string): CountKey[] {
  return [countKey("logs", toBytes(address))];
}

/** The logs of a contract with a topic 0 that are not ERC-20 transfers, and optionally its ERC-20 transfers. */
export function topicCounts(address: string, topic0: string, withTransfers: boolean): CountKey[] {
  const contract = toBytes(address);
  const others = countKey("otherLogs", contract, toBytes(topic0));
  return withTransfers ? [others, countKey("erc20Of", contract)] : [others];
}

/** Parameters of a statement of `listCountChange`. */
export interface CountParameters {
  /** First position, and the one after the last. */
  from: string;
  end: string;
  /** 1 to add the rows, -1 to subtract them. */
  sign: string;
}

/**
 * The statement that adds the rows of a range of positions to the lengths of their lists, or subtracts them, in the
 * transaction that writes the rows. `empty` is a constant of no bytes. With `partitionBlocks`, the lengths are those of
 * partitions of so many blocks.
 */
export function listCountChange(
  { from, end, sign }: CountParameters,
  empty: string,
  partitionBlocks?: number,
): string {
  const key = partitionBlocks === undefined ? "list, key, detail" : "list, key, detail, partition_number";
  const partition =
    partitionBlocks === undefined ? "" : `, position / ${positionOf(partitionBlocks, 0)} AS partition_number`;
  const lists: CountedList[] = Object.values(COUNTED_LISTS);
  const rows = lists.map(({ id, table, key: column, detail, where }) => {
    const conditions = [
      `position >= ${from}`,
      `position < ${end}`,
      ...[column, detail].filter(Boolean).map((each) => `${each} IS NOT NULL`),
      ...(where ? [where] : []),
    ];
    return `SELECT ${id} AS list, ${column ?? empty} AS key, ${detail ?? empty} AS detail${partition} FROM ${table}
      WHERE ${conditions.join(" AND ")}`;
  });
  return `INSERT INTO list_counts (${key}, n)
    SELECT ${key}, ${sign} * count(*) FROM (${rows.join(" UNION ALL ")}) AS counted
    WHERE true GROUP BY ${key}
    ON CONFLICT (${key}) DO UPDATE SET n = list_counts.n + excluded.n`;
}

/** Rows in the order of the chain. */
interface PositionedRows {
  transactions: readonly Pick<TransactionRow, "position">[];
  logs: readonly Pick<LogRow, "position">[];
  nftTransfers: readonly Pick<NftTransferRow, "position">[];
  trades: readonly Pick<TradeRow, "position">[];
}

/** A range of positions that contains all rows; undefined without rows. */
export function positionRange({ transactions, logs, nftTransfers, trades }: PositionedRows) {
  let from = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const rows of [transactions, logs, nftTransfers, trades])
    for (const { position } of rows) {
      from = Math.min(from, position);
      end = Math.max(end, position + 1);
    }
  return end > 0 ? { from, end } : undefined;
}

/** The range of the positions of blocks, both ends included. */
export function blockRange(from: number, to: number) {
  return { from: positionOf(from, 0), end: positionOf(to + 1, 0) };
}
