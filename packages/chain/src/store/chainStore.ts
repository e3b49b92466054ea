import { expressionBuilder, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import {
  type BlockRow,
  blockOf,
  type LogRow,
  type NftTransferRow,
  positionOf,
  type TradeRow,
  type TransactionRow,
} from "../model/rows.ts";
import type { TokenMetadata } from "../model/tokens.ts";
import { DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import { Erc20Balances } from "./erc20Balances.ts";
import { type EventSelection, readEvents } from "./eventQuery.ts";
import type { IndexLocation } from "./indexLocation.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { blockBounds, type IndexPosition, type ListOptions, readList } from "./listQuery.ts";
import { NftBalances } from "./nftBalances.ts";
import { NftMetadataStore } from "./nftMetadata.ts";
import { NftUpdates } from "./nftUpdates.ts";
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
} from "./tableRows.ts";
import {
  erc20TokenCondition,
  erc20WalletConditions,
  type NftTransferSelection,
  nftConditions,
  partyConditions,
} from "./transferConditions.ts";
import { WatchedWallets } from "./watchedWallets.ts";

const blocks = query.selectFrom("blocks").selectAll();
const tokens = query.selectFrom("tokens").selectAll();
const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofTrades = expressionBuilder<ChainTables, "trades">();

/** Queries the index of one chain. */
export class ChainStore {
  readonly #reader: IndexReader;
  /** Metadata of NFTs. */
  readonly metadata: NftMetadataStore;
  /** Updates of metadata that contracts reported. */
  readonly nftUpdates: NftUpdates;
  /** Balances of NFTs. */
  readonly nftBalances: NftBalances;
  /** Balances of ERC-20 tokens, computed from transfers. */
  readonly erc20Balances: Erc20Balances;
  /** The wallets of an index of known wallets. */
  readonly watched: WatchedWallets;

  constructor(reader: IndexReader) {
    this.#reader = reader;
    this.metadata = new NftMetadataStore(reader);
    this.nftBalances = new NftBalances(reader);
    this.erc20Balances = new Erc20Balances(reader);
    this.nftUpdates = new NftUpdates(reader);
    this.watched = new WatchedWallets(reader);
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

  /** See readEvents(). */
  selectEvents<Row extends IndexPosition>(...selection: EventSelection<Row>) {
    return readEvents(this.#reader, ...selection);
  }

  /** Metadata of tokens; those without are omitted. */
  async tokenMetadata(addresses: string[]): Promise<Map<string, TokenMetadata>> {
    if (addresses.length === 0) return new Map();
    const rows = await this.#reader.all(
      tokens.where("known", "=", sql.lit(1)).where("address", "in", padValues(addresses.map(toBytes))),
    );
    return new Map(rows.map((row) => [toHex(row.address), tokenMetadata(row)]));
  }

  /** ERC-20 tokens with one of the symbols, case-insensitive. */
  async tokensBySymbol(symbols: string[], limit: number): Promise<TokenMetadata[]> {
    if (symbols.length === 0) return [];
    const names = padValues(symbols.map((symbol) => symbol.toLowerCase()));
    const rows = await this.#reader.all(
      tokens
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
      tokens.where("known", "=", sql.lit(0)).orderBy("address").limit(limit),
    );
    return rows.map(({ address, standard }) => ({ address: toHex(address), standard }));
  }

  async #block(found: typeof blocks): Promise<BlockRow | undefined> {
    const [row] = await this.#reader.all(found.limit(1));
    return row && blockRow(row);
  }
}

const TOPIC_COLUMNS = ["topic0", "topic1", "topic2", "topic3"] as const;
/** Topics of events that can be ERC-20 transfers. */
const ERC20_TOPICS: ReadonlySet<string> = new Set([TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);
