import { expressionBuilder, sql } from "kysely";
import type { Marketplace } from "../model/chainConfig.ts";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { isHeld, isOwned } from "./nftBalanceConditions.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";
import { isSaleOf } from "./trades.ts";

const ofTransfers = expressionBuilder<ChainTables, "nft_transfers">();

/** Numbers of a collection. */
export interface CollectionCounts {
  /** Tokens with an owner. */
  tokens: number;
  owners: number;
  transfers: number;
  sales: number;
}

/** A price of a sale, and of how many tokens. */
export interface SalePrice {
  price: bigint;
  /** null for the native coin. */
  currency: string | null;
  tokens: number;
}

/** A value of a trait as JSON text, and the number of tokens that have it. */
export interface TraitCount {
  type: string;
  value: string;
  count: number;
}

/** How rare the traits of a token are. */
export interface TokenRarity {
  tokenId: string;
  /** 1 for the rarest; equal scores share it. */
  rank: number;
  /** Information content of its traits, divided by the average of the collection (the score of OpenRarity). */
  score: number;
}

/** A collection of a wallet. */
export interface WalletCollection {
  token: string;
  standard: number;
  /** Number of different tokens. */
  count: number;
}

/** Prices per read, which the request loop converts at once. */
const PRICE_BATCH_SIZE = 5_000;
/** One bit of information content: integers have the same sum in any order. */
const BIT = 1_000_000_000;

/** Sums and groups over the NFTs of a collection or of a wallet. */
export class NftCollections {
  readonly #reader: IndexReader;
  readonly #events: IndexReader;

  /** `events` reads transfers and sales, if they are stored elsewhere. */
  constructor(reader: IndexReader, events = reader) {
    this.#reader = reader;
    this.#events = events;
  }

  async counts(token: string, marketplaces: readonly Marketplace[]): Promise<CollectionCounts> {
    const { deadlineCheck } = this.#reader.dialect;
    const contract = toBytes(token);
    const held = query
      .selectFrom("nft_balances")
      .where("token", "=", contract)
      .where(isHeld)
      .where(deadlineCheck);
    const { dialect } = this.#events;
    const isTransfer = ofTransfers("token", "=", contract);
    const transfers = query
      .selectFrom(dialect.ordered("nft_transfers", isTransfer).as("nft_transfers"))
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where(isTransfer)
      .where(dialect.deadlineCheck);
    const isSale = isSaleOf(dialect, token, marketplaces);
    const sales = query
      .selectFrom(dialect.ordered("trades", isSale).as("trades"))
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where(isSale)
      .where(dialect.deadlineCheck);
    const [[row], [events]] = await Promise.all([
      this.#reader.all(
        held.select((eb) => [
          eb.fn.count<number>("token_id").distinct().as("tokens"),
          eb.fn.count<number>("owner").distinct().as("owners"),
        ]),
        "list",
      ),
      this.#events.all(query.selectNoFrom([transfers.as("transfers"), sales.as("sales")]), "list"),
    ]);
    return {
      tokens: row?.tokens ?? 0,
      owners: row?.owners ?? 0,
      transfers: events?.transfers ?? 0,
      sales: events?.sales ?? 0,
    };
  }

  /** The prices of the latest sales since a block. */
  async prices(
    token: string,
    marketplaces: readonly Marketplace[],
    fromBlock: number,
    limit: number,
  ): Promise<SalePrice[]> {
    const { dialect } = this.#events;
    const isSale = isSaleOf(dialect, token, marketplaces);
    const prices: SalePrice[] = [];
    let before = Number.MAX_SAFE_INTEGER;
    while (prices.length < limit) {
      const batch = Math.min(PRICE_BATCH_SIZE, limit - prices.length);
      const rows = await this.#events.all(
        query
          .selectFrom(dialect.ordered("trades", isSale).as("trades"))
          .select(["position", "price", "price_token", "token_ids"])
          .where(isSale)
          .where("position", ">=", positionOf(fromBlock, 0))
          .where("position", "<", before)
          .where(dialect.deadlineCheck)
          .orderBy("position", "desc")
          .limit(batch),
        "list",
      );
      for (const row of rows) {
        prices.push({
          price: BigInt(toHex(row.price)),
          currency: row.price_token && toHex(row.price_token),
          tokens: row.token_ids.split(",").length,
        });
      }
      before = rows.at(-1)?.position ?? 0;
      if (rows.length < batch) break;
    }
    return prices;
  }

  /** The most frequent values of the traits of a collection, and the number of tokens with metadata. */
  async traits(token: string, limit: number): Promise<{ traits: TraitCount[]; tokens: number }> {
    const { attributes, deadlineCheck } = this.#reader.dialect;
    const contract = toBytes(token);
    const [traits, [count]] = await Promise.all([
      this.#reader.all(
        sql<TraitCount>`SELECT ${attributes.type} AS type, ${attributes.value} AS value,
            count(DISTINCT nft_metadata.token_id) AS count
          FROM ${attributes.source}
          WHERE nft_metadata.token = ${contract} AND nft_metadata.metadata IS NOT NULL AND ${isOwned}
            AND ${attributes.type} IS NOT NULL AND ${attributes.value} IS NOT NULL AND ${deadlineCheck}
          GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${limit}`,
        "list",
      ),
      this.#reader.all(
        query
          .selectFrom("nft_metadata")
          .select((eb) => eb.fn.countAll<number>().as("n"))
          .where("token", "=", contract)
          .where("metadata", "is not", null)
          .where(isOwned)
          .where(deadlineCheck),
        "list",
      ),
    ]);
    return { traits, tokens: count?.n ?? 0 };
  }

  /** The tokens of a collection with traits, the rarest first, or one of them; and the number of all. */
  async rarities(
    token: string,
    { tokenId, offset, limit }: { tokenId?: string | undefined; offset: number; limit: number },
  ): Promise<{ rows: TokenRarity[]; total: number }> {
    const { attributes, deadlineCheck } = this.#reader.dialect;
    const contract = toBytes(token);
    const isWanted = tokenId === undefined ? sql`true` : sql`token_id = ${toBytes(tokenId)}`;
    const rows = await this.#reader.all(
      sql<{ token_id: Uint8Array; rank: number; score: number; total: number; sum: number; tokens: number }>`
        WITH found AS MATERIALIZED (
          SELECT DISTINCT nft_metadata.token_id AS token_id, ${attributes.type} AS type, ${attributes.value} AS value
          FROM ${attributes.source}
          WHERE nft_metadata.token = ${contract} AND nft_metadata.metadata IS NOT NULL AND ${isOwned}
            AND ${attributes.type} IS NOT NULL AND ${attributes.value} IS NOT NULL AND ${deadlineCheck}
        ),
        all_tokens AS (
          SELECT count(*) AS n FROM nft_metadata
          WHERE token = ${contract} AND metadata IS NOT NULL AND ${isOwned} AND ${deadlineCheck}
        ),
        counts AS (
          SELECT type, value,
            CAST(round(${sql.lit(BIT)} * ln(CAST(all_tokens.n AS double precision) / count(*)) / ln(2.0)) AS bigint) AS bits
          FROM found CROSS JOIN all_tokens GROUP BY type, value, all_tokens.n
        ),
        scores AS (
          SELECT found.token_id, CAST(sum(counts.bits) AS bigint) AS score
          FROM found JOIN counts ON counts.type = found.type AND counts.value = found.value
          GROUP BY found.token_id
        ),
        ranked AS (
          SELECT token_id, score, rank() OVER (ORDER BY score DESC) AS rank, count(*) OVER () AS total,
            CAST(sum(score) OVER () AS bigint) AS sum
          FROM scores
        )
        SELECT ranked.*, all_tokens.n AS tokens FROM ranked CROSS JOIN all_tokens
        WHERE ${isWanted} ORDER BY rank, token_id LIMIT ${limit} OFFSET ${offset}`,
      "list",
    );
    return {
      rows: rows.map(({ token_id, rank, score, sum, tokens }) => ({
        tokenId: toHex(token_id),
        rank,
        // If all tokens are alike, all are average.
        score: sum === 0 ? 1 : (score * tokens) / sum,
      })),
      total: rows[0]?.total ?? 0,
    };
  }

  /** The collections of which a wallet owns tokens, by address; `after` is the last one of the previous page. */
  async ofWallet(
    owner: string,
    {
      after,
      limit,
      excluded = [],
    }: { after?: string | undefined; limit: number; excluded?: readonly string[] },
  ): Promise<{ rows: WalletCollection[]; total: number }> {
    const { deadlineCheck } = this.#reader.dialect;
    const all = query
      .selectFrom("nft_balances")
      .where("owner", "=", toBytes(owner))
      .where(isHeld)
      .where(deadlineCheck);
    const held = excluded.length > 0 ? all.where("token", "not in", padValues(excluded.map(toBytes))) : all;
    const page = after === undefined ? held : held.where("token", ">", toBytes(after));
    const [rows, [count]] = await Promise.all([
      this.#reader.all(
        page
          .select((eb) => [
            "token",
            eb.fn.min<number>("standard").as("standard"),
            eb.fn.countAll<number>().as("count"),
          ])
          .groupBy("token")
          .orderBy("token")
          .limit(limit),
        "list",
      ),
      this.#reader.all(
        held.select((eb) => eb.fn.count<number>("token").distinct().as("n")),
        "list",
      ),
    ]);
    return {
      rows: rows.map(({ token, standard, count: tokens }) => ({
        token: toHex(token),
        standard,
        count: tokens,
      })),
      total: count?.n ?? 0,
    };
  }
}
