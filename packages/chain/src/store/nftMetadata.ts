import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { type BlockRow, positionOf } from "../model/rows.ts";
import type { NftKey } from "../model/tokens.ts";
import { IndexSwitchedError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { blockBounds, unionAll } from "./listQuery.ts";
import { isOwned } from "./nftBalanceConditions.ts";
import { padValues } from "./padValues.ts";
import { PENDING_COLUMNS, type PendingNft, type PendingRow, pendingNft } from "./tableRows.ts";
import type { ChainTables, NftMetadataTable } from "./tables.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

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

interface MetadataMatch extends MetadataRecord {
  id: number;
  standard: number;
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
  offset: number;
  limit: number;
}

export interface MetadataMatches {
  rows: MetadataMatch[];
  total: number;
  /** When the index was built, in ms since the epoch: the ids of another index are of other NFTs. */
  builtAt: number;
}

/** Metadata from this size on counts as large, in bytes. */
export const LARGE_METADATA = 16 * 1024;
/** Tokens per statement. */
const BATCH_SIZE = 512;
/** How the index was built, read in the same statement as its rows. */
const DEFINITION = sql<string | null>`(SELECT value FROM facts WHERE key = ${sql.lit(DEFINITION_FACT)})`.as(
  "definition",
);
const ofMetadata = expressionBuilder<ChainTables, "nft_metadata">();

/** Metadata of NFTs in the index of one chain, and the queue of pending ones. */
export class NftMetadataStore {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Returns records by `nftKeyString`. */
  async get(keys: readonly NftKey[]): Promise<Map<string, MetadataRecord>> {
    const rows = await this.#read<NftMetadataTable>(keys, sql`nft_metadata.*`);
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), metadataRecord(row)]));
  }

  /** Returns the standards of known NFTs that have owners, by `nftKeyString`. */
  async standards(keys: readonly NftKey[]): Promise<Map<string, number>> {
    const rows = await this.#read<Pick<NftMetadataTable, "token" | "token_id" | "standard">>(
      keys,
      sql`token, token_id, standard`,
      isOwned,
    );
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), row.standard]));
  }

  /** Returns the length of metadata in characters, by `nftKeyString`. */
  async lengths(keys: readonly NftKey[]): Promise<Map<string, number>> {
    const rows = await this.#read<Pick<NftMetadataTable, "token" | "token_id"> & { size: number }>(
      keys,
      sql`token, token_id, coalesce(length(metadata), 0) + coalesce(length(uri), 0) AS size`,
    );
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), row.size]));
  }

  /** Reads columns of tokens by a join: of a condition for each token, PostgreSQL would make a scan for each. */
  async #read<Row>(
    keys: readonly NftKey[],
    columns: Expression<unknown>,
    condition: Expression<SqlBool> = sql`true`,
  ): Promise<Row[]> {
    const { bytes } = this.#reader.dialect;
    const batches = Array.from({ length: Math.ceil(keys.length / BATCH_SIZE) }, (_, i) => {
      const batch = padValues(keys.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE));
      const wanted = batch.map(({ token, tokenId }) => {
        return sql`(CAST(${toBytes(token)} AS ${bytes}), CAST(${toBytes(tokenId)} AS ${bytes}))`;
      });
      return this.#reader.all(
        sql<Row>`SELECT ${columns}
          FROM (SELECT DISTINCT column1, column2 FROM (VALUES ${sql.join(wanted)}) AS listed) AS wanted
          CROSS JOIN nft_metadata WHERE token = column1 AND token_id = column2 AND ${condition}`,
      );
    });
    return (await Promise.all(batches)).flat();
  }

  /** Total size of a collection's large metadata, in bytes. */
  async largeMetadataSize(token: string): Promise<number> {
    const [row] = await this.#reader.all(
      query
        .selectFrom("nft_metadata")
        .select(sql<number | string>`coalesce(sum(octet_length(metadata)), 0)`.as("taken"))
        .where("token", "=", toBytes(token))
        .where(sql`octet_length(metadata)`, ">", LARGE_METADATA),
    );
    return Number(row?.taken ?? 0);
  }

  /** Returns rows that match all terms, latest first. */
  async search(search: MetadataSearch): Promise<MetadataMatches> {
    const { dialect } = this.#reader;
    const { terms, tokens, after, offset, limit } = search;
    const matches = query
      .selectFrom("nft_metadata")
      .where(
        ofMetadata.and([
          dialect.matchesTerms(terms),
          ...(tokens ? [ofMetadata("token", "in", padValues(tokens.map(toBytes)))] : []),
          ...blockBounds(search),
          isOwned,
          dialect.deadlineCheck,
        ]),
      );
    const page = after === undefined ? matches : matches.where("id", "<", after);
    const [rows, [count]] = await Promise.all([
      this.#reader.all(
        page.selectAll().select(DEFINITION).orderBy("id", "desc").limit(limit).offset(offset),
        "list",
      ),
      this.#reader.all(matches.select((eb) => eb.fn.countAll<number>().as("n")).select(DEFINITION), "list"),
    ]);
    const definition = count?.definition ?? null;
    if (rows.some((row) => row.definition !== definition)) throw new IndexSwitchedError();
    const found = rows.map((row) => ({ ...metadataRecord(row), id: row.id, standard: row.standard }));
    const { at = 0 }: { at?: number } = JSON.parse(definition ?? "{}");
    return { rows: found, total: count?.n ?? 0, builtAt: at };
  }

  /** Tokens whose refresh was requested, among those that exist at a block. */
  async listRequested(block: number, limit: number): Promise<PendingNft[]> {
    const rows = await this.#reader.all(
      query
        .selectFrom("nft_metadata")
        .select(PENDING_COLUMNS)
        .where("due", "=", sql.lit(0))
        .where("position", "<", positionOf(block + 1, 0))
        .orderBy("token")
        .limit(limit),
    );
    return rows.map(pendingNft);
  }

  /** Collections with pending tokens, by address, after a given one. */
  async listPendingCollections(after: string, limit: number): Promise<string[]> {
    // Skips from one collection to the next, regardless of their size.
    const next = (bound: Expression<Uint8Array> | Uint8Array) =>
      sql`SELECT token FROM nft_metadata WHERE due IS NOT NULL AND token > ${bound} ORDER BY token LIMIT 1`;
    const rows = await this.#reader.all(
      sql<{ token: Uint8Array }>`WITH RECURSIVE step(token) AS (
         SELECT token FROM (${next(toBytes(after))}) AS first_one
         UNION ALL SELECT (${next(sql.ref("step.token"))}) FROM step WHERE step.token IS NOT NULL)
       SELECT token FROM step WHERE token IS NOT NULL LIMIT ${limit}`,
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
    const branches = tokens.map((token) =>
      query
        .selectFrom("nft_metadata")
        .select(PENDING_COLUMNS)
        .where("token", "=", toBytes(token))
        .where("due", "<=", now)
        .where("position", "<", positionOf(block + 1, 0))
        .orderBy("due")
        .limit(limitPerCollection),
    );
    const rows = await this.#reader.all(sql<PendingRow>`${unionAll(branches)}`);
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
    const rows = uris.map(({ key, uri, result }) => {
      const isRead = result !== undefined && "metadata" in result;
      const problem = result !== undefined && "problem" in result ? result.problem : null;
      const retryAt = result === undefined ? KEEP_DUE : isRead ? null : result.retryAt;
      const [metadata, terms] = isRead ? [result.metadata, result.terms] : [null, null];
      const texts = [uri, problem, metadata, terms].map((text) => sql`CAST(${text} AS TEXT)`);
      const [token, tokenId] = [toBytes(key.token), toBytes(key.tokenId)].map(
        (id) => sql`CAST(${id} AS ${bytes})`,
      );
      return sql`(${sql.join([token, tokenId, ...texts, toInteger(retryAt)])})`;
    });
    function toInteger(value: number | null) {
      return sql`CAST(${value} AS ${integer})`;
    }
    // Metadata of a previous URI no longer belongs to the token.
    const keepColumn = (column: string, arrived: Expression<unknown>) =>
      sql`${sql.ref(column)} = CASE WHEN arrived.column5 IS NOT NULL THEN ${arrived}
         WHEN uri IS NOT DISTINCT FROM arrived.column3 AND uri IS NOT NULL THEN ${sql.ref(column)} END`;
    const keepDue = sql.lit(KEEP_DUE);
    return this.#reader.change(
      sql`UPDATE nft_metadata SET uri = arrived.column3, uri_block = ${toInteger(block.number)}, problem = arrived.column4,
         ${keepColumn("metadata", sql.ref("arrived.column5"))}, ${keepColumn("words", sql.ref("arrived.column6"))},
         ${keepColumn("synced_at", toInteger(now))},
         tries = CASE WHEN arrived.column4 IS NULL OR arrived.column7 IS NULL THEN 0 ELSE tries + 1 END,
         looked_at = CASE WHEN arrived.column7 = ${keepDue} THEN looked_at ELSE ${toInteger(now)} END,
         due = CASE WHEN arrived.column7 = ${keepDue} THEN due ELSE arrived.column7 END
       FROM (VALUES ${sql.join(rows)}) AS arrived
       WHERE token = arrived.column1 AND token_id = arrived.column2
         AND EXISTS (SELECT 1 FROM blocks WHERE number = ${block.number} AND hash = ${toBytes(block.hash)} ${rowLock})`,
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
    await this.#reader.change(failedAttempt(problem, retryAt, now).where(isOneOf(keys)));
  }

  /** Saves metadata that was fetched from a URI, if it is still the token's URI. */
  async saveContent(key: NftKey, uri: string, result: MetadataResult, now: number): Promise<void> {
    const update =
      "metadata" in result
        ? query.updateTable("nft_metadata").set({
            metadata: result.metadata,
            words: result.terms,
            synced_at: now,
            looked_at: now,
            problem: null,
            tries: 0,
            due: null,
          })
        : failedAttempt(result.problem, result.retryAt, now);
    await this.#reader.change(
      update
        .where(isOneOf([key]))
        .where("uri", "=", uri)
        .where("uri_block", "is not", null),
    );
  }

  /** Queues a token for immediate refresh: its URI too, or the metadata only. Returns whether the token exists. */
  async requestRefresh(key: NftKey, target: "uri" | "metadata"): Promise<boolean> {
    const changed = await this.#reader.change(
      query
        .updateTable("nft_metadata")
        .set({ tries: 0, due: 0, ...(target === "uri" && { uri_block: null }) })
        .where(isOneOf([key])),
    );
    return changed > 0;
  }
}

/** Instead of a time: pending tokens stay due. */
const KEEP_DUE = -1;

/** Condition for the rows of tokens. */
function isOneOf(keys: readonly NftKey[]): Expression<SqlBool> {
  return ofMetadata.or(
    keys.map(({ token, tokenId }) =>
      ofMetadata("token", "=", toBytes(token)).and("token_id", "=", toBytes(tokenId)),
    ),
  );
}

function failedAttempt(problem: string, retryAt: number | null, now: number) {
  return query
    .updateTable("nft_metadata")
    .set((eb) => ({ problem, looked_at: now, tries: eb("tries", "+", 1), due: retryAt }));
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
