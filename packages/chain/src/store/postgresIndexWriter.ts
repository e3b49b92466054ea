import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type BlockRow, type BlockRows, type DiscoveredToken, positionOf } from "../model/rows.ts";
import { searchKey, type TokenMetadata, type TokenMetadataReading } from "../model/tokens.ts";
import { discoverNfts } from "./discoveredNfts.ts";
import { erc20BalanceChanges } from "./erc20BalanceChanges.ts";
import { assertKept } from "./eventRemoval.ts";
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
import { listCountChanges } from "./listCountChanges.ts";
import { blockRange, listCountChange, positionRange } from "./listCounts.ts";
import { nftBalanceChanges } from "./nftBalanceChanges.ts";
import { addErc20Balances, clearErc20Balances } from "./postgresErc20Balances.ts";
import { type EncodedRows, encodeRows, insertBlocks } from "./postgresInsert.ts";
import { addListCounts } from "./postgresListCounts.ts";
import { addNftBalances, correctNftOwners, correctNftOwnersBetween } from "./postgresNftBalances.ts";
import type { PostgresPartitions } from "./postgresPartitions.ts";
import type { SqlPool, Transaction } from "./postgresSql.ts";
import { INDEX_TABLES, POSITIONED_TABLES } from "./schema.ts";
import { indexedLog, nftTransferRow } from "./tableRows.ts";
import type { LogsTable, NftTransfersTable } from "./tables.ts";
import { KEPT_FACT } from "./upgradeProgress.ts";

/**
 * `assertLeader` rejects if another process indexes the chain; it is the last step of each exclusive change.
 * `partitions` are those of the index, if it has them.
 */
export function createPostgresWriter(
  pool: SqlPool,
  assertLeader: (tx: Transaction) => Promise<void>,
  partitions?: PostgresPartitions,
): IndexWriter & StateWriter {
  return new PostgresIndexWriter(pool, assertLeader, partitions);
}

class PostgresIndexWriter implements IndexWriter, StateWriter {
  readonly #pool: SqlPool;
  readonly #assertLeader: (tx: Transaction) => Promise<void>;
  readonly #partitions: PostgresPartitions | undefined;
  readonly #countChange: string;
  /** Rows that were encoded before they are appended. */
  readonly #encoded = new WeakMap<BlockRows, EncodedRows>();

  constructor(
    pool: SqlPool,
    assertLeader: (tx: Transaction) => Promise<void>,
    partitions: PostgresPartitions | undefined,
  ) {
    this.#pool = pool;
    this.#assertLeader = assertLeader;
    this.#partitions = partitions;
    this.#countChange = listCountChange(COUNT_PARAMETERS, "''::bytea", partitions?.blocks);
  }

  prepare(rows: BlockRows): void {
    this.#encoded.set(rows, encodeRows(rows));
  }

  async append(
    parent: BlockRow | undefined,
    rows: BlockRows,
    tokens: DiscoveredToken[],
    elsewhere?: EventChange,
  ): Promise<void> {
    await this.#createPartitions(rows);
    await this.#write(async (tx) => {
      // A crash of the server may lose the last ranges, never a part of one. They are indexed again.
      if (isBackfill(rows) && !elsewhere) await tx`SET LOCAL synchronous_commit = off`;
      // If two processes write at once, the second finds another latest block.
      await tx`LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE`;
      const [newest] = await tx<{ hash: Buffer }>`SELECT hash FROM blocks ORDER BY number DESC LIMIT 1`;
      const isUnchanged = parent ? newest && toHex(newest.hash) === parent.hash : newest === undefined;
      if (!isUnchanged) throw new CheckpointConflictError("the index has another latest block than expected");
      const encoded = this.#encoded.get(rows);
      await insertBlocks(tx, rows, tokens, { mayExist: false, elsewhere, encoded });
      if (elsewhere) await changeState(tx, elsewhere.state);
      else {
        const changes = listCountChanges(rows, this.#partitions?.blocks);
        await addListCounts(tx, changes, this.#partitions !== undefined);
      }
    });
  }

  async addHistory(
    rows: BlockRows,
    tokens: DiscoveredToken[],
    progress: { addresses: string[]; next: number },
  ): Promise<void> {
    const range = positionRange(rows);
    await this.#createPartitions(rows);
    await this.#write(async (tx) => {
      // Some of the rows may exist.
      await this.#addCounts(tx, range, -1);
      await insertBlocks(tx, rows, tokens, { mayExist: true });
      await this.#addCounts(tx, range, 1);
      await tx`UPDATE watched SET next = ${progress.next}
        WHERE address IN (SELECT decode(substr(item, 3), 'hex') FROM jsonb_array_elements_text(${JSON.stringify(progress.addresses)}::text::jsonb) AS item)`;
    });
  }

  unwind(above: number, elsewhere?: EventChange & RemovedEvents): Promise<void> {
    const from = positionOf(above + 1, 0);
    return this.#write(async (tx) => {
      if (this.#partitions) assertKept(above + 1, await keptFrom(tx));
      // Delete blocks first: a concurrent saveUris() of one of these blocks has either completed or fails.
      await tx`DELETE FROM blocks WHERE number > ${above}`;
      if (elsewhere) await changeState(tx, elsewhere.state);
      else await this.#addCounts(tx, { from, end: Number.MAX_SAFE_INTEGER }, -1);
      const removed = await tx<NftTransfersTable>`SELECT * FROM nft_transfers WHERE position >= ${from}`;
      const removedTransfers = elsewhere?.nftTransfers ?? removed.map(nftTransferRow);
      await addNftBalances(tx, nftBalanceChanges(removedTransfers, -1));
      const transfers = await tx<LogsTable>`SELECT * FROM logs WHERE position >= ${from} AND erc20 = 1`;
      const removedLogs = elsewhere?.erc20Logs ?? transfers.map(indexedLog);
      await addErc20Balances(tx, erc20BalanceChanges(removedLogs, -1));
      // Contracts can be others now, or have other names.
      await tx`UPDATE tokens SET known = 0 WHERE read_block > ${above}`;
      for (const table of POSITIONED_TABLES)
        await tx`DELETE FROM ${sql.table(table)} WHERE position >= ${from}`;
      await tx`
        DELETE FROM nft_metadata USING jsonb_to_recordset(${JSON.stringify(discoverNfts(removedTransfers))}::text::jsonb)
          AS gone (token text, "tokenId" text)
        WHERE nft_metadata.token = decode(substr(gone.token, 3), 'hex')
          AND token_id = decode(substr(gone."tokenId", 3), 'hex') AND position >= ${from}`;
      await correctNftOwners(tx, removedTransfers, {
        receivers: elsewhere?.receivers,
        hasDropped: this.#partitions !== undefined,
      });
      await tx`UPDATE nft_metadata SET uri_block = NULL, tries = 0, due = 1 WHERE uri_block > ${above}`;
      await tx`UPDATE watched SET since = ${above + 1} WHERE since > ${above + 1}`;
    });
  }

  saveTokenMetadata({ tokens, block, readAt }: TokenMetadataReading): Promise<void> {
    const rows = tokens.map(withoutNul).map((token) => {
      return { ...token, symbolKey: searchKey(token.symbol), nameKey: searchKey(token.name) };
    });
    return this.#writeShared(async (tx) => {
      await tx`
        INSERT INTO tokens (address, standard, name, symbol, decimals, known, symbol_key, name_key, read_block, read_at)
        SELECT decode(substr(address, 3), 'hex'), standard, name, symbol, decimals, 1, "symbolKey", "nameKey",
          ${block}::int8, ${readAt}::int8
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS token (
          address text, standard int8, name text, symbol text, decimals int8, "symbolKey" text, "nameKey" text)
        ON CONFLICT (address) DO UPDATE SET name = excluded.name, symbol = excluded.symbol,
          decimals = excluded.decimals, known = 1, symbol_key = excluded.symbol_key, name_key = excluded.name_key,
          read_block = excluded.read_block, read_at = excluded.read_at`;
    });
  }

  enqueueWallets(addresses: string[]): Promise<void> {
    return this.#writeShared(async (tx) => {
      await tx`
        INSERT INTO watched SELECT decode(substr(item, 3), 'hex'), ${PENDING}, ${Number.MAX_SAFE_INTEGER}
        FROM jsonb_array_elements_text(${JSON.stringify(addresses)}::text::jsonb) AS item ON CONFLICT DO NOTHING`;
    });
  }

  startWallets(addresses: string[], newest: number): Promise<void> {
    return this.#write(async (tx) => {
      await tx`UPDATE watched SET since = ${newest + 1}, next = ${newest}
        WHERE address IN (SELECT decode(substr(item, 3), 'hex') FROM jsonb_array_elements_text(${JSON.stringify(addresses)}::text::jsonb) AS item)`;
    });
  }

  replaceDerivedRows(
    { from, to }: { from: number; to: number },
    rows: DerivedRows,
    tokens: DiscoveredToken[],
    progress: { key: string; value: string },
  ): Promise<void> {
    const [first, end] = [positionOf(from, 0), positionOf(to + 1, 0)];
    const erc20Flags = rows.logs.map(({ position, isErc20 }) => ({ position, erc20: isErc20 ? 1 : 0 }));
    return this.#write(async (tx) => {
      await tx`DELETE FROM trades WHERE position >= ${first} AND position < ${end}`;
      if (erc20Flags.length > 0) {
        await tx`
          UPDATE logs SET erc20 = counted.erc20
          FROM jsonb_to_recordset(${JSON.stringify(erc20Flags)}::text::jsonb) AS counted (position int8, erc20 int8)
          WHERE logs.position = counted.position`;
      }
      const added = { ...rows, blocks: [], transactions: [], logs: [], nftUpdates: [] };
      await insertBlocks(tx, added, tokens, { mayExist: true });
      // Also of transfers that earlier versions stored.
      await correctNftOwners(tx, rows.nftTransfers);
      await addErc20Balances(tx, erc20BalanceChanges(rows.erc20Logs, 1));
      await this.#addCounts(tx, blockRange(from, to), 1);
      await saveProperty(tx, progress.key, progress.value);
    });
  }

  correctOwners(
    { from, to }: { from: number; to: number },
    progress: { key: string; value: string },
  ): Promise<void> {
    return this.#write(async (tx) => {
      await correctNftOwnersBetween(tx, positionOf(from, 0), positionOf(to + 1, 0));
      await saveProperty(tx, progress.key, progress.value);
    });
  }

  clearSums(progress: { key: string; value: string }): Promise<void> {
    return this.#write(async (tx) => {
      await clearErc20Balances(tx);
      await tx.unsafe("TRUNCATE list_counts");
      await saveProperty(tx, progress.key, progress.value);
    });
  }

  restartWalletHistories(from: number): Promise<void> {
    return this.#write(async (tx) => {
      await tx`UPDATE watched SET next = ${from} WHERE since <> ${PENDING}`;
    });
  }

  clear(): Promise<void> {
    return this.#write(async (tx) => {
      await tx.unsafe(`TRUNCATE ${INDEX_TABLES.join(", ")}`);
      if (!this.#partitions) return;
      this.#partitions.reset();
      await tx.unsafe("TRUNCATE dropped_nfts");
      await tx`DELETE FROM facts WHERE key = ${KEPT_FACT}`;
    });
  }

  saveProperty(key: string, value: string): Promise<void> {
    return this.#write((tx) => saveProperty(tx, key, value));
  }

  changeState(state: PropertyChange): Promise<void> {
    return this.#write((tx) => changeState(tx, state));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Creates the partitions of blocks ahead of them, if the index is partitioned. */
  async #createPartitions({ blocks }: BlockRows): Promise<void> {
    if (!this.#partitions || blocks.length === 0) return;
    const numbers = blocks.map(({ number }) => number);
    await this.#partitions.create(Math.min(...numbers), Math.max(...numbers));
  }

  /** Adds the rows of a range of positions to the lengths of lists, or subtracts them. */
  async #addCounts(
    tx: Transaction,
    range: { from: number; end: number } | undefined,
    sign: 1 | -1,
  ): Promise<void> {
    if (range) await tx.unsafe(this.#countChange, [range.from, range.end, sign]);
  }

  /** A change that only the leader makes. */
  async #write(change: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#pool.begin(async (tx) => {
      await change(tx);
      await this.#assertLeader(tx);
    });
  }

  /** A change that any process can make. */
  async #writeShared(change: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#pool.begin(change);
  }
}

async function saveProperty(tx: Transaction, key: string, value: string): Promise<void> {
  await tx`INSERT INTO facts VALUES (${key}, ${value}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
}

/** The first block whose events are kept; undefined if none have been removed. */
async function keptFrom(tx: Transaction): Promise<number | undefined> {
  const [kept] = await tx<{ value: string }>`SELECT value FROM facts WHERE key = ${KEPT_FACT}`;
  return kept && Number(kept.value);
}

/** Saves the state of the store of the events, if it is still the one that the change is based on. */
async function changeState(tx: Transaction, { key, before, after }: PropertyChange): Promise<void> {
  const changed =
    before === undefined
      ? await tx`INSERT INTO facts VALUES (${key}, ${after}) ON CONFLICT (key) DO NOTHING`
      : await tx`UPDATE facts SET value = ${after} WHERE key = ${key} AND value = ${before}`;
  if (changed.count === 0) throw new CheckpointConflictError("another process has changed the events");
}

const COUNT_PARAMETERS = { from: "$1::int8", end: "$2::int8", sign: "$3::int8" };

/** PostgreSQL's text cannot contain NUL. */
function withoutNul({ name, symbol, ...token }: TokenMetadata) {
  return { ...token, name: name?.replaceAll("\0", "") ?? null, symbol: symbol?.replaceAll("\0", "") ?? null };
}
