import type Database from "better-sqlite3";
import { toBytes, toHex } from "../model/hexBytes.ts";
import {
  type BlockRow,
  type BlockRows,
  blockOf,
  type LogRow,
  type NftRangeRow,
  type NftTransferRow,
  positionOf,
  type TokenSighting,
  type TradeRow,
  type TransactionRow,
} from "../model/rows.ts";
import type { TokenFacts } from "../model/tokens.ts";
import { nftSightings } from "./discoveredNfts.ts";
import { CheckpointMoved, type DerivedRows, type IndexWriter, WANTED } from "./indexWriter.ts";
import { type NftSum, nftSums } from "./nftBalanceChanges.ts";
import { INDEX_TABLES, type NftTransfersTable } from "./schema.ts";
import { openSqliteFile } from "./sqliteFile.ts";
import { nftTransferRow } from "./tableRows.ts";

export function sqliteIndex(path: string): IndexWriter {
  return new SqliteIndex(openSqliteFile(path));
}

class SqliteIndex implements IndexWriter {
  readonly #db: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#statements = prepare(db);
  }

  async append(parent: BlockRow | undefined, rows: BlockRows, tokens: TokenSighting[]): Promise<void> {
    this.#write(() => {
      const newest = this.#statements.newest.get();
      const same = parent ? newest && toHex(newest.hash) === parent.hash : newest === undefined;
      if (!same) throw new CheckpointMoved("the index has another newest block than was thought");
      this.#insert(rows, tokens);
    });
  }

  async fill(
    rows: BlockRows,
    tokens: TokenSighting[],
    reached: { addresses: string[]; next: number },
  ): Promise<void> {
    this.#write(() => {
      this.#insert(rows, tokens);
      for (const address of reached.addresses) this.#statements.reached.run(reached.next, toBytes(address));
    });
  }

  async unwind(above: number): Promise<void> {
    const from = positionOf(above + 1, 0);
    this.#write(() => {
      const gone = this.#statements.nftTransfersFrom.all(from).map(nftTransferRow);
      this.#addSums(nftSums(gone, -1));
      for (const { token, tokenId } of nftSightings(gone))
        this.#statements.removeNft.run(toBytes(token), toBytes(tokenId), from);
      this.#statements.askNftsAgain.run(above);
      for (const statement of this.#statements.removals) statement.run(from);
      this.#statements.removeBlocks.run(above);
      // What was being read for addresses below a block that is gone ends at the newest one left.
      this.#statements.lowerWatched.run(above + 1, above + 1);
    });
  }

  async saveTokens(tokens: TokenFacts[]): Promise<void> {
    this.#write(() => {
      for (const { address, standard, name, symbol, decimals } of tokens)
        this.#statements.token.run(toBytes(address), standard, name, symbol, decimals);
    });
  }

  async want(addresses: string[]): Promise<void> {
    this.#write(() => {
      for (const address of addresses)
        this.#statements.want.run(toBytes(address), WANTED, Number.MAX_SAFE_INTEGER);
    });
  }

  async takeUp(addresses: string[], newest: number): Promise<void> {
    this.#write(() => {
      for (const address of addresses) this.#statements.takeUp.run(newest + 1, newest, toBytes(address));
    });
  }

  async rederive(
    { from, to }: { from: number; to: number },
    rows: DerivedRows,
    tokens: TokenSighting[],
  ): Promise<void> {
    const { tradesWithin, counted } = this.#statements;
    this.#write(() => {
      tradesWithin.run(positionOf(from, 0), positionOf(to + 1, 0));
      for (const { position, isErc20 } of rows.logs) counted.run(isErc20 ? 1 : 0, position);
      this.#insert({ ...rows, blocks: [], transactions: [], logs: [], nftUpdates: [] }, tokens);
    });
  }

  async rereadWallets(from: number): Promise<void> {
    this.#write(() => this.#statements.rereadWallets.run(from, WANTED));
  }

  async clear(): Promise<void> {
    this.#write(() => {
      for (const table of INDEX_TABLES) this.#db.exec(`DELETE FROM ${table}`);
    });
  }

  async saveFact(key: string, value: string): Promise<void> {
    this.#statements.fact.run(key, value);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #write(change: () => void): void {
    this.#db.transaction(change).immediate();
  }

  #insert(rows: BlockRows, tokens: TokenSighting[]): void {
    const { blocks, transactions, logs, nftTransfers, nftRanges, nftUpdates, trades } = rows;
    const { block, transaction, log, trade, sighting, nft, nftRange, nftUpdate } = this.#statements;
    for (const row of blocks)
      block.run(row.number, toBytes(row.hash), toBytes(row.parentHash), row.timestamp);
    for (const row of transactions) transaction.run(...transactionValues(row));
    for (const row of logs) log.run(...logValues(row));
    for (const row of trades) trade.run(...tradeValues(row));
    const added = nftTransfers.filter(
      (row) => this.#statements.nftTransfer.run(...nftTransferValues(row)).changes > 0,
    );
    this.#addSums(nftSums(added, 1));
    for (const { token, tokenId, standard, position } of nftSightings(added))
      nft.run(toBytes(token), toBytes(tokenId), standard, position);
    for (const row of nftRanges) nftRange.run(...nftRangeValues(row));
    for (const { token, first, last, position } of nftUpdates)
      nftUpdate.run(toBytes(token), toBytes(first), toBytes(last), blockOf(position));
    for (const { address, standard, position } of tokens) sighting.run(toBytes(address), standard, position);
  }

  #addSums(sums: NftSum[]): void {
    const { balance, saveBalance, removeBalance } = this.#statements;
    for (const { token, tokenId, owner, standard, amount } of sums) {
      const key = [toBytes(token), toBytes(tokenId), toBytes(owner)] as const;
      const now = amount + BigInt(balance.get(...key)?.amount ?? 0);
      if (now === 0n) removeBalance.run(...key);
      else saveBalance.run(...key, standard, now.toString(), now > 0n ? 1 : 0);
    }
  }
}

function prepare(db: Database.Database) {
  return {
    newest: db.prepare<[], { hash: Buffer }>("SELECT hash FROM blocks ORDER BY number DESC LIMIT 1"),
    block: db.prepare("INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, ?)"),
    transaction: db.prepare(
      "INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    log: db.prepare("INSERT OR IGNORE INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    nftTransfer: db.prepare(
      "INSERT OR IGNORE INTO nft_transfers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    nftRange: db.prepare("INSERT OR IGNORE INTO nft_ranges VALUES (?, ?, ?, ?, ?, ?)"),
    trade: db.prepare("INSERT OR IGNORE INTO trades VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    nftTransfersFrom: db.prepare<[number], NftTransfersTable>(
      "SELECT * FROM nft_transfers WHERE position >= ?",
    ),
    sighting: db.prepare(
      `INSERT INTO tokens (address, standard, position, known) VALUES (?, ?, ?, 0)
       ON CONFLICT DO UPDATE SET position = excluded.position, standard = excluded.standard, known = 0
       WHERE tokens.position IS NULL OR tokens.position > excluded.position`,
    ),
    nft: db.prepare(
      `INSERT INTO nft_metadata (token, token_id, standard, position) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position WHERE nft_metadata.position > excluded.position`,
    ),
    removeNft: db.prepare("DELETE FROM nft_metadata WHERE token = ? AND token_id = ? AND position >= ?"),
    askNftsAgain: db.prepare(
      "UPDATE nft_metadata SET uri_block = NULL, tries = 0, due = 1 WHERE uri_block > ?",
    ),
    nftUpdate: db.prepare(
      `INSERT INTO nft_updates VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET last = max(last, excluded.last), block = max(block, excluded.block)`,
    ),
    balance: db.prepare<[Buffer, Buffer, Buffer], { amount: string }>(
      "SELECT amount FROM nft_balances WHERE token = ? AND token_id = ? AND owner = ?",
    ),
    saveBalance: db.prepare("INSERT OR REPLACE INTO nft_balances VALUES (?, ?, ?, ?, ?, ?)"),
    removeBalance: db.prepare("DELETE FROM nft_balances WHERE token = ? AND token_id = ? AND owner = ?"),
    token: db.prepare(
      `INSERT INTO tokens (address, standard, name, symbol, decimals, known) VALUES (?, ?, ?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET name = excluded.name, symbol = excluded.symbol, decimals = excluded.decimals, known = 1`,
    ),
    want: db.prepare("INSERT OR IGNORE INTO watched VALUES (?, ?, ?)"),
    takeUp: db.prepare("UPDATE watched SET since = ?, next = ? WHERE address = ?"),
    reached: db.prepare("UPDATE watched SET next = ? WHERE address = ?"),
    lowerWatched: db.prepare("UPDATE watched SET since = ? WHERE since > ?"),
    tradesWithin: db.prepare("DELETE FROM trades WHERE position >= ? AND position < ?"),
    counted: db.prepare("UPDATE logs SET erc20 = ? WHERE position = ?"),
    rereadWallets: db.prepare("UPDATE watched SET next = ? WHERE since <> ?"),
    fact: db.prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)"),
    removals: ["transactions", "logs", "nft_transfers", "nft_ranges", "trades", "tokens"].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE position >= ?`),
    ),
    removeBlocks: db.prepare("DELETE FROM blocks WHERE number > ?"),
  };
}

function bytesOrNull(hex: string | null | undefined): Buffer | null {
  return typeof hex === "string" ? toBytes(hex) : null;
}

function transactionValues(row: TransactionRow) {
  return [
    row.position,
    toBytes(row.hash),
    toBytes(row.from),
    bytesOrNull(row.to),
    row.value,
    row.nonce,
    row.gas,
    row.gasPrice,
    toBytes(row.input),
    row.status,
    row.cumulativeGasUsed,
    row.gasUsed,
    bytesOrNull(row.contract),
    bytesOrNull(row.root),
  ];
}

function logValues({ position, transactionIndex, transactionHash, address, topics, data, isErc20 }: LogRow) {
  return [
    position,
    transactionIndex,
    toBytes(transactionHash),
    toBytes(address),
    bytesOrNull(topics[0]),
    bytesOrNull(topics[1]),
    bytesOrNull(topics[2]),
    bytesOrNull(topics[3]),
    toBytes(data),
    isErc20 ? 1 : 0,
  ];
}

function nftTransferValues(row: NftTransferRow) {
  return [
    row.position,
    row.part,
    row.transactionIndex,
    toBytes(row.transactionHash),
    toBytes(row.token),
    toBytes(row.tokenId),
    row.standard,
    row.isBatch ? 1 : 0,
    bytesOrNull(row.operator),
    toBytes(row.from),
    toBytes(row.to),
    row.amount,
  ];
}

function nftRangeValues({ position, token, first, last, from, to }: NftRangeRow) {
  return [position, toBytes(token), toBytes(first), toBytes(last), toBytes(from), toBytes(to)];
}

function tradeValues(row: TradeRow) {
  return [
    row.position,
    row.transactionIndex,
    toBytes(row.transactionHash),
    toBytes(row.token),
    toBytes(row.marketplace),
    toBytes(row.seller),
    toBytes(row.buyer),
    toBytes(row.price),
    bytesOrNull(row.priceToken),
    row.tokenIds.join(),
  ];
}
