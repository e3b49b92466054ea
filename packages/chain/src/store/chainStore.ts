import { type AliasedExpression, type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
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
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import type { WatchedWallet } from "./indexWriter.ts";
import {
  afterCursor,
  blockBounds,
  type ListOptions,
  type ListTable,
  listOrder,
  readList,
  unionAll,
} from "./listQuery.ts";
import { NftBalances } from "./nftBalances.ts";
import { NftMetadataStore } from "./nftMetadata.ts";
import { openReader } from "./openReader.ts";
import { padValues } from "./padValues.ts";
import type { QueryResult } from "./queryResult.ts";
import type { ChainTables } from "./schema.ts";
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
  erc20TokenCondition,
  erc20WalletConditions,
  type NftTransferSelection,
  nftConditions,
  partyConditions,
} from "./transferConditions.ts";

const blocks = query.selectFrom("blocks").selectAll();
const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofTrades = expressionBuilder<ChainTables, "trades">();

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
    const rows = await this.#reader.all(query.selectFrom("facts").selectAll());
    return new Map(rows.map(({ key, value }) => [key, value]));
  }

  /** The latest indexed block, after which indexing continues. */
  async checkpoint(): Promise<BlockRow | undefined> {
    return this.#block(blocks.orderBy("number", "desc"));
  }

  /** The oldest indexed block. */
  async firstBlock(): Promise<BlockRow | undefined> {
    return this.#block(blocks.orderBy("number"));
  }

  async block(number: number): Promise<BlockRow | undefined> {
    return this.#block(blocks.where("number", "=", number));
  }

  /** The blocks up to a number, in descending order. */
  async blocksDownFrom(number: number, limit: number): Promise<BlockRow[]> {
    const rows = await this.#reader.all(
      blocks.where("number", "<=", number).orderBy("number", "desc").limit(limit),
    );
    return rows.map(blockRow);
  }

  async blocks(numbers: Iterable<number>): Promise<Map<number, BlockRow>> {
    const unique = [...new Set(numbers)];
    if (unique.length === 0) return new Map();
    const rows = await this.#reader.all(blocks.where("number", "in", padValues(unique)));
    return new Map(rows.map((row) => [row.number, blockRow(row)]));
  }

  /** The latest block at or before a time (seconds since the epoch). */
  async blockBefore(time: number): Promise<BlockRow | undefined> {
    return this.#block(
      blocks.where("timestamp", "<=", time).orderBy("timestamp", "desc").orderBy("number", "desc"),
    );
  }

  /** The first block at or after a time (seconds since the epoch). */
  async blockAfter(time: number): Promise<BlockRow | undefined> {
    return this.#block(blocks.where("timestamp", ">=", time).orderBy("timestamp").orderBy("number"));
  }

  /** Transactions from or to an address. */
  async transactions(address: string, window: ListOptions): Promise<QueryResult<TransactionRow>> {
    const { rows, total } = await readList(this.#reader, "transactions", partyConditions(address), window);
    return { rows: rows.map(transactionRow), total };
  }

  /** By position in the chain; missing ones are omitted. */
  async transactionsAt(positions: number[]): Promise<Map<number, TransactionRow>> {
    if (positions.length === 0) return new Map();
    const rows = await this.#reader.all(
      query.selectFrom("transactions").selectAll().where("position", "in", padValues(positions)),
    );
    return new Map(rows.map((row) => [row.position, transactionRow(row)]));
  }

  /** Logs of a contract; `topics` filters by topic index, undefined matches any. */
  async logs(
    address: string,
    topics: (string | undefined)[],
    window: ListOptions,
  ): Promise<QueryResult<IndexedLog>> {
    const conditions = TOPIC_COLUMNS.flatMap((column, i) => {
      const topic = topics[i];
      return topic === undefined ? [] : [ofLogs(column, "=", toBytes(topic))];
    });
    // Logs of other events are found by an index on their topic, regardless of the number of transfers.
    const [topic] = topics;
    if (topic !== undefined && !ERC20_TOPICS.has(topic)) conditions.push(ofLogs("erc20", "=", ofLogs.lit(0)));
    const branch = ofLogs.and([ofLogs("address", "=", toBytes(address)), ...conditions]);
    const { rows, total } = await readList(this.#reader, "logs", [branch], window);
    return { rows: rows.map(indexedLog), total };
  }

  /**
   * The last block up to which at most `logs` logs follow `from` (at least `from` itself); undefined if that covers
   * all.
   */
  async lastBlockWithinLogLimit(from: number, logs: number): Promise<number | undefined> {
    const [row] = await this.#reader.all(
      query
        .selectFrom("logs")
        .select("position")
        .where("position", ">=", positionOf(from, 0))
        .orderBy("position")
        .limit(1)
        .offset(logs),
    );
    return row && Math.max(from, blockOf(row.position) - 1);
  }

  /** The logs of blocks, both ends included, in log order, with the senders of their transactions. */
  async blockContents(
    from: number,
    to: number,
  ): Promise<{ logs: LogRow[]; transactions: { hash: string; from: string }[] }> {
    const bounds = ofLogs.and(blockBounds({ fromBlock: from, toBlock: to }));
    const [logs, transactions] = await Promise.all([
      this.#reader.all(query.selectFrom("logs").selectAll().where(bounds).orderBy("position")),
      this.#reader.all(query.selectFrom("transactions").select(["hash", "from_address"]).where(bounds)),
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
      "token" in selection ? [erc20TokenCondition(selection.token)] : erc20WalletConditions(selection.wallet);
    const { rows, total } = await readList(this.#reader, "logs", branches, window);
    return { rows: rows.map(erc20Transfer), total };
  }

  async nftTransfers(
    selection: NftTransferSelection,
    window: ListOptions,
  ): Promise<QueryResult<NftTransferRow>> {
    const { rows, total } = await readList(this.#reader, "nft_transfers", nftConditions(selection), window);
    return { rows: rows.map(nftTransferRow), total };
  }

  /** The sales of a collection that any of the marketplaces reported. */
  async trades(
    token: string,
    marketplaces: readonly string[],
    window: ListOptions,
  ): Promise<QueryResult<TradeRow>> {
    const branches = marketplaces.map((marketplace) =>
      ofTrades("token", "=", toBytes(token)).and("marketplace", "=", toBytes(marketplace)),
    );
    if (branches.length === 0) return { rows: [], total: 0 };
    const { rows, total } = await readList(this.#reader, "trades", branches, window);
    return { rows: rows.map(tradeRow), total };
  }

  /** The lowest sale price paid in the native coin since a block; the latest of several. */
  async lowestTrade(
    token: string,
    marketplaces: readonly string[],
    fromBlock: number,
  ): Promise<TradeRow | undefined> {
    if (marketplaces.length === 0) return undefined;
    const [row] = await this.#reader.all(
      query
        .selectFrom("trades")
        .selectAll()
        .where("token", "=", toBytes(token))
        .where("marketplace", "in", padValues(marketplaces.map(toBytes)))
        .where("position", ">=", positionOf(fromBlock, 0))
        .where("price_token", "is", null)
        .where(this.#reader.dialect.deadlineCheck)
        .orderBy("price")
        .orderBy("position", "desc")
        .limit(1),
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
    const cursor = { after, ascending: true };
    const conditions = [
      ...blockBounds({ toBlock: upTo.number }),
      ...afterCursor(table, cursor),
      this.#reader.dialect.deadlineCheck,
    ];
    const pages = branches.map((branch) =>
      query
        .selectFrom(table)
        .select(columns)
        .where(ofLogs.and([branch, ...conditions]))
        .orderBy(listOrder(table, cursor))
        .limit(limit),
    );
    const isAfterIndexed =
      after &&
      sql<SqlBool>`EXISTS ${blocks.where("number", "=", after.block.number).where("hash", "=", toBytes(after.block.hash))}`;
    const rows = await this.#reader.all(
      sql<EventRow & Row>`
        SELECT found.*, b.hash AS block_hash, b.timestamp AS block_timestamp FROM blocks t
        LEFT JOIN (SELECT * FROM (${unionAll(pages)}) AS branches ORDER BY position, part LIMIT ${limit}) AS found ON TRUE
        LEFT JOIN blocks b ON b.number = found.position / ${sql.lit(POSITIONS_PER_BLOCK)}
        WHERE t.number = ${upTo.number} AND t.hash = ${toBytes(upTo.hash)} AND ${isAfterIndexed ?? sql.lit(true)}
        ORDER BY found.position, found.part`,
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
    const rows = await this.#reader.all(
      query
        .selectFrom("tokens")
        .selectAll()
        .where("known", "=", sql.lit(1))
        .where("address", "in", padValues(addresses.map(toBytes))),
    );
    return new Map(rows.map((row) => [toHex(row.address), tokenMetadata(row)]));
  }

  /** ERC-20 tokens with one of the symbols, case-insensitive. */
  async tokensBySymbol(symbols: string[], limit: number): Promise<TokenMetadata[]> {
    if (symbols.length === 0) return [];
    const names = padValues(symbols.map((symbol) => symbol.toLowerCase()));
    const rows = await this.#reader.all(
      query
        .selectFrom("tokens")
        .selectAll()
        .where("standard", "=", sql.lit(20))
        .where((eb) => eb(eb.fn<string>("lower", ["symbol"]), "in", names))
        .orderBy("position")
        .orderBy("address")
        .limit(limit),
      "list",
    );
    return rows.map(tokenMetadata);
  }

  /** Tokens whose metadata has not been read yet. */
  async tokensWithoutMetadata(limit: number): Promise<{ address: string; standard: number }[]> {
    const rows = await this.#reader.all(
      query
        .selectFrom("tokens")
        .select(["address", "standard"])
        .where("known", "=", sql.lit(0))
        .orderBy("address")
        .limit(limit),
    );
    return rows.map(({ address, standard }) => ({ address: toHex(address), standard }));
  }

  /** Watched wallets whose history down to `start` is incomplete. */
  async unfinishedWallets(start: number): Promise<WatchedWallet[]> {
    const rows = await this.#reader.all(
      query.selectFrom("watched").selectAll().where("next", ">=", start).orderBy("next", "desc").limit(1000),
    );
    return rows.map(watchedWallet);
  }

  /** Some watched wallets; those with the least indexed history first. */
  async listWatchedWallets(limit: number): Promise<WatchedWallet[]> {
    const rows = await this.#reader.all(
      query.selectFrom("watched").selectAll().orderBy("next", "desc").orderBy("address").limit(limit),
    );
    return rows.map(watchedWallet);
  }

  async countWatchedWallets(): Promise<number> {
    const [row] = await this.#reader.all(
      query
        .selectFrom("watched")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where(this.#reader.dialect.deadlineCheck),
      "list",
    );
    return row?.count ?? 0;
  }

  async watchedWallets(addresses?: string[]): Promise<WatchedWallet[]> {
    if (addresses?.length === 0) return [];
    const all = query.selectFrom("watched").selectAll();
    const rows = await this.#reader.all(
      addresses ? all.where("address", "in", padValues(addresses.map(toBytes))) : all,
    );
    return rows.map(watchedWallet);
  }

  async #block(found: typeof blocks): Promise<BlockRow | undefined> {
    const [row] = await this.#reader.all(found.limit(1));
    return row && blockRow(row);
  }
}

const TOPIC_COLUMNS = ["topic0", "topic1", "topic2", "topic3"] as const;
/** Topics of events that can be ERC-20 transfers. */
const ERC20_TOPICS: ReadonlySet<string> = new Set([TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);

/** A query for rows of one table; the branches must not overlap. */
export interface EventQuery<Row> {
  columns: readonly AliasedExpression<unknown, string>[];
  table: ListTable;
  branches: Expression<SqlBool>[];
  fields(row: Row): unknown;
}

interface EventRow {
  /** null if no row was found. */
  block_hash: Uint8Array | null;
  block_timestamp: number | null;
}
