import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import {
  blockOf,
  type InternalTransferRow,
  indexOf,
  type NftTransferRow,
  POSITIONS_PER_BLOCK,
  positionOf,
  type TradeRow,
} from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import {
  afterCursor,
  blockBounds,
  type IndexPosition,
  listOrder,
  selectColumnarRows,
  unionAll,
} from "./listQuery.ts";
import {
  type Erc20Transfer,
  erc20Transfer,
  type IndexedLog,
  indexedLog,
  internalTransferRow,
  nftTransferRow,
  tradeRow,
} from "./tableRows.ts";
import type { ChainTables } from "./tables.ts";
import {
  addressTopicBytes,
  erc20WalletConditions,
  nftConditions,
  partyConditions,
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
  approvals: Map<number, IndexedLog[]>;
  /** Coins that contracts sent; undefined if they were not requested. */
  internal: Map<number, InternalTransferRow[]> | undefined;
}

type Source = "transactions" | "logs" | "nft_transfers" | "internal_transfers";

interface SourceRows<Row> {
  rows: { row: Row; transaction: number }[];
  /** Whether reading stopped within a transaction that has too many rows. */
  isCut: boolean;
}

/** Rows per read, and max rows of a source per page. */
const BATCH_SIZE = 500;
const MAX_ROWS = 5_000;

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
    const [transactions, transfers, nftTransfers, approvalLogs, internal] = await Promise.all([
      this.#readSource("transactions", partyConditions(wallet), window),
      this.#readSource("logs", erc20WalletConditions(wallet), window),
      this.#readSource("nft_transfers", nftConditions({ wallet, direction: "both" }), window),
      this.#readSource("logs", [ofLogs.and([this.#reader.dialect.isApproval, isByOwner])], window),
      window.withInternal
        ? this.#readSource(
            "internal_transfers",
            partyConditions(wallet).map((condition) => ofInternal.and([condition, movesCoins])),
            window,
          )
        : undefined,
    ]);
    const sources = [transactions, transfers, nftTransfers, approvalLogs, ...(internal ? [internal] : [])];
    const sign = window.ascending ? 1 : -1;
    const all = [...new Set(sources.flatMap(({ rows }) => rows.map(({ transaction }) => transaction)))].sort(
      (a, b) => sign * (a - b),
    );
    // Beyond the last row of a source that was cut, transactions could be missing.
    const ends = sources.flatMap(({ rows, isCut }) => (isCut ? [rows.at(-1)?.transaction ?? 0] : []));
    const isKnown = (position: number) => ends.every((end) => sign * (position - end) < 0);
    const known = all.filter(isKnown);
    const positions = (known.length === 0 ? all.slice(0, 1) : known).slice(0, window.limit);
    const grouped = <Row, Item>({ rows }: SourceRows<Row>, convert: (row: Row) => Item) => {
      const byTransaction = new Map<number, Item[]>();
      for (const { row, transaction } of rows) {
        const items = byTransaction.get(transaction) ?? [];
        items.push(convert(row));
        byTransaction.set(transaction, items);
      }
      return byTransaction;
    };
    return {
      positions,
      hasMore: positions.length < all.length || ends.length > 0,
      erc20: grouped(transfers, erc20Transfer),
      nfts: grouped(nftTransfers, nftTransferRow),
      approvals: grouped(approvalLogs, indexedLog),
      internal: internal && grouped(internal, internalTransferRow),
    };
  }

  /** The sales in transactions, given by their positions, that any of the marketplaces reported. */
  async tradesIn(transactions: readonly number[], marketplaces: readonly string[]): Promise<TradeRow[]> {
    if (transactions.length === 0 || marketplaces.length === 0) return [];
    const rows = await this.#reader.all(
      query
        .selectFrom("trades")
        .selectAll()
        .where(withinTransactions(transactions))
        .where("marketplace", "in", marketplaces.map(toBytes))
        .where(this.#reader.dialect.deadlineCheck),
      "list",
    );
    // SQLite would read all sales to have them in order.
    return rows.map(tradeRow).sort((a, b) => a.position - b.position);
  }

  /** Those of the transactions, given by their positions, that contain a log with one of the topics. */
  async transactionsWithLog(
    transactions: readonly number[],
    topics: readonly string[],
  ): Promise<Set<number>> {
    if (transactions.length === 0) return new Set();
    const rows = await this.#reader.all(
      query
        .selectFrom("logs")
        .select(["position", "transaction_index"])
        .where(withinTransactions(transactions))
        .where("topic0", "in", topics.map(toBytes))
        .where(this.#reader.dialect.deadlineCheck),
      "list",
    );
    return new Set(rows.map(transactionOf));
  }

  /** Reads rows of one table in list order until they belong to more transactions than requested. */
  async #readSource<Table extends Source>(
    table: Table,
    branches: readonly Expression<SqlBool>[],
    window: HistoryWindow,
  ): Promise<SourceRows<ChainTables[Table]>> {
    const found: SourceRows<ChainTables[Table]> = { rows: [], isCut: false };
    const transactions = new Set<number>();
    let after: IndexPosition | undefined;
    while (found.rows.length < MAX_ROWS) {
      const rows = await this.#readBatch(table, branches, window, after);
      for (const row of rows) {
        const transaction = transactionOf(row);
        transactions.add(transaction);
        found.rows.push({ row, transaction });
      }
      const last = rows.at(-1);
      if (rows.length < BATCH_SIZE || !last || transactions.size > window.limit) return found;
      after = { position: last.position, part: "part" in last ? last.part : 0 };
    }
    return { ...found, isCut: true };
  }

  #readBatch<Table extends Source>(
    table: Table,
    branches: readonly Expression<SqlBool>[],
    window: HistoryWindow,
    after: IndexPosition | undefined,
  ): Promise<ChainTables[Table][]> {
    const { deadlineCheck } = this.#reader.dialect;
    const source: Source = table;
    const order = listOrder(table, window);
    const conditions = [
      ...blockBounds(window),
      ...afterCursor(table, { after, ascending: window.ascending }),
      ...afterTransaction(table, window),
    ];
    const pages = branches.map((branch) =>
      query
        .selectFrom(source)
        .selectAll()
        .where((eb) => eb.and([branch, ...conditions, deadlineCheck]))
        .orderBy(order)
        .limit(BATCH_SIZE),
    );
    if (this.#reader.dialect.isColumnar) {
      const wanted = branches.map((branch) => ofLogs.and([branch, ...conditions]));
      const options = { ascending: window.ascending, limit: BATCH_SIZE };
      return this.#reader.all(selectColumnarRows<ChainTables[Table]>(table, wanted, options), "list");
    }
    return this.#reader.all(
      sql<
        ChainTables[Table]
      >`SELECT * FROM (${unionAll(pages)}) AS found ORDER BY ${order} LIMIT ${sql.lit(BATCH_SIZE)}`,
      "list",
    );
  }
}

/** The position of the transaction of a row. */
function transactionOf(row: { position: number; transaction_index?: number }): number {
  return row.transaction_index === undefined
    ? row.position
    : positionOf(blockOf(row.position), row.transaction_index);
}

/** Conditions for rows of the transactions after the cursor. */
function afterTransaction(table: Source, { after, ascending }: HistoryWindow): Expression<SqlBool>[] {
  if (after === undefined) return [];
  if (table === "internal_transfers") return [ofInternal("position", ascending ? ">" : "<", after)];
  if (table === "transactions") return afterCursor(table, { after: { position: after, part: 0 }, ascending });
  const block = positionOf(blockOf(after), 0);
  const next = block + POSITIONS_PER_BLOCK;
  const isInBlock = ascending
    ? ofLogs("transaction_index", ">", indexOf(after))
    : ofLogs("transaction_index", "<", indexOf(after));
  return ascending
    ? [ofLogs("position", ">=", block), ofLogs.or([ofLogs("position", ">=", next), isInBlock])]
    : [ofLogs("position", "<", next), ofLogs.or([ofLogs("position", "<", block), isInBlock])];
}

/** Condition for logs of transactions, given by their positions. */
function withinTransactions(transactions: readonly number[]): Expression<SqlBool> {
  return ofLogs.or(
    transactions.map((transaction) => {
      const block = positionOf(blockOf(transaction), 0);
      return ofLogs("position", ">=", block)
        .and("position", "<", block + POSITIONS_PER_BLOCK)
        .and("transaction_index", "=", indexOf(transaction));
    }),
  );
}
