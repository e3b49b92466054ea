import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import {
  blockOf,
  type InternalTransferRow,
  indexOf,
  type NftTransferRow,
  POSITIONS_PER_BLOCK,
  positionOf,
  type RawLog,
  type TradeRow,
} from "../model/rows.ts";
import { HistorySource, readTransactions, transactionOf } from "./historySource.ts";
import type { Dialect, IndexReader } from "./indexReader.ts";
import { type IndexPosition, selectPage, selectPositions } from "./listQuery.ts";
import { padValues } from "./padValues.ts";
import {
  type Erc20Transfer,
  erc20Transfer,
  indexedLog,
  internalTransferRow,
  nftTransferRow,
  tradeRow,
} from "./tableRows.ts";
import type { ChainTables, LogsTable, TradesTable } from "./tables.ts";
import {
  addressTopicBytes,
  erc20WalletConditions,
  partyConditions,
  transactionConditions,
} from "./transferConditions.ts";

export interface HistoryWindow {
  /** Both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only transactions after this position in list order. */
  after?: number | undefined;
  ascending: boolean;
  /** Max transactions. */
  limit: number;
  /** Whether to include the coins that contracts sent; the index must contain them. */
  withInternal?: boolean;
}

/** Transactions that concern a wallet, in list order, with their logs that do. */
export interface HistoryRows {
  positions: number[];
  hasMore: boolean;
  erc20: Map<number, Erc20Transfer[]>;
  nfts: Map<number, NftTransferRow[]>;
  /** Logs of approvals by the wallet. */
  approvals: Map<number, RawLog[]>;
  /** Coins that contracts sent; undefined if they were not requested. */
  internal: Map<number, InternalTransferRow[]> | undefined;
}

type HistoryTable = "transactions" | "logs" | "nft_transfers" | "internal_transfers";

const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofInternal = expressionBuilder<ChainTables, "internal_transfers">();
const movesCoins = ofInternal("value", "<>", "0");

/** Reads what happened to wallets from the index of one chain: transactions, transfers and approvals together. */
export class WalletHistoryStore {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  async read(wallet: string, window: HistoryWindow): Promise<HistoryRows> {
    const isByOwner = ofLogs("topic1", "=", addressTopicBytes(wallet));
    const isApproval = ofLogs.and([this.#reader.dialect.isApproval, isByOwner]);
    // Of transactions, only the positions: the rows of those of the page are read afterwards.
    const transactions = new HistorySource((limit, after) => {
      const conditions = transactionConditions(wallet);
      const { branches, options } = pageOf("transactions", conditions, window, limit, after);
      return this.#reader.all(selectPositions(this.#reader, "transactions", branches, options), "list");
    });
    const transfers = this.#source("logs", erc20WalletConditions(wallet), window);
    const nftTransfers = this.#source("nft_transfers", partyConditions(wallet), window);
    const approvalLogs = this.#source("logs", [isApproval], window);
    const internal = window.withInternal
      ? this.#source(
          "internal_transfers",
          // A contract that another one creates can begin without coins.
          partyConditions(wallet).map((condition, i) =>
            ofInternal.and([condition, i === 0 ? movesCoins : movesCoins.or("created", "=", 1)]),
          ),
          window,
        )
      : undefined;
    const sources = [transactions, transfers, nftTransfers, approvalLogs, ...(internal ? [internal] : [])];
    return {
      ...(await readTransactions(sources, window)),
      erc20: transfers.byTransaction(erc20Transfer),
      nfts: nftTransfers.byTransaction(nftTransferRow),
      approvals: approvalLogs.byTransaction(indexedLog),
      internal: internal?.byTransaction(internalTransferRow),
    };
  }

  /** The sales in transactions, given by their positions, that any of the marketplaces reported. */
  async tradesIn(transactions: readonly number[], marketplaces: readonly string[]): Promise<TradeRow[]> {
    if (transactions.length === 0 || marketplaces.length === 0) return [];
    const { source, isWithin } = withinTransactions(this.#reader.dialect, "trades", transactions);
    const rows = await this.#reader.all(
      sql<TradesTable>`SELECT trades.* FROM ${source} WHERE ${isWithin}
        AND marketplace IN (${sql.join(marketplaces.map(toBytes))}) AND ${this.#reader.dialect.deadlineCheck}`,
      "list",
    );
    return rows.map(tradeRow).sort((a, b) => a.position - b.position);
  }

  /** Those of the transactions, given by their positions, that contain a log with one of the topics. */
  async transactionsWithLog(
    transactions: readonly number[],
    topics: readonly string[],
  ): Promise<Set<number>> {
    if (transactions.length === 0) return new Set();
    const { source, isWithin } = withinTransactions(this.#reader.dialect, "logs", transactions);
    const rows = await this.#reader.all(
      sql<Pick<LogsTable, "position" | "transaction_index">>`SELECT position, transaction_index
        FROM ${source} WHERE ${isWithin} AND topic0 IN (${sql.join(topics.map(toBytes))})
        AND ${this.#reader.dialect.deadlineCheck}`,
      "list",
    );
    return new Set(rows.map(transactionOf));
  }

  #source<Table extends HistoryTable>(
    table: Table,
    conditions: readonly Expression<SqlBool>[],
    window: HistoryWindow,
  ): HistorySource<ChainTables[Table]> {
    return new HistorySource((limit, after) => {
      const { branches, options } = pageOf(table, conditions, window, limit, after);
      return this.#reader.all(selectPage(this.#reader, table, branches, options), "list");
    });
  }
}

/** The branches and options of a read of a table: `window.after` is a transaction, `after` a row. */
function pageOf(
  table: HistoryTable,
  conditions: readonly Expression<SqlBool>[],
  window: HistoryWindow,
  limit: number,
  after: IndexPosition | undefined,
) {
  const { fromBlock, toBlock, ascending } = window;
  const windows = afterTransaction(table, window);
  const branches = conditions.flatMap((condition) =>
    windows.map((bounds) => (bounds ? ofLogs.and([condition, bounds]) : condition)),
  );
  return { branches, options: { fromBlock, toBlock, ascending, after, limit, offset: 0 } };
}

/**
 * Conditions without overlap for rows of the transactions after the cursor: those of its block apart, because only they
 * need a column that the database indexes of lists do not have.
 */
function afterTransaction(
  table: HistoryTable,
  { after, ascending }: HistoryWindow,
): (Expression<SqlBool> | undefined)[] {
  if (after === undefined) return [undefined];
  if (table === "internal_transfers" || table === "transactions")
    return [ofLogs("position", ascending ? ">" : "<", after)];
  const block = positionOf(blockOf(after), 0);
  const next = block + POSITIONS_PER_BLOCK;
  return [
    ofLogs.and([
      ofLogs("position", ">=", block),
      ofLogs("position", "<", next),
      ofLogs("transaction_index", ascending ? ">" : "<", indexOf(after)),
    ]),
    ascending ? ofLogs("position", ">=", next) : ofLogs("position", "<", block),
  ];
}

/**
 * The rows of a table within transactions, given by their positions. Each block is read once, by a join with the list of
 * blocks: of a condition for each transaction, PostgreSQL would make a scan for each.
 */
function withinTransactions(
  { isColumnar, integer }: Dialect,
  table: "logs" | "trades",
  transactions: readonly number[],
): { source: RawBuilder<unknown>; isWithin: Expression<SqlBool> } {
  const blocks = [...new Set(transactions.map((transaction) => positionOf(blockOf(transaction), 0)))];
  if (isColumnar) {
    // A set of blocks: ClickHouse plans a disjunction of as many ranges several times slower.
    const block = sql`intDiv(position, ${sql.lit(POSITIONS_PER_BLOCK)})`;
    const isWithin = sql<SqlBool>`${block} IN (${sql.join(padValues(blocks.map(blockOf)))})
      AND ${block} * ${sql.lit(POSITIONS_PER_BLOCK)} + transaction_index IN (${sql.join(padValues(transactions))})`;
    return { source: sql.table(table), isWithin };
  }
  const starts = padValues(blocks).map((block) => sql`(CAST(${block} AS ${integer}))`);
  const wanted = sql.join(padValues(transactions));
  return {
    source: sql`(SELECT DISTINCT column1 AS start FROM (VALUES ${sql.join(starts)}) AS listed) AS blocks_read
      CROSS JOIN ${sql.table(table)}`,
    isWithin: sql`position >= start AND position < start + ${sql.lit(POSITIONS_PER_BLOCK)}
      AND start + transaction_index IN (${wanted})`,
  };
}
