import { toBytes, toHex } from "../model/hexBytes.ts";
import { type BlockRow, positionOf } from "../model/rows.ts";
import type { NftKey } from "../model/tokens.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import { marks, padded } from "./placeholders.ts";
import type { NftMetadataTable, NftUpdatesTable } from "./schema.ts";

/** What the index knows of an NFT's metadata. */
export interface KnownMetadata extends NftKey {
  uri: string | null;
  /** Whether the contract has been asked for the URI. */
  isAsked: boolean;
  /** The text of a JSON object. */
  metadata: string | null;
  /** When the metadata was read and when it was last tried, in ms since the epoch. */
  syncedAt: number | null;
  lookedAt: number | null;
  problem: string | null;
  /** Whether it is to be read (again). */
  isDue: boolean;
}

export interface FoundMetadata extends KnownMetadata {
  id: number;
  standard: number;
}

/** An NFT whose URI or metadata is to be read now. */
export interface DueNft extends NftKey {
  standard: number;
  /** null where the contract is to be asked for it. */
  uri: string | null;
  tries: number;
}

/** What has become of a look. */
export type Outcome =
  /** `words` are what it is found by, with blanks between. */
  | { metadata: string; words: string }
  /** `again` is when to look again, in ms since the epoch; null for not before something happens. */
  | { problem: string; again: number | null };

export interface MetadataSearch {
  /** For each word that is wanted, what it may be in the index: one of these, or what begins with it. */
  words: readonly (readonly string[])[];
  tokens?: readonly string[] | undefined;
  /** Of the first transfer; both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only those that came into the index before this one. */
  after?: number | undefined;
  limit: number;
}

/** Metadata is large from this length on, in bytes. */
export const LARGE_METADATA = 16 * 1024;
/** Tokens asked for in one text. */
const AT_ONCE = 128;
/** Tokens of one collection that are marked in one change. */
const MARKED_AT_ONCE = 1_000;
/** Every id. */
const FIRST_ID = `0x${"0".repeat(64)}`;
const LAST_ID = `0x${"f".repeat(64)}`;
/** An update that concerns what was read at any block. */
const ANY_BLOCK = 2 ** 33;

const NOTHING = Buffer.alloc(0);

/** The metadata of NFTs in the index of one chain, and the list of what is to be read. */
export class NftMetadata {
  readonly #index: IndexReader;
  /** The collection whose tokens were marked last. */
  #marked: Uint8Array = NOTHING;

  constructor(index: IndexReader) {
    this.#index = index;
  }

  /** By token and id (`keyText`). */
  async of(keys: readonly NftKey[]): Promise<Map<string, KnownMetadata>> {
    const rows = await this.#rows<NftMetadataTable>("*", keys);
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), knownMetadata(row)]));
  }

  /** How long the metadata of tokens is, in characters; by token and id (`keyText`). */
  async lengths(keys: readonly NftKey[]): Promise<Map<string, number>> {
    const rows = await this.#rows<Pick<NftMetadataTable, "token" | "token_id"> & { size: number }>(
      "token, token_id, coalesce(length(metadata), 0) + coalesce(length(uri), 0) AS size",
      keys,
    );
    return new Map(rows.map((row) => [toHex(row.token) + toHex(row.token_id), row.size]));
  }

  /** What large metadata of a collection takes together, in bytes. */
  async largeBytes(token: string): Promise<number> {
    const [row] = await this.#index.all<{ taken: number | string }>(
      `SELECT coalesce(sum(octet_length(metadata)), 0) AS taken FROM nft_metadata
       WHERE token = ? AND octet_length(metadata) > ${LARGE_METADATA}`,
      [toBytes(token)],
    );
    return Number(row?.taken ?? 0);
  }

  async #rows<Row>(columns: string, keys: readonly NftKey[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const some = padded(keys.slice(at, at + AT_ONCE));
      const where = some.map(() => "(token = ? AND token_id = ?)").join(" OR ");
      rows.push(
        ...(await this.#index.all<Row>(
          `SELECT ${columns} FROM nft_metadata WHERE ${where}`,
          some.flatMap(keyValues),
        )),
      );
    }
    return rows;
  }

  /** Those that have all the words, the newest in the index first. */
  async search(search: MetadataSearch): Promise<{ rows: FoundMetadata[]; total: number }> {
    const { dialect } = this.#index;
    const { tokens, fromBlock, toBlock, after, limit } = search;
    const conditions = [dialect.hasWords];
    const values: SqlValue[] = [dialect.wordsQuery(search.words)];
    const add = (condition: string, ...added: SqlValue[]) => {
      conditions.push(condition);
      values.push(...added);
    };
    if (tokens) add(`token IN (${marks(tokens.length)})`, ...padded(tokens.map(toBytes)));
    if (fromBlock !== undefined) add("position >= ?", positionOf(fromBlock, 0));
    if (toBlock !== undefined) add("position < ?", positionOf(toBlock + 1, 0));
    const from = `FROM nft_metadata WHERE ${conditions.join(" AND ")}${dialect.visits}`;
    const [rows, [count]] = await Promise.all([
      this.#index.all<NftMetadataTable>(
        `SELECT * ${from}${after === undefined ? "" : " AND id < ?"} ORDER BY id DESC LIMIT ?`,
        [...values, ...(after === undefined ? [] : [after]), limit],
        "list",
      ),
      this.#index.all<{ n: number }>(`SELECT count(*) AS n ${from}`, values, "list"),
    ]);
    const found = rows.map((row) => ({ ...knownMetadata(row), id: row.id, standard: row.standard }));
    return { rows: found, total: count?.n ?? 0 };
  }

  /** Tokens that somebody has asked for, of those that are there at a block. */
  async wanted(block: number, limit: number): Promise<DueNft[]> {
    const rows = await this.#index.all<NftMetadataTable>(
      `SELECT ${DUE_COLUMNS} FROM nft_metadata WHERE due = 0 AND position < ? ORDER BY token LIMIT ?`,
      [positionOf(block + 1, 0), limit],
    );
    return rows.map(dueNft);
  }

  /** Collections with tokens that are to be read at some time, by address, from the one after an address on. */
  async collectionsDue(after: string, limit: number): Promise<string[]> {
    // From one collection to the next, however many tokens each has.
    const next = (bound: string) =>
      `SELECT token FROM nft_metadata WHERE due IS NOT NULL AND token > ${bound} ORDER BY token LIMIT 1`;
    const rows = await this.#index.all<{ token: Uint8Array }>(
      `WITH RECURSIVE step(token) AS (
         SELECT token FROM (${next("?")}) AS first_one
         UNION ALL SELECT (${next("step.token")}) FROM step WHERE step.token IS NOT NULL)
       SELECT token FROM step WHERE token IS NOT NULL LIMIT ?`,
      [toBytes(after), limit],
    );
    return rows.map(({ token }) => toHex(token));
  }

  /** Some tokens of each collection that are to be read now, of those that are there at a block. */
  async due(tokens: readonly string[], block: number, now: number, ofEach: number): Promise<DueNft[]> {
    if (tokens.length === 0) return [];
    const where = "token = ? AND due <= ? AND position < ?";
    const arm = `SELECT * FROM (SELECT ${DUE_COLUMNS} FROM nft_metadata WHERE ${where} ORDER BY due LIMIT ?) AS arm`;
    const rows = await this.#index.all<NftMetadataTable>(
      tokens.map(() => arm).join(" UNION ALL "),
      tokens.flatMap((token) => [toBytes(token), now, positionOf(block + 1, 0), ofEach]),
    );
    return rows.map(dueNft);
  }

  /**
   * Keeps what contracts have said at a block, with the metadata where the URI holds it. What is read elsewhere stays
   * due. Nothing is kept where the block is no longer in the index. Answers how much has been kept.
   */
  async saveUris(
    read: readonly { key: NftKey; uri: string | null; outcome?: Outcome }[],
    block: BlockRow,
    now: number,
  ): Promise<number> {
    if (read.length === 0) return 0;
    const { bytes, integer, keeping } = this.#index.dialect;
    const types = [bytes, bytes, "TEXT", "TEXT", "TEXT", "TEXT", integer];
    const first = `(${types.map((type) => `CAST(? AS ${type})`).join(", ")})`;
    const other = `(${types.map(() => "?").join(", ")})`;
    const values = read.flatMap(({ key, uri, outcome }): SqlValue[] => {
      const isRead = outcome !== undefined && "metadata" in outcome;
      const problem = outcome !== undefined && "problem" in outcome ? outcome.problem : null;
      const again = outcome === undefined ? STAYS_DUE : isRead ? null : outcome.again;
      const [metadata, words] = isRead ? [outcome.metadata, outcome.words] : [null, null];
      return [...keyValues(key), uri, problem, metadata, words, again];
    });
    // What was at another address is no longer the token's.
    const kept = (column: string, arrived: string) =>
      `${column} = CASE WHEN arrived.column5 IS NOT NULL THEN ${arrived}
         WHEN uri IS NOT DISTINCT FROM arrived.column3 AND uri IS NOT NULL THEN ${column} END`;
    return this.#index.change(
      `UPDATE nft_metadata SET uri = arrived.column3, uri_block = CAST(? AS ${integer}), problem = arrived.column4,
         ${kept("metadata", "arrived.column5")}, ${kept("words", "arrived.column6")},
         ${kept("synced_at", `CAST(? AS ${integer})`)},
         tries = CASE WHEN arrived.column4 IS NULL OR arrived.column7 IS NULL THEN 0 ELSE tries + 1 END,
         looked_at = CASE WHEN arrived.column7 = ${STAYS_DUE} THEN looked_at ELSE CAST(? AS ${integer}) END,
         due = CASE WHEN arrived.column7 = ${STAYS_DUE} THEN due ELSE arrived.column7 END
       FROM (VALUES ${[first, ...read.slice(1).map(() => other)].join(", ")}) AS arrived
       WHERE token = arrived.column1 AND token_id = arrived.column2
         AND EXISTS (SELECT 1 FROM blocks WHERE number = ? AND hash = ?${keeping})`,
      [block.number, now, now, ...values, block.number, toBytes(block.hash)],
    );
  }

  /** Puts off tokens whose contract could not be asked. */
  async putOff(keys: readonly NftKey[], problem: string, again: number | null, now: number): Promise<void> {
    if (keys.length === 0) return;
    const where = keys.map(() => "(token = ? AND token_id = ?)").join(" OR ");
    await this.#index.change(
      `UPDATE nft_metadata SET problem = ?, looked_at = ?, tries = tries + 1, due = ? WHERE ${where}`,
      [problem, now, again, ...keys.flatMap(keyValues)],
    );
  }

  /** Keeps what was read at a URI, as long as that is still the token's. */
  async saveContent(key: NftKey, uri: string, outcome: Outcome, now: number): Promise<void> {
    const isStill = "WHERE token = ? AND token_id = ? AND uri = ? AND uri_block IS NOT NULL";
    const values = [...keyValues(key), uri];
    if ("metadata" in outcome) {
      await this.#index.change(
        `UPDATE nft_metadata SET metadata = ?, words = ?, synced_at = ?, looked_at = ?, problem = NULL, tries = 0,
           due = NULL ${isStill}`,
        [outcome.metadata, outcome.words, now, now, ...values],
      );
    } else {
      await this.#index.change(
        `UPDATE nft_metadata SET problem = ?, looked_at = ?, tries = tries + 1, due = ? ${isStill}`,
        [outcome.problem, now, outcome.again, ...values],
      );
    }
  }

  /** Has a token read at once: its URI too, or the metadata alone. Answers whether there is such a token. */
  async want({ token, tokenId }: NftKey, what: "uri" | "metadata"): Promise<boolean> {
    const uri = what === "uri" ? "uri_block = NULL, " : "";
    const changed = await this.#index.change(
      `UPDATE nft_metadata SET ${uri}tries = 0, due = 0 WHERE token = ? AND token_id = ?`,
      [toBytes(token), toBytes(tokenId)],
    );
    return changed > 0;
  }

  /** Has a collection read from the chain again: what it is called, and its tokens. */
  async wantCollection(token: string): Promise<void> {
    const bytes = toBytes(token);
    await this.#index.change("UPDATE tokens SET known = 0 WHERE address = ?", [bytes]);
    await this.#addUpdate(bytes, toBytes(FIRST_ID), toBytes(LAST_ID), ANY_BLOCK);
  }

  /** Marks some of the tokens that contracts have said up to a block are other ones. Answers whether there are more. */
  async markUpdated(upTo: number): Promise<boolean> {
    // Each time another collection: one that has everything changed at every block delays nobody else.
    const [update] = await this.#index.all<NftUpdatesTable>(
      `SELECT * FROM nft_updates WHERE token > ? AND (block <= ? OR block = ${ANY_BLOCK}) ORDER BY token, first LIMIT 1`,
      [this.#marked, upTo],
    );
    if (!update) {
      const isRoundDone = this.#marked.length > 0;
      this.#marked = NOTHING;
      return isRoundDone;
    }
    this.#marked = update.token;
    const { token, first, last, block } = update;
    const inRange = "token = ? AND token_id >= ? AND token_id <= ?";
    const some = await this.#index.all<Pick<NftMetadataTable, "token_id">>(
      `SELECT token_id FROM nft_metadata WHERE ${inRange} ORDER BY token_id LIMIT ?`,
      [token, first, last, MARKED_AT_ONCE],
    );
    const reached = some.at(-1)?.token_id;
    if (reached) {
      await this.#index.change(
        `UPDATE nft_metadata SET uri_block = NULL, tries = 0, due = coalesce(due, 1)
         WHERE ${inRange} AND (uri_block < ? OR (uri_block IS NULL AND due IS NULL))`,
        [token, first, reached, block],
      );
      const next = BigInt(toHex(reached)) + 1n;
      // What is left goes in before the whole goes out: whatever happens in between, nothing is forgotten.
      if (some.length === MARKED_AT_ONCE && next <= BigInt(toHex(last)))
        await this.#addUpdate(token, toBytes(`0x${next.toString(16).padStart(64, "0")}`), last, block);
    }
    await this.#index.change(
      "DELETE FROM nft_updates WHERE token = ? AND first = ? AND last = ? AND block = ?",
      [token, first, last, block],
    );
    return true;
  }

  async #addUpdate(token: Uint8Array, first: Uint8Array, last: Uint8Array, block: number): Promise<void> {
    const { integer } = this.#index.dialect;
    const largest = (column: string) =>
      `${column} = CASE WHEN excluded.${column} > nft_updates.${column} THEN excluded.${column} ELSE nft_updates.${column} END`;
    await this.#index.change(
      `INSERT INTO nft_updates (token, first, last, block) VALUES (?, ?, ?, CAST(? AS ${integer}))
       ON CONFLICT (token, first) DO UPDATE SET ${largest("last")}, ${largest("block")}`,
      [token, first, last, block],
    );
  }
}

const DUE_COLUMNS = "token, token_id, standard, uri, uri_block, tries";
/** In the place of a time: what is due stays so. */
const STAYS_DUE = -1;

function keyValues({ token, tokenId }: NftKey): SqlValue[] {
  return [toBytes(token), toBytes(tokenId)];
}

function dueNft(row: NftMetadataTable): DueNft {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    standard: row.standard,
    uri: row.uri_block === null ? null : row.uri,
    tries: row.tries,
  };
}

function knownMetadata(row: NftMetadataTable): KnownMetadata {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    uri: row.uri,
    isAsked: row.uri_block !== null,
    metadata: row.metadata,
    syncedAt: row.synced_at,
    lookedAt: row.looked_at,
    problem: row.problem,
    isDue: row.due !== null,
  };
}
