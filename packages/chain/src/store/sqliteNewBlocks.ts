import type Database from "better-sqlite3";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { type BlockRows, blockOf, type DiscoveredToken } from "../model/rows.ts";
import { discoverNfts } from "./discoveredNfts.ts";
import { erc20BalanceChanges } from "./erc20BalanceChanges.ts";
import { CheckpointConflictError } from "./indexWriter.ts";
import { listCountChanges } from "./listCountChanges.ts";
import { lastReceivers, nftBalanceChanges, touchedErc721 } from "./nftBalanceChanges.ts";
import { RowBufferReader, RowBufferWriter, type RowValue } from "./rowBuffer.ts";
import {
  feeValues,
  internalValues,
  logValues,
  nftRangeValues,
  nftTransferValues,
  tradeValues,
  transactionValues,
} from "./rowValues.ts";
import { SqliteErc20Balances } from "./sqliteErc20Balances.ts";
import { type Inserts, prepareInserts } from "./sqliteInserts.ts";
import { SqliteNftBalances } from "./sqliteNftBalances.ts";
import { SqliteNftOwners } from "./sqliteNftOwners.ts";
import { upgradedContracts } from "./upgradedContracts.ts";

/** The contents of blocks as `SqliteNewBlocks` writes them, with everything that can be computed from them alone. */
export type EncodedBlocks = Uint8Array<ArrayBuffer>;

/** Encodes blocks that the index does not contain. */
export function encodeNewBlocks(rows: BlockRows, tokens: readonly DiscoveredToken[]): EncodedBlocks {
  const { blocks, transactions, logs, nftTransfers, nftRanges, nftUpdates, trades, internalTransfers } = rows;
  const erc20Logs = logs.filter(({ isErc20 }) => isErc20);
  const receivers = lastReceivers(nftTransfers);
  const buffer = new RowBufferWriter();
  buffer.add(blocks.map((row) => [row.number, toBytes(row.hash), toBytes(row.parentHash), row.timestamp]));
  buffer.add(transactions.map(transactionValues));
  buffer.add(transactions.flatMap(({ position, fees }) => (fees ? [feeValues(position, fees)] : [])));
  buffer.add(logs.map(logValues));
  buffer.add(
    erc20BalanceChanges(erc20Logs, 1).map(({ token, owner, amount }) => [token, owner, amount.toString()]),
  );
  buffer.add(upgradedContracts(logs).map((address) => [toBytes(address)]));
  buffer.add(trades.map(tradeValues));
  buffer.add((internalTransfers ?? []).map(internalValues));
  buffer.add(nftTransfers.map(nftTransferValues));
  buffer.add(
    nftBalanceChanges(nftTransfers, 1).map(({ token, tokenId, owner, standard, amount }) => {
      return [toBytes(token), toBytes(tokenId), toBytes(owner), standard, amount.toString()];
    }),
  );
  buffer.add(
    discoverNfts(nftTransfers).map(({ token, tokenId, standard, position }) => {
      return [toBytes(token), toBytes(tokenId), standard, position];
    }),
  );
  buffer.add(nftRanges.map(nftRangeValues));
  buffer.add(
    touchedErc721(nftTransfers).map(({ token, tokenId }) => {
      const receiver = receivers.get(token + tokenId);
      return [toBytes(token), toBytes(tokenId), receiver === undefined ? null : toBytes(receiver)];
    }),
  );
  buffer.add(
    nftUpdates.map(({ token, first, last, position }) => {
      return [toBytes(token), toBytes(first), toBytes(last), blockOf(position)];
    }),
  );
  buffer.add(tokens.map(({ address, standard, position }) => [toBytes(address), standard, position]));
  buffer.add(
    listCountChanges(rows).map(({ list, key, detail, n }) => [list, toBytes(key), toBytes(detail), n]),
  );
  return buffer.finish();
}

/** Appends blocks to an SQLite index, in the caller's transaction. */
export class SqliteNewBlocks {
  readonly #inserts: Inserts;
  readonly #addCount: Database.Statement;
  readonly #erc20Balances: SqliteErc20Balances;
  readonly #nftBalances: SqliteNftBalances;
  readonly #nftOwners: SqliteNftOwners;

  constructor(db: Database.Database) {
    this.#inserts = prepareInserts(db);
    this.#addCount = db.prepare(
      `INSERT INTO list_counts (list, key, detail, n) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    );
    this.#erc20Balances = new SqliteErc20Balances(db);
    this.#nftBalances = new SqliteNftBalances(db);
    this.#nftOwners = new SqliteNftOwners(db);
  }

  /**
   * `parentHash` is the hash of the latest block of the index; undefined if it has none. Throws CheckpointConflictError
   * if the index has another one.
   */
  append(parentHash: string | undefined, blocks: EncodedBlocks): void {
    const inserts = this.#inserts;
    this.assertNewest(parentHash);
    const buffer = new RowBufferReader(blocks);
    const insert = (columns: number, statement: Database.Statement) =>
      buffer.each(columns, (row) => statement.run(row));
    insert(4, inserts.block);
    insert(14, inserts.transaction);
    insert(6, inserts.fees);
    insert(10, inserts.log);
    this.#addErc20Balances(buffer);
    insert(1, inserts.requeueToken);
    insert(10, inserts.trade);
    insert(6, inserts.internal);
    insert(12, inserts.nftTransfer);
    buffer.each(5, ([token, tokenId, owner, standard, amount]) =>
      this.#nftBalances.add(
        ...([bytesOf(token), bytesOf(tokenId), bytesOf(owner)] as const),
        Number(standard),
        BigInt(String(amount)),
      ),
    );
    insert(4, inserts.nft);
    insert(6, inserts.nftRange);
    this.#correctNftOwners(buffer);
    insert(4, inserts.nftUpdate);
    insert(3, inserts.discoveredToken);
    insert(4, this.#addCount);
  }

  /** See append(). */
  assertNewest(parentHash: string | undefined): void {
    const newest = this.#inserts.newest.get();
    if ((newest && toHex(newest.hash)) !== parentHash)
      throw new CheckpointConflictError("the index has another latest block than expected");
  }

  #addErc20Balances(buffer: RowBufferReader): void {
    const changes: { token: string; owner: string; amount: bigint }[] = [];
    buffer.each(3, ([token, owner, amount]) =>
      changes.push({ token: String(token), owner: String(owner), amount: BigInt(String(amount)) }),
    );
    this.#erc20Balances.add(changes);
  }

  #correctNftOwners(buffer: RowBufferReader): void {
    const isCorrected = this.#nftOwners.areCorrected();
    buffer.each(3, ([token, tokenId, owner]) => {
      if (isCorrected)
        this.#nftOwners.correctToken(bytesOf(token), bytesOf(tokenId), owner ? bytesOf(owner) : undefined);
    });
  }
}

function bytesOf(value: RowValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError("a value of an encoded row is not bytes");
}
