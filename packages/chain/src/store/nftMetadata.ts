import { toBytes, toHex } from "../model/hexBytes.ts";
import { type BlockRow, positionOf } from "../model/rows.ts";
import type { NftKey } from "../model/tokens.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import { padValues, placeholders } from "./placeholders.ts";
import type { NftMetadataTable, NftUpdatesTable } from "./schema.ts";

/** An NFT's metadata in the index. */
export interface MetadataRecord extends NftKey {
  uri: string | null;
  /** Whether the URI has been read from the contract. */
  isUriKnown: boolean;
  /** JSON text of an object. */
  metadata: string | null;
  /** Time of the last success and of the last attempt, in ms since the epoch. */
  syncedAt: number | null;
  attemptedAt: number | null;
  problem: string | null;
  /** Whether it is queued for reading. */
  isPending: boolean;
}

export interface MetadataMatch extends MetadataRecord {
  id: number;
  standard: number;
}

/** An NFT whose URI or metadata is due. */
export interface PendingNft extends NftKey {
  standard: number;
  /** null if it must be read from the contract. */
  uri: string | null;
  attempts: number;
}

/** Result of an attempt to read metadata. */
export type MetadataResult =
  /** `terms` are the search terms, separated by spaces. */
  | { metadata: string; terms: string }
  /** `retryAt` is the time of the next attempt, in ms since the epoch; null for none until the NFT changes. */
  | { problem: string; retryAt: number | null };

export interface MetadataSearch {
  /** For each term, the alternatives in the index; prefixes match. */
  terms: readonly (readonly string[])[];
  tokens?: readonly string[] | undefined;
  /** Block of the first transfer; both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only rows with a lower id. */
  after?: number | undefined;
  limit: number;
}

/** Metadata from this size on counts as large, in bytes. */
export const LARGE_METADATA = 16 * 1024;
/** Tokens per statement. */
const BATCH_SIZE = 128;
/** Tokens of one collection per update. */
const UPDATE_BATCH_SIZE = 1_000;
/** The range of all ids. */
const FIRST_ID = `0x${"0".repeat(64)}`;
const LAST_ID = `0x${"f".repeat(64)}`;
/** An update that applies regardless of the block. */
const ANY_BLOCK = 2 ** 33;

const NO_BYTES = Buffer.alloc(0);

/** Metadata of NFTs in the index of one chain, and the queue of pending ones. */
export class NftMetadataStore {
  readonly #reader: IndexReader;
  /** The collection that was updated last. */
  #lastUpdated: Uint8Array = NO_BYTES;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Returns records by `nftKeyString`. */
  async get(keys: readonly NftKey[]): Promise<Map<string, MetadataRecord>> {
    const rows = await this.#rows<NftMetadataTable>("*", keys);
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), metadataRecord(row)]));
  }

  /** Returns the length of metadata in characters, by `nftKeyString`. */
  async lengths(keys: readonly NftKey[]): Promise<Map<string, number>> {
    const rows = await this.#rows<Pick<NftMetadataTable, "token" | "token_id"> & { size: number }>(
      "token, token_id, coalesce(length(metadata), 0) + coalesce(length(uri), 0) AS size",
      keys,
    );
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), row.size]));
  }

  /** Total size of a collection's large metadata, in bytes. */
  async largeMetadataSize(token: string): Promise<number> {
    const [row] = await this.#reader.all<{ taken: number | string }>(
      `SELECT coalesce(sum(octet_length(metadata)), 0) AS taken FROM nft_metadata
       WHERE token = ? AND octet_length(metadata) > ${LARGE_METADATA}`,
      [toBytes(token)],
    );
    return Number(row?.taken ?? 0);
  }

  async #rows<Row>(columns: string, keys: readonly NftKey[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < keys.length; at += BATCH_SIZE) {
      const batch = padValues(keys.slice(at, at + BATCH_SIZE));
      const where = batch.map(() => "(token = ? AND token_id = ?)").join(" OR ");
      rows.push(
        ...(await this.#reader.all<Row>(
          `SELECT ${columns} FROM nft_metadata WHERE ${where}`,
          batch.flatMap(keyValues),
        )),
      );
    }
    return rows;
  }

  /** Returns rows that match all terms, latest first. */
  async search(search: MetadataSearch): Promise<{ rows: MetadataMatch[]; total: number }> {
    const { dialect } = this.#reader;
    const { tokens, fromBlock, toBlock, after, limit } = search;
    const conditions = [dialect.matchesTerms];
    const values: SqlValue[] = [dialect.termsQuery(search.terms)];
    const add = (condition: string, ...added: SqlValue[]) => {
      conditions.push(condition);
      values.push(...added);
    };
    if (tokens) add(`token IN (${placeholders(tokens.length)})`, ...padValues(tokens.map(toBytes)));
    if (fromBlock !== undefined) add("position >= ?", positionOf(fromBlock, 0));
    if (toBlock !== undefined) add("position < ?", positionOf(toBlock + 1, 0));
    const from = `FROM nft_metadata WHERE ${conditions.join(" AND ")}${dialect.deadlineCheck}`;
    const [rows, [count]] = await Promise.all([
      this.#reader.all<NftMetadataTable>(
        `SELECT * ${from}${after === undefined ? "" : " AND id < ?"} ORDER BY id DESC LIMIT ?`,
        [...values, ...(after === undefined ? [] : [after]), limit],
        "list",
      ),
      this.#reader.all<{ n: number }>(`SELECT count(*) AS n ${from}`, values, "list"),
    ]);
    const found = rows.map((row) => ({ ...metadataRecord(row), id: row.id, standard: row.standard }));
    return { rows: found, total: count?.n ?? 0 };
  }

  /** Tokens whose refresh was requested, among those that exist at a block. */
  async listRequested(block: number, limit: number): Promise<PendingNft[]> {
    const rows = await this.#reader.all<NftMetadataTable>(
      `SELECT ${PENDING_COLUMNS} FROM nft_metadata WHERE due = 0 AND position < ? ORDER BY token LIMIT ?`,
      [positionOf(block + 1, 0), limit],
    );
    return rows.map(pendingNft);
  }

  /** Collections with pending tokens, by address, after a given one. */
  async listPendingCollections(after: string, limit: number): Promise<string[]> {
    // Skips from one collection to the next, regardless of their size.
    const next = (bound: string) =>
      `SELECT token FROM nft_metadata WHERE due IS NOT NULL AND token > ${bound} ORDER BY token LIMIT 1`;
    const rows = await this.#reader.all<{ token: Uint8Array }>(
      `WITH RECURSIVE step(token) AS (
         SELECT token FROM (${next("?")}) AS first_one
         UNION ALL SELECT (${next("step.token")}) FROM step WHERE step.token IS NOT NULL)
       SELECT token FROM step WHERE token IS NOT NULL LIMIT ?`,
      [toBytes(after), limit],
    );
    return rows.map(({ token }) => toHex(token));
  }

  /** Some due tokens of each collection, among those that exist at a block. */
  async listPending(
    tokens: readonly string[],
    block: number,
    now: number,
    limitPerCollection: number,
  ): Promise<PendingNft[]> {
    if (tokens.length === 0) return [];
    const where = "token = ? AND due <= ? AND position < ?";
    const branch = `SELECT * FROM (SELECT ${PENDING_COLUMNS} FROM nft_metadata WHERE ${where} ORDER BY due LIMIT ?) AS branch`;
    const rows = await this.#reader.all<NftMetadataTable>(
      tokens.map(() => branch).join(" UNION ALL "),
      tokens.flatMap((token) => [toBytes(token), now, positionOf(block + 1, 0), limitPerCollection]),
    );
    return rows.map(pendingNft);
  }

  /**
   * Saves the URIs that contracts returned at a block, with embedded metadata. Metadata at other URIs stays due.
   * Saves nothing if the block is no longer in the index. Returns the number of saved tokens.
   */
  async saveUris(
    uris: readonly { key: NftKey; uri: string | null; result?: MetadataResult }[],
    block: BlockRow,
    now: number,
  ): Promise<number> {
    if (uris.length === 0) return 0;
    const { bytes, integer, rowLock } = this.#reader.dialect;
    const types = [bytes, bytes, "TEXT", "TEXT", "TEXT", "TEXT", integer];
    const first = `(${types.map((type) => `CAST(? AS ${type})`).join(", ")})`;
    const other = `(${types.map(() => "?").join(", ")})`;
    const values = uris.flatMap(({ key, uri, result }): SqlValue[] => {
      const isRead = result !== undefined && "metadata" in result;
      const problem = result !== undefined && "problem" in result ? result.problem : null;
      const retryAt = result === undefined ? KEEP_DUE : isRead ? null : result.retryAt;
      const [metadata, terms] = isRead ? [result.metadata, result.terms] : [null, null];
      return [...keyValues(key), uri, problem, metadata, terms, retryAt];
    });
    // Metadata of a previous URI no longer belongs to the token.
    const keepColumn = (column: string, arrived: string) =>
      `${column} = CASE WHEN arrived.column5 IS NOT NULL THEN ${arrived}
         WHEN uri IS NOT DISTINCT FROM arrived.column3 AND uri IS NOT NULL THEN ${column} END`;
    return this.#reader.change(
      `UPDATE nft_metadata SET uri = arrived.column3, uri_block = CAST(? AS ${integer}), problem = arrived.column4,
         ${keepColumn("metadata", "arrived.column5")}, ${keepColumn("words", "arrived.column6")},
         ${keepColumn("synced_at", `CAST(? AS ${integer})`)},
         tries = CASE WHEN arrived.column4 IS NULL OR arrived.column7 IS NULL THEN 0 ELSE tries + 1 END,
         looked_at = CASE WHEN arrived.column7 = ${KEEP_DUE} THEN looked_at ELSE CAST(? AS ${integer}) END,
         due = CASE WHEN arrived.column7 = ${KEEP_DUE} THEN due ELSE arrived.column7 END
       FROM (VALUES ${[first, ...uris.slice(1).map(() => other)].join(", ")}) AS arrived
       WHERE token = arrived.column1 AND token_id = arrived.column2
         AND EXISTS (SELECT 1 FROM blocks WHERE number = ? AND hash = ?${rowLock})`,
      [block.number, now, now, ...values, block.number, toBytes(block.hash)],
    );
  }

  /** Postpones tokens whose contract could not be called. */
  async postpone(
    keys: readonly NftKey[],
    problem: string,
    retryAt: number | null,
    now: number,
  ): Promise<void> {
    if (keys.length === 0) return;
    const where = keys.map(() => "(token = ? AND token_id = ?)").join(" OR ");
    await this.#reader.change(
      `UPDATE nft_metadata SET problem = ?, looked_at = ?, tries = tries + 1, due = ? WHERE ${where}`,
      [problem, now, retryAt, ...keys.flatMap(keyValues)],
    );
  }

  /** Saves metadata that was fetched from a URI, if it is still the token's URI. */
  async saveContent(key: NftKey, uri: string, result: MetadataResult, now: number): Promise<void> {
    const condition = "WHERE token = ? AND token_id = ? AND uri = ? AND uri_block IS NOT NULL";
    const values = [...keyValues(key), uri];
    if ("metadata" in result) {
      await this.#reader.change(
        `UPDATE nft_metadata SET metadata = ?, words = ?, synced_at = ?, looked_at = ?, problem = NULL, tries = 0,
           due = NULL ${condition}`,
        [result.metadata, result.terms, now, now, ...values],
      );
    } else {
      await this.#reader.change(
        `UPDATE nft_metadata SET problem = ?, looked_at = ?, tries = tries + 1, due = ? ${condition}`,
        [result.problem, now, result.retryAt, ...values],
      );
    }
  }

  /** Queues a token for immediate refresh: its URI too, or the metadata only. Returns whether the token exists. */
  async requestRefresh({ token, tokenId }: NftKey, target: "uri" | "metadata"): Promise<boolean> {
    const uri = target === "uri" ? "uri_block = NULL, " : "";
    const changed = await this.#reader.change(
      `UPDATE nft_metadata SET ${uri}tries = 0, due = 0 WHERE token = ? AND token_id = ?`,
      [toBytes(token), toBytes(tokenId)],
    );
    return changed > 0;
  }

  /** Queues a collection for refresh: its name and symbol, and all tokens. */
  async requestCollectionRefresh(token: string): Promise<void> {
    const bytes = toBytes(token);
    await this.#reader.change("UPDATE tokens SET known = 0 WHERE address = ?", [bytes]);
    await this.#addUpdate(bytes, toBytes(FIRST_ID), toBytes(LAST_ID), ANY_BLOCK);
  }

  /** Queues tokens that contracts reported as updated up to a block. Returns whether there are more. */
  async applyUpdates(upTo: number): Promise<boolean> {
    // Rotates through collections, so that one with constant updates does not delay others.
    const [update] = await this.#reader.all<NftUpdatesTable>(
      `SELECT * FROM nft_updates WHERE token > ? AND (block <= ? OR block = ${ANY_BLOCK}) ORDER BY token, first LIMIT 1`,
      [this.#lastUpdated, upTo],
    );
    if (!update) {
      const isRoundDone = this.#lastUpdated.length > 0;
      this.#lastUpdated = NO_BYTES;
      return isRoundDone;
    }
    this.#lastUpdated = update.token;
    const { token, first, last, block } = update;
    const inRange = "token = ? AND token_id >= ? AND token_id <= ?";
    const batch = await this.#reader.all<Pick<NftMetadataTable, "token_id">>(
      `SELECT token_id FROM nft_metadata WHERE ${inRange} ORDER BY token_id LIMIT ?`,
      [token, first, last, UPDATE_BATCH_SIZE],
    );
    const lastId = batch.at(-1)?.token_id;
    if (lastId) {
      await this.#reader.change(
        `UPDATE nft_metadata SET uri_block = NULL, tries = 0, due = coalesce(due, 1)
         WHERE ${inRange} AND (uri_block < ? OR (uri_block IS NULL AND due IS NULL))`,
        [token, first, lastId, block],
      );
      const next = BigInt(toHex(lastId)) + 1n;
      // Insert the remainder before deleting the original, so that a crash in between loses nothing.
      if (batch.length === UPDATE_BATCH_SIZE && next <= BigInt(toHex(last)))
        await this.#addUpdate(token, toBytes(`0x${next.toString(16).padStart(64, "0")}`), last, block);
    }
    await this.#reader.change(
      "DELETE FROM nft_updates WHERE token = ? AND first = ? AND last = ? AND block = ?",
      [token, first, last, block],
    );
    return true;
  }

  async #addUpdate(token: Uint8Array, first: Uint8Array, last: Uint8Array, block: number): Promise<void> {
    const { integer } = this.#reader.dialect;
    const largest = (column: string) =>
      `${column} = CASE WHEN excluded.${column} > nft_updates.${column} THEN excluded.${column} ELSE nft_updates.${column} END`;
    await this.#reader.change(
      `INSERT INTO nft_updates (token, first, last, block) VALUES (?, ?, ?, CAST(? AS ${integer}))
       ON CONFLICT (token, first) DO UPDATE SET ${largest("last")}, ${largest("block")}`,
      [token, first, last, block],
    );
  }
}

const PENDING_COLUMNS = "token, token_id, standard, uri, uri_block, tries";
/** Instead of a time: pending tokens stay due. */
const KEEP_DUE = -1;

function keyValues({ token, tokenId }: NftKey): SqlValue[] {
  return [toBytes(token), toBytes(tokenId)];
}

function pendingNft(row: NftMetadataTable): PendingNft {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    standard: row.standard,
    uri: row.uri_block === null ? null : row.uri,
    attempts: row.tries,
  };
}

function metadataRecord(row: NftMetadataTable): MetadataRecord {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    uri: row.uri,
    isUriKnown: row.uri_block !== null,
    metadata: row.metadata,
    syncedAt: row.synced_at,
    attemptedAt: row.looked_at,
    problem: row.problem,
    isPending: row.due !== null,
  };
}
