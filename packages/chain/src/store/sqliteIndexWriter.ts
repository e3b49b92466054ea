import type { WorkerLogger } from "@purse/workers";
import type Database from "better-sqlite3";
import { toBytes } from "../model/hexBytes.ts";
import { type BlockRow, type BlockRows, blockOf, type DiscoveredToken, positionOf } from "../model/rows.ts";
import { searchKey, type TokenMetadataReading } from "../model/tokens.ts";
import { discoverNfts } from "./discoveredNfts.ts";
import { erc20BalanceChanges } from "./erc20BalanceChanges.ts";
import { assertKept, type EventRemoval } from "./eventRemoval.ts";
import {
  CheckpointConflictError,
  type DerivedRows,
  type EventChange,
  type IndexWriter,
  isBackfill,
  PENDING,
  type PropertyChange,
  type RemovedEvents,
  type StateWriter,
} from "./indexWriter.ts";
import { blockRange, listCountChange, positionRange } from "./listCounts.ts";
import { type NftBalanceChange, nftBalanceChanges } from "./nftBalanceChanges.ts";
import {
  feeValues,
  internalValues,
  logValues,
  nftRangeValues,
  nftTransferValues,
  tradeValues,
  transactionValues,
} from "./rowValues.ts";
import { INDEX_TABLES, POSITIONED_TABLES } from "./schema.ts";
import { SqliteAppendThread } from "./sqliteAppendThread.ts";
import { SqliteErc20Balances } from "./sqliteErc20Balances.ts";
import { openSqliteFile } from "./sqliteFile.ts";
import { prepareInserts } from "./sqliteInserts.ts";
import { type EncodedBlocks, encodeNewBlocks, SqliteNewBlocks } from "./sqliteNewBlocks.ts";
import { SqliteNftBalances } from "./sqliteNftBalances.ts";
import { SqliteNftOwners } from "./sqliteNftOwners.ts";
import { forgetRemoval, keptFrom, SqliteRemoval } from "./sqliteRemoval.ts";
import { indexedLog, nftTransferRow } from "./tableRows.ts";
import type { LogsTable, NftTransfersTable } from "./tables.ts";
import { upgradedContracts } from "./upgradedContracts.ts";

export interface SqliteWriterOptions {
  /** Receives the failures of the thread in which many blocks are appended. */
  log?: WorkerLogger;
  /** The blocks whose events are removed together. */
  removalBlocks?: number | undefined;
}

export function createSqliteWriter(
  path: string,
  { log = SILENT, removalBlocks }: SqliteWriterOptions = {},
): IndexWriter & StateWriter & { removal: EventRemoval } {
  return new SqliteIndexWriter(openSqliteFile(path), new SqliteAppendThread(path, log), removalBlocks);
}

const SILENT: WorkerLogger = { warn() {}, error() {} };

class SqliteIndexWriter implements IndexWriter, StateWriter {
  readonly #db: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #erc20Balances: SqliteErc20Balances;
  readonly #nftBalances: SqliteNftBalances;
  readonly #nftOwners: SqliteNftOwners;
  readonly #newBlocks: SqliteNewBlocks;
  readonly #thread: SqliteAppendThread;
  readonly removal: EventRemoval;
  /** Blocks that were encoded before they are appended. */
  readonly #prepared = new WeakMap<BlockRows, EncodedBlocks>();
  /** The last change; it never rejects. Changes of the thread and of this one take turns. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(db: Database.Database, thread: SqliteAppendThread, removalBlocks: number | undefined) {
    this.#db = db;
    this.#thread = thread;
    const removal = new SqliteRemoval(db, removalBlocks);
    this.removal = { removeBefore: (block) => this.#enqueue(() => removal.removeBefore(block)) };
    this.#erc20Balances = new SqliteErc20Balances(db);
    this.#nftBalances = new SqliteNftBalances(db);
    this.#nftOwners = new SqliteNftOwners(db);
    this.#newBlocks = new SqliteNewBlocks(db);
    this.#statements = prepare(db);
  }

  prepare(rows: BlockRows, tokens: DiscoveredToken[]): void {
    if (isBackfill(rows)) this.#prepared.set(rows, encodeNewBlocks(rows, tokens));
  }

  async append(
    parent: BlockRow | undefined,
    rows: BlockRows,
    tokens: DiscoveredToken[],
    elsewhere?: EventChange,
  ): Promise<void> {
    if (elsewhere) return this.#appendState(parent, rows, tokens, elsewhere);
    const blocks = this.#prepared.get(rows) ?? encodeNewBlocks(rows, tokens);
    // The memory of blocks that are appended in the thread is gone.
    this.#prepared.delete(rows);
    if (isBackfill(rows)) await this.#enqueue(() => this.#thread.append(parent?.hash, blocks));
    else await this.#write(() => this.#newBlocks.append(parent?.hash, blocks));
  }

  /** Appends blocks whose events are stored elsewhere. */
  async #appendState(
    parent: BlockRow | undefined,
    rows: BlockRows,
    tokens: DiscoveredToken[],
    elsewhere: EventChange,
  ): Promise<void> {
    await this.#write(() => {
      this.#newBlocks.assertNewest(parent?.hash);
      this.#insert(rows, tokens, elsewhere);
      this.#changeState(elsewhere.state);
    });
  }

  async addHistory(
    rows: BlockRows,
    tokens: DiscoveredToken[],
    progress: { addresses: string[]; next: number },
  ): Promise<void> {
    const range = positionRange(rows);
    await this.#write(() => {
      // Some of the rows may exist.
      this.#count(range, -1);
      this.#insert(rows, tokens);
      this.#count(range, 1);
      for (const address of progress.addresses)
        this.#statements.setWalletProgress.run(progress.next, toBytes(address));
    });
  }

  async unwind(above: number, elsewhere?: EventChange & RemovedEvents): Promise<void> {
    const from = positionOf(above + 1, 0);
    await this.#write(() => {
      assertKept(above + 1, keptFrom(this.#db));
      if (elsewhere) this.#changeState(elsewhere.state);
      else this.#count({ from, end: Number.MAX_SAFE_INTEGER }, -1);
      const removed =
        elsewhere?.nftTransfers ?? this.#statements.nftTransfersFrom.all(from).map(nftTransferRow);
      this.#addBalanceChanges(nftBalanceChanges(removed, -1));
      for (const { token, tokenId } of discoverNfts(removed))
        this.#statements.removeNft.run(toBytes(token), toBytes(tokenId), from);
      const transfers = elsewhere?.erc20Logs ?? this.#statements.erc20From.all(from).map(indexedLog);
      this.#erc20Balances.add(erc20BalanceChanges(transfers, -1));
      this.#statements.requeueNfts.run(above);
      // Contracts can be others now, or have other names.
      this.#statements.requeueTokens.run(above);
      for (const statement of this.#statements.removals) statement.run(from);
      this.#nftOwners.correct(removed, elsewhere?.receivers);
      this.#statements.removeBlocks.run(above);
      // Wallets that started at a removed block restart at the latest remaining one.
      this.#statements.lowerWalletStart.run(above + 1, above + 1);
    });
  }

  async saveTokenMetadata({ tokens, block, readAt }: TokenMetadataReading): Promise<void> {
    await this.#write(() => {
      for (const { address, standard, name, symbol, decimals } of tokens) {
        const keys = [searchKey(symbol), searchKey(name)];
        const values = [standard, name, symbol, decimals, ...keys, block, readAt];
        this.#statements.token.run(toBytes(address), ...values);
      }
    });
  }

  async enqueueWallets(addresses: string[]): Promise<void> {
    await this.#write(() => {
      for (const address of addresses)
        this.#statements.enqueueWallet.run(toBytes(address), PENDING, Number.MAX_SAFE_INTEGER);
    });
  }

  async startWallets(addresses: string[], newest: number): Promise<void> {
    await this.#write(() => {
      for (const address of addresses) this.#statements.startWallet.run(newest + 1, newest, toBytes(address));
    });
  }

  async replaceDerivedRows(
    { from, to }: { from: number; to: number },
    rows: DerivedRows,
    tokens: DiscoveredToken[],
    progress: { key: string; value: string },
  ): Promise<void> {
    const { removeTrades, setErc20, saveProperty } = this.#statements;
    await this.#write(() => {
      removeTrades.run(positionOf(from, 0), positionOf(to + 1, 0));
      for (const { position, isErc20 } of rows.logs) setErc20.run(isErc20 ? 1 : 0, position);
      this.#insert({ ...rows, blocks: [], transactions: [], logs: [], nftUpdates: [] }, tokens);
      // Also of transfers that earlier versions stored.
      this.#nftOwners.correct(rows.nftTransfers);
      this.#erc20Balances.add(erc20BalanceChanges(rows.erc20Logs, 1));
      this.#count(blockRange(from, to), 1);
      saveProperty.run(progress.key, progress.value);
    });
  }

  async correctOwners(
    { from, to }: { from: number; to: number },
    progress: { key: string; value: string },
  ): Promise<void> {
    const { nftTransfersBetween, saveProperty } = this.#statements;
    await this.#write(() => {
      const transfers = nftTransfersBetween.all(positionOf(from, 0), positionOf(to + 1, 0));
      this.#nftOwners.correct(transfers.map(nftTransferRow));
      saveProperty.run(progress.key, progress.value);
    });
  }

  async clearSums(progress: { key: string; value: string }): Promise<void> {
    await this.#write(() => {
      this.#erc20Balances.clear();
      this.#statements.clearCounts.run();
      this.#statements.saveProperty.run(progress.key, progress.value);
    });
  }

  async restartWalletHistories(from: number): Promise<void> {
    await this.#write(() => this.#statements.restartWalletHistories.run(from, PENDING));
  }

  async clear(): Promise<void> {
    await this.#write(() => {
      for (const table of INDEX_TABLES) this.#db.exec(`DELETE FROM ${table}`);
      forgetRemoval(this.#db);
    });
  }

  async saveProperty(key: string, value: string): Promise<void> {
    await this.#write(() => this.#statements.saveProperty.run(key, value));
  }

  async changeState(state: PropertyChange): Promise<void> {
    await this.#write(() => this.#changeState(state));
  }

  async close(): Promise<void> {
    await this.#lastChange;
    await this.#thread.stop();
    this.#db.close();
  }

  async #write(change: () => void): Promise<void> {
    await this.#enqueue(() => this.#db.transaction(change).immediate());
  }

  /** Runs a change after the ones before, and also after one of them has failed. */
  #enqueue<T>(change: () => Promise<T> | T): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }

  /** Adds the rows of a range of positions to the lengths of lists, or subtracts them. */
  #count(range: { from: number; end: number } | undefined, sign: 1 | -1): void {
    if (range) this.#statements.count.run({ ...range, sign });
  }

  /** Saves the state of the store of the events, if it is still the one that the change is based on. */
  #changeState({ key, before, after }: PropertyChange): void {
    const { addProperty, changeProperty } = this.#statements;
    const { changes } =
      before === undefined ? addProperty.run(key, after) : changeProperty.run(after, key, before);
    if (changes === 0) throw new CheckpointConflictError("another process has changed the events");
  }

  /** Without the events, if they are stored elsewhere. */
  #insert(rows: BlockRows, tokens: DiscoveredToken[], elsewhere?: EventChange): void {
    const { blocks, transactions, logs, nftTransfers, nftRanges, nftUpdates, trades, internalTransfers } =
      rows;
    const { block, transaction, fees, log, trade, discoveredToken, nft, nftRange, nftUpdate } =
      this.#statements;
    for (const row of blocks)
      block.run(row.number, toBytes(row.hash), toBytes(row.parentHash), row.timestamp);
    for (const row of elsewhere ? [] : transactions) {
      transaction.run(...transactionValues(row));
      if (row.fees) fees.run(...feeValues(row.position, row.fees));
    }
    const addedLogs = elsewhere ? logs : logs.filter((row) => log.run(...logValues(row)).changes > 0);
    this.#erc20Balances.add(
      erc20BalanceChanges(
        addedLogs.filter(({ isErc20 }) => isErc20),
        1,
      ),
    );
    for (const address of upgradedContracts(addedLogs)) this.#statements.requeueToken.run(toBytes(address));
    if (!elsewhere) {
      for (const row of trades) trade.run(...tradeValues(row));
      for (const row of internalTransfers ?? []) this.#statements.internal.run(...internalValues(row));
    }
    const added = elsewhere
      ? nftTransfers
      : nftTransfers.filter((row) => this.#statements.nftTransfer.run(...nftTransferValues(row)).changes > 0);
    this.#addBalanceChanges(nftBalanceChanges(added, 1));
    for (const { token, tokenId, standard, position } of discoverNfts(added))
      nft.run(toBytes(token), toBytes(tokenId), standard, position);
    for (const row of nftRanges) nftRange.run(...nftRangeValues(row));
    this.#nftOwners.correct(added, elsewhere?.receivers);
    for (const { token, first, last, position } of nftUpdates)
      nftUpdate.run(toBytes(token), toBytes(first), toBytes(last), blockOf(position));
    for (const { address, standard, position } of tokens)
      discoveredToken.run(toBytes(address), standard, position);
  }

  #addBalanceChanges(changes: NftBalanceChange[]): void {
    for (const { token, tokenId, owner, standard, amount } of changes)
      this.#nftBalances.add(toBytes(token), toBytes(tokenId), toBytes(owner), standard, amount);
  }
}

function prepare(db: Database.Database) {
  return {
    ...prepareInserts(db),
    nftTransfersFrom: db.prepare<[number], NftTransfersTable>(
      "SELECT * FROM nft_transfers WHERE position >= ?",
    ),
    nftTransfersBetween: db.prepare<[number, number], NftTransfersTable>(
      "SELECT * FROM nft_transfers WHERE position >= ? AND position < ?",
    ),
    removeNft: db.prepare("DELETE FROM nft_metadata WHERE token = ? AND token_id = ? AND position >= ?"),
    requeueNfts: db.prepare(
      "UPDATE nft_metadata SET uri_block = NULL, tries = 0, due = 1 WHERE uri_block > ?",
    ),
    erc20From: db.prepare<[number], LogsTable>("SELECT * FROM logs WHERE position >= ? AND erc20 = 1"),
    requeueTokens: db.prepare("UPDATE tokens SET known = 0 WHERE read_block > ?"),
    token: db.prepare(
      `INSERT INTO tokens (address, standard, name, symbol, decimals, known, symbol_key, name_key, read_block, read_at)
       VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET name = excluded.name, symbol = excluded.symbol, decimals = excluded.decimals, known = 1,
         symbol_key = excluded.symbol_key, name_key = excluded.name_key, read_block = excluded.read_block,
         read_at = excluded.read_at`,
    ),
    enqueueWallet: db.prepare("INSERT OR IGNORE INTO watched VALUES (?, ?, ?)"),
    startWallet: db.prepare("UPDATE watched SET since = ?, next = ? WHERE address = ?"),
    setWalletProgress: db.prepare("UPDATE watched SET next = ? WHERE address = ?"),
    lowerWalletStart: db.prepare("UPDATE watched SET since = ? WHERE since > ?"),
    removeTrades: db.prepare("DELETE FROM trades WHERE position >= ? AND position < ?"),
    setErc20: db.prepare("UPDATE logs SET erc20 = ? WHERE position = ?"),
    restartWalletHistories: db.prepare("UPDATE watched SET next = ? WHERE since <> ?"),
    saveProperty: db.prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)"),
    addProperty: db.prepare("INSERT OR IGNORE INTO facts VALUES (?, ?)"),
    changeProperty: db.prepare("UPDATE facts SET value = ? WHERE key = ? AND value = ?"),
    removals: POSITIONED_TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE position >= ?`)),
    count: db.prepare(listCountChange({ from: "@from", end: "@end", sign: "@sign" }, "X''")),
    clearCounts: db.prepare("DELETE FROM list_counts"),
    removeBlocks: db.prepare("DELETE FROM blocks WHERE number > ?"),
  };
}
