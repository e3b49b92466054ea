import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import {
  type BlockIdentity,
  type BlockRow,
  blockOf,
  indexOf,
  type LogRow,
  type NftTransferRow,
  positionOf,
  type RawLog,
  type TransactionRow,
} from "../model/rows.ts";
import { Approvals } from "./approvals.ts";
import { type BlockContents, readBlockContents } from "./blockContents.ts";
import { type Erc20Activity, erc20ActivityConditions } from "./erc20Activity.ts";
import { Erc20Balances } from "./erc20Balances.ts";
import { readEvents } from "./eventQuery.ts";
import type { EventSelection } from "./eventSelection.ts";
import { readFact } from "./facts.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { InternalTransfers } from "./internalTransfers.ts";
import { type CountKey, erc20Counts, nftCounts, transactionCounts } from "./listCounts.ts";
import {
  blockBounds,
  type IndexPosition,
  type ListOptions,
  type ListResult,
  readList,
  rowsAt,
  selectRows,
} from "./listQuery.ts";
import { ListTotals } from "./listTotals.ts";
import { logConditions, type TopicFilter } from "./logConditions.ts";
import { NftBalances } from "./nftBalances.ts";
import { NftCollections } from "./nftCollections.ts";
import { NftMetadataStore } from "./nftMetadata.ts";
import { NftUpdates } from "./nftUpdates.ts";
import { padValues } from "./padValues.ts";
import { PoolLogs } from "./poolLogs.ts";
import {
  blockRow,
  type Erc20Transfer,
  erc20Transfer,
  indexedLog,
  nftTransferRow,
  transactionRow,
} from "./tableRows.ts";
import type { ChainTables, ListTable } from "./tables.ts";
import { TokenStore } from "./tokenStore.ts";
import { readTouchedAddresses } from "./touchedAddresses.ts";
import { TradeStore } from "./trades.ts";
import {
  type Erc20Selection,
  erc20TokenCondition,
  erc20WalletConditions,
  type NftTransferSelection,
  nftConditions,
  transactionConditions,
} from "./transferConditions.ts";
import { KEPT_FACT } from "./upgradeProgress.ts";
import { UserOperationStore } from "./userOperations.ts";
import { WalletHistoryStore } from "./walletHistoryStore.ts";
import { WatchedWallets } from "./watchedWallets.ts";

const blocks = query.selectFrom("blocks").selectAll();
const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofTransactions = expressionBuilder<ChainTables, "transactions">();

/** Queries the index of one chain. */
export class ChainStore {
  readonly #reader: IndexReader;
  readonly #events: IndexReader;
  readonly #totals: ListTotals;
  /** Metadata of NFTs. */
  readonly metadata: NftMetadataStore;
  /** Updates of metadata that contracts reported. */
  readonly nftUpdates: NftUpdates;
  /** Balances of NFTs. */
  readonly nftBalances: NftBalances;
  /** Sums and groups of NFTs. */
  readonly collections: NftCollections;
  /** Sales of NFTs. */
  readonly trades: TradeStore;
  /** Balances of ERC-20 tokens, computed from transfers. */
  readonly erc20Balances: Erc20Balances;
  /** Approvals of wallets. */
  readonly approvals: Approvals;
  /** What happened to wallets. */
  readonly walletHistory: WalletHistoryStore;
  /** Coins that contracts sent. */
  readonly internalTransfers: InternalTransfers;
  /** Logs of exchange pools. */
  readonly poolLogs: PoolLogs;
  /** User operations of smart accounts. */
  readonly userOperations: UserOperationStore;
  /** Token contracts and their metadata. */
  readonly tokens: TokenStore;
  /** The wallets of an index of known wallets. */
  readonly watched: WatchedWallets;

  /** `events` reads transactions, logs, transfers and sales, if they are stored elsewhere. */
  constructor(reader: IndexReader, events = reader) {
    this.#reader = reader;
    this.#events = events;
    this.#totals = new ListTotals(events, reader);
    this.metadata = new NftMetadataStore(reader);
    this.nftBalances = new NftBalances(reader, events);
    this.erc20Balances = new Erc20Balances(reader, events);
    this.collections = new NftCollections(reader, events);
    this.trades = new TradeStore(events, this.#totals);
    this.nftUpdates = new NftUpdates(reader);
    this.tokens = new TokenStore(reader);
    this.watched = new WatchedWallets(reader);
    this.approvals = new Approvals(events);
    this.walletHistory = new WalletHistoryStore(events);
    this.internalTransfers = new InternalTransfers(events, this.#totals);
    this.poolLogs = new PoolLogs(events);
    this.userOperations = new UserOperationStore(events, this.#totals);
  }

  async close(): Promise<void> {
    if (this.#events !== this.#reader) await this.#events.close();
    await this.#reader.close();
  }

  async properties(): Promise<Map<string, string>> {
    const rows = await this.#reader.all(query.selectFrom("facts").selectAll());
    return new Map(rows.map(({ key, value }) => [key, value]));
  }

  /** The first block whose events are kept; undefined if none have been removed. */
  async firstKeptBlock(): Promise<number | undefined> {
    const kept = await readFact(this.#reader, KEPT_FACT);
    return kept === undefined ? undefined : Number(kept);
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

  /** Transactions from or to an address, and the one that created it. */
  async transactions(address: string, window: ListOptions): Promise<ListResult<TransactionRow>> {
    const { rows, total } = await this.#readList(
      "transactions",
      transactionConditions(address),
      window,
      transactionCounts(address),
    );
    const positions = rows.map(({ position }) => position);
    const fees = await rowsAt(this.#events, "transaction_fees", positions);
    return { rows: rows.map((row) => transactionRow(row, fees.get(row.position))), total };
  }

  /** The transaction that created a contract; undefined if another contract or the genesis block created it. */
  async contractCreation(contract: string): Promise<TransactionRow | undefined> {
    const isCreated = ofTransactions("contract", "=", toBytes(contract)).and(
      ofTransactions.or([ofTransactions("status", "is", null), ofTransactions("status", "=", 1)]),
    );
    const { dialect } = this.#events;
    const [row] = await this.#events.all(selectRows(dialect, "transactions", isCreated, { limit: 1 }));
    return row && transactionRow(row);
  }

  /** Without fees, by position in the chain; missing ones are omitted. */
  async transactionsAt(positions: number[]): Promise<Map<number, TransactionRow>> {
    const rows = await rowsAt(this.#events, "transactions", positions);
    return new Map([...rows].map(([position, row]) => [position, transactionRow(row)]));
  }

  /** Logs of a contract; `topics` filters by topic index, undefined matches any. */
  async logs(address: string, topics: TopicFilter, window: ListOptions): Promise<ListResult<RawLog>> {
    const { branches, counts } = await logConditions(this.#events, this.#reader, address, topics);
    const { rows, total } = await this.#readList("logs", branches, window, counts);
    return { rows: rows.map(indexedLog), total };
  }

  /** The logs of transactions by their positions. */
  async logsOfTransactions(positions: readonly number[]): Promise<Map<number, RawLog[]>> {
    const blocks = [...new Set(positions.map(blockOf))];
    const bounds = blocks.map((block) =>
      ofLogs.and([
        ofLogs("position", ">=", positionOf(block, 0)),
        ofLogs("position", "<", positionOf(block + 1, 0)),
        ofLogs(
          "transaction_index",
          "in",
          padValues(positions.filter((position) => blockOf(position) === block).map(indexOf)),
        ),
      ]),
    );
    const logs = new Map<number, RawLog[]>();
    if (bounds.length === 0) return logs;
    const { deadlineCheck } = this.#events.dialect;
    const selected = ofLogs.or(bounds);
    const rows = await this.#events.all(
      query.selectFrom("logs").selectAll().where(selected).where(deadlineCheck).orderBy("position"),
      "list",
    );
    for (const row of rows) {
      const position = positionOf(blockOf(row.position), row.transaction_index);
      logs.set(position, [...(logs.get(position) ?? []), indexedLog(row)]);
    }
    return logs;
  }

  /**
   * The last block up to which at most `logs` logs follow `from` (at least `from` itself); undefined if that covers
   * all.
   */
  async lastBlockWithinLogLimit(from: number, logs: number): Promise<number | undefined> {
    const [row] = await this.#events.all(
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
      this.#events.all(query.selectFrom("logs").selectAll().where(bounds).orderBy("position")),
      this.#events.all(query.selectFrom("transactions").select(["hash", "from_address"]).where(bounds)),
    ]);
    return {
      logs: logs.map((row) => ({ ...indexedLog(row), isErc20: row.erc20 === 1 })),
      transactions: transactions.map((row) => ({ hash: toHex(row.hash), from: toHex(row.from_address) })),
    };
  }

  /** Transfers from and to a wallet, or of a token. */
  async erc20Transfers(selection: Erc20Selection, window: ListOptions): Promise<ListResult<Erc20Transfer>> {
    const branches =
      "token" in selection
        ? [erc20TokenCondition(selection.token)]
        : erc20WalletConditions(selection.wallet, selection.tokens);
    const { rows, total } = await this.#readList("logs", branches, window, erc20Counts(selection));
    return { rows: rows.map(erc20Transfer), total };
  }

  /** Without counts of their own; the total is counted if it is requested. */
  async erc20Activity(
    activity: Erc20Activity,
    window: ListOptions,
  ): Promise<ListResult<Erc20Transfer & { transactionIndex: number; logIndex: number }>> {
    const branches = erc20ActivityConditions(activity, this.#events.dialect.isApproval);
    const { rows, total } = await this.#readList("logs", branches, window, undefined);
    const transfers = rows.map((row) => ({
      ...erc20Transfer(row),
      transactionIndex: row.transaction_index,
      logIndex: indexOf(row.position),
    }));
    return { rows: transfers, total };
  }

  async nftTransfers(
    selection: NftTransferSelection,
    window: ListOptions,
  ): Promise<ListResult<NftTransferRow>> {
    const { rows, total } = await this.#readList(
      "nft_transfers",
      nftConditions(selection),
      window,
      nftCounts(selection),
    );
    return { rows: rows.map(nftTransferRow), total };
  }

  /** See readEvents(). */
  selectEvents<Row extends IndexPosition>(...selection: EventSelection<Row>) {
    return readEvents(this.#events, this.#reader, ...selection);
  }

  /** See readBlockContents(). */
  fullBlocks(from: number, to: number): Promise<BlockContents[] | undefined> {
    return readBlockContents(this.#events, this.#reader, from, to);
  }

  /** See readTouchedAddresses(). */
  touchedAddresses(after: BlockIdentity, upTo: BlockIdentity): Promise<ReadonlySet<string> | undefined> {
    return readTouchedAddresses(this.#events, this.#reader, after, upTo);
  }

  #readList<Table extends ListTable>(
    table: Table,
    branches: readonly Expression<SqlBool>[],
    window: ListOptions,
    counts: readonly CountKey[] | undefined,
  ): Promise<ListResult<ChainTables[Table]>> {
    return readList(this.#events, this.#totals, table, branches, window, counts);
  }

  async #block(found: typeof blocks): Promise<BlockRow | undefined> {
    const [row] = await this.#reader.all(found.limit(1));
    return row && blockRow(row);
  }
}
