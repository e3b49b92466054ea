import { toBytes, toHex } from "../model/hexBytes.ts";
import {
  type BlockRow,
  blockOf,
  type LogRow,
  type NftTransferRow,
  POSITIONS_PER_BLOCK,
  positionOf,
  type TradeRow,
  type TransactionRow,
} from "../model/rows.ts";
import type { TokenMetadata } from "../model/tokens.ts";
import { DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import { Erc20Balances } from "./erc20Balances.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import type { WatchedWallet } from "./indexWriter.ts";
import { NftBalances } from "./nftBalances.ts";
import { NftMetadataStore } from "./nftMetadata.ts";
import { openReader } from "./openReader.ts";
import { padValues, placeholders } from "./placeholders.ts";
import type { QueryResult } from "./queryResult.ts";
import type {
  BlocksTable,
  FactsTable,
  LogsTable,
  NftTransfersTable,
  TokensTable,
  TradesTable,
  TransactionsTable,
  WatchedTable,
} from "./schema.ts";
import {
  blockRow,
  type Erc20Transfer,
  erc20Transfer,
  type IndexedLog,
  indexedLog,
  nftTransferRow,
  tokenMetadata,
  tradeRow,
  transactionRow,
  watchedWallet,
} from "./tableRows.ts";
import {
  blockBoundsCondition,
  cursorCondition,
  erc20TokenBranch,
  erc20WalletBranches,
  type ListOptions,
  type NftTransferSelection,
  nftBranches,
  type UnionBranch,
} from "./unionBranches.ts";

/** Queries the index of one chain. */
export class ChainStore {
  readonly #reader: IndexReader;
  /** Metadata of NFTs. */
  readonly metadata: NftMetadataStore;
  /** Balances of NFTs. */
  readonly nftBalances: NftBalances;
  /** Balances of ERC-20 tokens, computed from transfers. */
  readonly erc20Balances: Erc20Balances;

  constructor(reader: IndexReader) {
    this.#reader = reader;
    this.metadata = new NftMetadataStore(reader);
    this.nftBalances = new NftBalances(reader);
    this.erc20Balances = new Erc20Balances(reader);
  }

  /** For the indexer: without limits, in the caller's thread. */
  static async open(location: IndexLocation, connections?: number): Promise<ChainStore> {
    return new ChainStore(await openReader(location, connections));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async properties(): Promise<Map<string, string>> {
    const rows = await this.#reader.all<FactsTable>("SELECT key, value FROM facts", []);
    return new Map(rows.map(({ key, value }) => [key, value]));
  }

  /** The latest indexed block, after which indexing continues. */
  async checkpoint(): Promise<BlockRow | undefined> {
    return this.#block("ORDER BY number DESC LIMIT 1", []);
  }

  /** The oldest indexed block. */
  async firstBlock(): Promise<BlockRow | undefined> {
    return this.#block("ORDER BY number LIMIT 1", []);
  }

  async block(number: number): Promise<BlockRow | undefined> {
    return this.#block("WHERE number = ?", [number]);
  }

  /** The blocks up to a number, in descending order. */
  async blocksDownFrom(number: number, limit: number): Promise<BlockRow[]> {
    const text = "SELECT * FROM blocks WHERE number <= ? ORDER BY number DESC LIMIT ?";
    return (await this.#reader.all<BlocksTable>(text, [number, limit])).map(blockRow);
  }

  async blocks(numbers: Iterable<number>): Promise<Map<number, BlockRow>> {
    const unique = [...new Set(numbers)];
    if (unique.length === 0) return new Map();
    const rows = await this.#reader.all<BlocksTable>(
      `SELECT * FROM blocks WHERE number IN (${placeholders(unique.length)})`,
      padValues(unique),
    );
    return new Map(rows.map((row) => [row.number, blockRow(row)]));
  }

  /** The latest block at or before a time (seconds since the epoch). */
  async blockBefore(time: number): Promise<BlockRow | undefined> {
    return this.#block("WHERE timestamp <= ? ORDER BY timestamp DESC, number DESC LIMIT 1", [time]);
  }

  /** The first block at or after a time (seconds since the epoch). */
  async blockAfter(time: number): Promise<BlockRow | undefined> {
    return this.#block("WHERE timestamp >= ? ORDER BY timestamp, number LIMIT 1", [time]);
  }

  /** Transactions from or to an address. */
  async transactions(address: string, window: ListOptions): Promise<QueryResult<TransactionRow>> {
    const addressBytes = toBytes(address);
    const branches = [
      { where: "from_address = ?", values: [addressBytes] },
      // Transactions to the same address are counted once.
      { where: "to_address = ? AND from_address <> ?", values: [addressBytes, addressBytes] },
    ];
    const { rows, total } = await this.#list<TransactionsTable>("transactions", branches, window, false);
    return { rows: rows.map(transactionRow), total };
  }

  /** By position in the chain; missing ones are omitted. */
  async transactionsAt(positions: number[]): Promise<Map<number, TransactionRow>> {
    if (positions.length === 0) return new Map();
    const rows = await this.#reader.all<TransactionsTable>(
      `SELECT * FROM transactions WHERE position IN (${placeholders(positions.length)})`,
      padValues(positions),
    );
    return new Map(rows.map((row) => [row.position, transactionRow(row)]));
  }

  /** Logs of a contract; `topics` filters by topic index, undefined matches any. */
  async logs(
    address: string,
    topics: (string | undefined)[],
    window: ListOptions,
  ): Promise<QueryResult<IndexedLog>> {
    const values: SqlValue[] = [toBytes(address)];
    const conditions = topics.flatMap((topic, i) => {
      if (topic === undefined) return [];
      values.push(toBytes(topic));
      return [` AND topic${i} = ?`];
    });
    // Logs of other events are found by an index on their topic, regardless of the number of transfers.
    const [topic] = topics;
    const isNotErc20 = topic !== undefined && !ERC20_TOPICS.has(topic);
    const branches = [
      { where: `address = ?${conditions.join("")}${isNotErc20 ? " AND erc20 = 0" : ""}`, values },
    ];
    const { rows, total } = await this.#list<LogsTable>("logs", branches, window, false);
    return { rows: rows.map(indexedLog), total };
  }

  /**
   * The last block up to which at most `logs` logs follow `from` (at least `from` itself); undefined if that covers
   * all.
   */
  async lastBlockWithinLogLimit(from: number, logs: number): Promise<number | undefined> {
    const [row] = await this.#reader.all<{ position: number }>(
      "SELECT position FROM logs WHERE position >= ? ORDER BY position LIMIT 1 OFFSET ?",
      [positionOf(from, 0), logs],
    );
    return row && Math.max(from, blockOf(row.position) - 1);
  }

  /** The logs of blocks, both ends included, in log order, with the senders of their transactions. */
  async blockContents(
    from: number,
    to: number,
  ): Promise<{ logs: LogRow[]; transactions: { hash: string; from: string }[] }> {
    const bounds = [positionOf(from, 0), positionOf(to + 1, 0)];
    const [logs, transactions] = await Promise.all([
      this.#reader.all<LogsTable>(
        "SELECT * FROM logs WHERE position >= ? AND position < ? ORDER BY position",
        bounds,
      ),
      this.#reader.all<Pick<TransactionsTable, "hash" | "from_address">>(
        "SELECT hash, from_address FROM transactions WHERE position >= ? AND position < ?",
        bounds,
      ),
    ]);
    return {
      logs: logs.map((row) => ({ ...indexedLog(row), isErc20: row.erc20 === 1 })),
      transactions: transactions.map((row) => ({ hash: toHex(row.hash), from: toHex(row.from_address) })),
    };
  }

  /** Transfers from and to a wallet, or of a token. */
  async erc20Transfers(
    selection: { wallet: string } | { token: string },
    window: ListOptions,
  ): Promise<QueryResult<Erc20Transfer>> {
    const branches =
      "token" in selection ? [erc20TokenBranch(selection.token)] : erc20WalletBranches(selection.wallet);
    const { rows, total } = await this.#list<LogsTable>("logs", branches, window, false);
    return { rows: rows.map(erc20Transfer), total };
  }

  async nftTransfers(
    selection: NftTransferSelection,
    window: ListOptions,
  ): Promise<QueryResult<NftTransferRow>> {
    const { rows, total } = await this.#list<NftTransfersTable>(
      "nft_transfers",
      nftBranches(selection),
      window,
      true,
    );
    return { rows: rows.map(nftTransferRow), total };
  }

  /** The sales of a collection that any of the marketplaces reported. */
  async trades(
    token: string,
    marketplaces: readonly string[],
    window: ListOptions,
  ): Promise<QueryResult<TradeRow>> {
    const branches = marketplaces.map((marketplace) => ({
      where: "token = ? AND marketplace = ?",
      values: [toBytes(token), toBytes(marketplace)],
    }));
    if (branches.length === 0) return { rows: [], total: 0 };
    const { rows, total } = await this.#list<TradesTable>("trades", branches, window, false);
    return { rows: rows.map(tradeRow), total };
  }

  /** The lowest sale price paid in the native coin since a block; the latest of several. */
  async lowestTrade(
    token: string,
    marketplaces: readonly string[],
    fromBlock: number,
  ): Promise<TradeRow | undefined> {
    if (marketplaces.length === 0) return undefined;
    const [row] = await this.#reader.all<TradesTable>(
      `SELECT * FROM trades WHERE token = ? AND marketplace IN (${placeholders(marketplaces.length)})
         AND position >= ? AND price_token IS NULL${this.#reader.dialect.deadlineCheck}
         ORDER BY price, position DESC LIMIT 1`,
      [toBytes(token), ...padValues(marketplaces.map(toBytes)), positionOf(fromBlock, 0)],
      "list",
    );
    return row && tradeRow(row);
  }

  /**
   * Returns rows after a cursor up to the end of a block, with their blocks; undefined if one of the two blocks is
   * not in the index. A single statement, so that all rows are from the same snapshot.
   */
  async selectEvents<Row extends { position: number; part: number }>(
    { columns, table, branches }: EventQuery<Row>,
    after: { position: number; part: number; block: { number: number; hash: string } } | undefined,
    upTo: { number: number; hash: string },
    limit: number,
  ): Promise<{ row: Row; hash: string; timestamp: number }[] | undefined> {
    const isBatched = table === "nft_transfers";
    const bounds = blockBoundsCondition({ toBlock: upTo.number, offset: 0, limit });
    const cursor = cursorCondition({ after, ascending: true, offset: 0, limit }, isBatched);
    const order = isBatched ? "position, part" : "position";
    const branchSelects = branches.map(
      ({ where }) =>
        `SELECT * FROM (SELECT ${columns} FROM ${table} WHERE ${where}${bounds.text}${cursor.text}${this.#reader.dialect.deadlineCheck} ORDER BY ${order} LIMIT ?) AS branch`,
    );
    const afterExists = after ? " AND EXISTS (SELECT 1 FROM blocks c WHERE c.number = ? AND c.hash = ?)" : "";
    const rows = await this.#reader.all<EventRow & Row>(
      `SELECT found.*, b.hash AS block_hash, b.timestamp AS block_timestamp FROM blocks t
       LEFT JOIN (SELECT * FROM (${branchSelects.join(" UNION ALL ")}) AS branches ORDER BY position, part LIMIT ?) AS found ON TRUE
       LEFT JOIN blocks b ON b.number = found.position / ${POSITIONS_PER_BLOCK}
       WHERE t.number = ? AND t.hash = ?${afterExists} ORDER BY found.position, found.part`,
      [
        ...branches.flatMap(({ values }) => [...values, ...bounds.values, ...cursor.values, limit]),
        limit,
        upTo.number,
        toBytes(upTo.hash),
        ...(after ? [after.block.number, toBytes(after.block.hash)] : []),
      ],
      "list",
    );
    if (rows.length === 0) return undefined;
    return rows.flatMap((row) => {
      const { block_hash: hash, block_timestamp: timestamp } = row;
      return hash && timestamp !== null ? [{ row, hash: toHex(hash), timestamp }] : [];
    });
  }

  /** Metadata of tokens; those without are omitted. */
  async tokenMetadata(addresses: string[]): Promise<Map<string, TokenMetadata>> {
    if (addresses.length === 0) return new Map();
    const rows = await this.#reader.all<TokensTable>(
      `SELECT * FROM tokens WHERE known = 1 AND address IN (${placeholders(addresses.length)})`,
      padValues(addresses.map(toBytes)),
    );
    return new Map(rows.map((row) => [toHex(row.address), tokenMetadata(row)]));
  }

  /** ERC-20 tokens with one of the symbols, case-insensitive. */
  async tokensBySymbol(symbols: string[], limit: number): Promise<TokenMetadata[]> {
    if (symbols.length === 0) return [];
    const rows = await this.#reader.all<TokensTable>(
      `SELECT * FROM tokens WHERE standard = 20 AND lower(symbol) IN (${placeholders(symbols.length)}) ORDER BY position, address LIMIT ?`,
      [...padValues(symbols.map((symbol) => symbol.toLowerCase())), limit],
      "list",
    );
    return rows.map(tokenMetadata);
  }

  /** Tokens whose metadata has not been read yet. */
  async tokensWithoutMetadata(limit: number): Promise<{ address: string; standard: number }[]> {
    const rows = await this.#reader.all<TokensTable>(
      "SELECT * FROM tokens WHERE known = 0 ORDER BY address LIMIT ?",
      [limit],
    );
    return rows.map(({ address, standard }) => ({ address: toHex(address), standard }));
  }

  /** Watched wallets whose history down to `start` is incomplete. */
  async unfinishedWallets(start: number): Promise<WatchedWallet[]> {
    const rows = await this.#reader.all<WatchedTable>(
      "SELECT * FROM watched WHERE next >= ? ORDER BY next DESC LIMIT 1000",
      [start],
    );
    return rows.map(watchedWallet);
  }

  /** Some watched wallets; those with the least indexed history first. */
  async listWatchedWallets(limit: number): Promise<WatchedWallet[]> {
    const rows = await this.#reader.all<WatchedTable>(
      "SELECT * FROM watched ORDER BY next DESC, address LIMIT ?",
      [limit],
    );
    return rows.map(watchedWallet);
  }

  async countWatchedWallets(): Promise<number> {
    const [row] = await this.#reader.all<{ count: number }>(
      `SELECT count(*) AS count FROM watched WHERE TRUE${this.#reader.dialect.deadlineCheck}`,
      [],
      "list",
    );
    return Number(row?.count ?? 0);
  }

  async watchedWallets(addresses?: string[]): Promise<WatchedWallet[]> {
    if (addresses?.length === 0) return [];
    const where = addresses ? `WHERE address IN (${placeholders(addresses.length)})` : "";
    const rows = await this.#reader.all<WatchedTable>(
      `SELECT * FROM watched ${where}`,
      addresses ? padValues(addresses.map(toBytes)) : [],
    );
    return rows.map(watchedWallet);
  }

  async #block(clause: string, values: SqlValue[]): Promise<BlockRow | undefined> {
    const [row] = await this.#reader.all<BlocksTable>(`SELECT * FROM blocks ${clause}`, values);
    return row && blockRow(row);
  }

  /**
   * Queries the union of branches, which must not overlap. Each branch is read in order from its own database index.
   */
  async #list<Row>(
    table: string,
    branches: UnionBranch[],
    window: ListOptions,
    isBatched: boolean,
  ): Promise<QueryResult<Row>> {
    const { deadlineCheck } = this.#reader.dialect;
    const bounds = blockBoundsCondition(window);
    const cursor = cursorCondition(window, isBatched);
    const direction = window.ascending ? "ASC" : "DESC";
    const order = isBatched ? `position ${direction}, part ${direction}` : `position ${direction}`;
    const { limit, offset } = window;
    const branchSelects = branches.map(
      ({ where }) =>
        `SELECT * FROM (SELECT * FROM ${table} WHERE ${where}${bounds.text}${cursor.text}${deadlineCheck} ORDER BY ${order} LIMIT ?) AS branch`,
    );
    const values = branches.flatMap((branch) => [
      ...branch.values,
      ...bounds.values,
      ...cursor.values,
      limit + offset,
    ]);
    const counts = branches.map(
      ({ where }) => `(SELECT count(*) FROM ${table} WHERE ${where}${bounds.text}${deadlineCheck})`,
    );
    const [rows, [count]] = await Promise.all([
      limit === 0
        ? []
        : this.#reader.all<Row>(
            `SELECT * FROM (${branchSelects.join(" UNION ALL ")}) AS found ORDER BY ${order} LIMIT ? OFFSET ?`,
            [...values, limit, offset],
            "list",
          ),
      this.#reader.all<{ n: number }>(
        `SELECT ${counts.join(" + ")} AS n`,
        branches.flatMap((branch) => [...branch.values, ...bounds.values]),
        "list",
      ),
    ]);
    return { rows, total: count?.n ?? 0 };
  }
}

/** Topics of events that can be ERC-20 transfers. */
const ERC20_TOPICS: ReadonlySet<string> = new Set([TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);

/** A query for rows of one table; the branches must not overlap. */
export interface EventQuery<Row> {
  columns: string;
  table: string;
  branches: UnionBranch[];
  fields(row: Row): unknown;
}

interface EventRow {
  /** null if no row was found. */
  block_hash: Uint8Array | null;
  block_timestamp: number | null;
}
