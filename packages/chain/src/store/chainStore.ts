import { toBytes, toHex } from "../model/hexBytes.ts";
import {
  type BlockRow,
  blockOf,
  IN_BLOCK,
  type LogRow,
  type NftTransferRow,
  positionOf,
  type TradeRow,
  type TransactionRow,
} from "../model/rows.ts";
import type { TokenFacts } from "../model/tokens.ts";
import { DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import { Erc20Holdings } from "./erc20Balances.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import type { Watched } from "./indexWriter.ts";
import { NftHoldings } from "./nftBalances.ts";
import { NftMetadata } from "./nftMetadata.ts";
import { openReader } from "./openReader.ts";
import { marks, padded } from "./placeholders.ts";
import type { Found } from "./queryResult.ts";
import type {
  BlocksTable,
  FactsTable,
  LogsTable,
  NftTransfersTable,
  TokensTable,
  TradesTable,
  TransactionsTable,
  WatchedTable,
} from "./schema.ts";
import {
  blockRow,
  type Erc20Transfer,
  erc20Transfer,
  type IndexedLog,
  indexedLog,
  nftTransferRow,
  tokenFacts,
  tradeRow,
  transactionRow,
  watchedRow,
} from "./tableRows.ts";
import {
  type Arm,
  boundsOf,
  erc20OfToken,
  erc20OfWallet,
  type NftSelection,
  nftArms,
  seekOf,
  type Window,
} from "./unionBranches.ts";

export type { Found };

/** Reads the index of one chain. */
export class ChainStore {
  readonly #reader: IndexReader;
  /** The metadata of NFTs. */
  readonly metadata: NftMetadata;
  /** Who holds which NFTs. */
  readonly nfts: NftHoldings;
  /** Who holds how much of ERC-20 tokens, by what was moved. */
  readonly erc20: Erc20Holdings;

  constructor(reader: IndexReader) {
    this.#reader = reader;
    this.metadata = new NftMetadata(reader);
    this.nfts = new NftHoldings(reader);
    this.erc20 = new Erc20Holdings(reader);
  }

  /** For those who keep the index: without bounds, in the caller's own thread. */
  static async open(place: IndexLocation, connections?: number): Promise<ChainStore> {
    return new ChainStore(await openReader(place, connections));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async facts(): Promise<Map<string, string>> {
    const rows = await this.#reader.all<FactsTable>("SELECT key, value FROM facts", []);
    return new Map(rows.map(({ key, value }) => [key, value]));
  }

  /** The newest indexed block: where to go on. */
  async checkpoint(): Promise<BlockRow | undefined> {
    return this.#block("ORDER BY number DESC LIMIT 1", []);
  }

  /** The oldest indexed block. */
  async first(): Promise<BlockRow | undefined> {
    return this.#block("ORDER BY number LIMIT 1", []);
  }

  async block(number: number): Promise<BlockRow | undefined> {
    return this.#block("WHERE number = ?", [number]);
  }

  /** Newest first, at or below a number. */
  async blocksDownFrom(number: number, limit: number): Promise<BlockRow[]> {
    const text = "SELECT * FROM blocks WHERE number <= ? ORDER BY number DESC LIMIT ?";
    return (await this.#reader.all<BlocksTable>(text, [number, limit])).map(blockRow);
  }

  async blocks(numbers: Iterable<number>): Promise<Map<number, BlockRow>> {
    const wanted = [...new Set(numbers)];
    if (wanted.length === 0) return new Map();
    const rows = await this.#reader.all<BlocksTable>(
      `SELECT * FROM blocks WHERE number IN (${marks(wanted.length)})`,
      padded(wanted),
    );
    return new Map(rows.map((row) => [row.number, blockRow(row)]));
  }

  /** The newest block at or before a time (seconds since the epoch). */
  async blockBefore(time: number): Promise<BlockRow | undefined> {
    return this.#block("WHERE timestamp <= ? ORDER BY timestamp DESC, number DESC LIMIT 1", [time]);
  }

  /** The oldest block at or after a time (seconds since the epoch). */
  async blockAfter(time: number): Promise<BlockRow | undefined> {
    return this.#block("WHERE timestamp >= ? ORDER BY timestamp, number LIMIT 1", [time]);
  }

  /** Transactions from or to an address. */
  async transactions(address: string, window: Window): Promise<Found<TransactionRow>> {
    const own = toBytes(address);
    const arms = [
      { where: "from_address = ?", values: [own] },
      // What somebody sends to himself is one transaction.
      { where: "to_address = ? AND from_address <> ?", values: [own, own] },
    ];
    const { rows, total } = await this.#list<TransactionsTable>("transactions", arms, window, false);
    return { rows: rows.map(transactionRow), total };
  }

  /** By position in the chain; undefined for those that the index does not have. */
  async transactionsAt(positions: number[]): Promise<Map<number, TransactionRow>> {
    if (positions.length === 0) return new Map();
    const rows = await this.#reader.all<TransactionsTable>(
      `SELECT * FROM transactions WHERE position IN (${marks(positions.length)})`,
      padded(positions),
    );
    return new Map(rows.map((row) => [row.position, transactionRow(row)]));
  }

  /** A contract's logs; `topics` are the wanted ones by place, undefined for any. */
  async logs(address: string, topics: (string | undefined)[], window: Window): Promise<Found<IndexedLog>> {
    const values: SqlValue[] = [toBytes(address)];
    const conditions = topics.flatMap((topic, i) => {
      if (topic === undefined) return [];
      values.push(toBytes(topic));
      return [` AND topic${i} = ?`];
    });
    // Logs of other events are found by their topic, however many transfers the contract has logged.
    const [topic] = topics;
    const isOther = topic !== undefined && !COUNTED_TOPICS.has(topic);
    const arms = [{ where: `address = ?${conditions.join("")}${isOther ? " AND erc20 = 0" : ""}`, values }];
    const { rows, total } = await this.#list<LogsTable>("logs", arms, window, false);
    return { rows: rows.map(indexedLog), total };
  }

  /** The last block up to which there are at most so many logs from a block on, or that block; undefined for all. */
  async lastBlockWithin(from: number, logs: number): Promise<number | undefined> {
    const [row] = await this.#reader.all<{ position: number }>(
      "SELECT position FROM logs WHERE position >= ? ORDER BY position LIMIT 1 OFFSET ?",
      [positionOf(from, 0), logs],
    );
    return row && Math.max(from, blockOf(row.position) - 1);
  }

  /** The logs of some blocks, both ends included, in their order, and who sent their transactions. */
  async blockContents(
    from: number,
    to: number,
  ): Promise<{ logs: LogRow[]; transactions: { hash: string; from: string }[] }> {
    const bounds = [positionOf(from, 0), positionOf(to + 1, 0)];
    const [logs, transactions] = await Promise.all([
      this.#reader.all<LogsTable>(
        "SELECT * FROM logs WHERE position >= ? AND position < ? ORDER BY position",
        bounds,
      ),
      this.#reader.all<Pick<TransactionsTable, "hash" | "from_address">>(
        "SELECT hash, from_address FROM transactions WHERE position >= ? AND position < ?",
        bounds,
      ),
    ]);
    return {
      logs: logs.map((row) => ({ ...indexedLog(row), isErc20: row.erc20 === 1 })),
      transactions: transactions.map((row) => ({ hash: toHex(row.hash), from: toHex(row.from_address) })),
    };
  }

  /** A wallet's, in or out, or a token's. */
  async erc20Transfers(
    of: { wallet: string } | { token: string },
    window: Window,
  ): Promise<Found<Erc20Transfer>> {
    const arms = "token" in of ? [erc20OfToken(of.token)] : erc20OfWallet(of.wallet);
    const { rows, total } = await this.#list<LogsTable>("logs", arms, window, false);
    return { rows: rows.map(erc20Transfer), total };
  }

  async nftTransfers(of: NftSelection, window: Window): Promise<Found<NftTransferRow>> {
    const { rows, total } = await this.#list<NftTransfersTable>("nft_transfers", nftArms(of), window, true);
    return { rows: rows.map(nftTransferRow), total };
  }

  /** The sales of a collection of which one of some contracts tells. */
  async trades(token: string, marketplaces: readonly string[], window: Window): Promise<Found<TradeRow>> {
    const arms = marketplaces.map((marketplace) => ({
      where: "token = ? AND marketplace = ?",
      values: [toBytes(token), toBytes(marketplace)],
    }));
    if (arms.length === 0) return { rows: [], total: 0 };
    const { rows, total } = await this.#list<TradesTable>("trades", arms, window, false);
    return { rows: rows.map(tradeRow), total };
  }

  /** The cheapest of them that was paid in the chain's own coin, from a block on; of several the newest. */
  async lowestTrade(
    token: string,
    marketplaces: readonly string[],
    fromBlock: number,
  ): Promise<TradeRow | undefined> {
    if (marketplaces.length === 0) return undefined;
    const [row] = await this.#reader.all<TradesTable>(
      `SELECT * FROM trades WHERE token = ? AND marketplace IN (${marks(marketplaces.length)})
         AND position >= ? AND price_token IS NULL${this.#reader.dialect.visits}
         ORDER BY price, position DESC LIMIT 1`,
      [toBytes(token), ...padded(marketplaces.map(toBytes)), positionOf(fromBlock, 0)],
      "list",
    );
    return row && tradeRow(row);
  }

  /**
   * Rows after a place, up to the end of a block, in their order and with their blocks; undefined where one of the two
   * blocks is not in the index. One statement, so that all is of one moment.
   */
  async selected<Row extends { position: number; part: number }>(
    { columns, table, conditions }: Selected<Row>,
    after: { position: number; part: number; block: { number: number; hash: string } } | undefined,
    upTo: { number: number; hash: string },
    limit: number,
  ): Promise<{ row: Row; hash: string; timestamp: number }[] | undefined> {
    const hasParts = table === "nft_transfers";
    const bounds = boundsOf({ toBlock: upTo.number, offset: 0, limit });
    const seek = seekOf({ after, ascending: true, offset: 0, limit }, hasParts);
    const order = hasParts ? "position, part" : "position";
    const selects = conditions.map(
      ({ where }) =>
        `SELECT * FROM (SELECT ${columns} FROM ${table} WHERE ${where}${bounds.text}${seek.text}${this.#reader.dialect.visits} ORDER BY ${order} LIMIT ?) AS arm`,
    );
    const known = after ? " AND EXISTS (SELECT 1 FROM blocks c WHERE c.number = ? AND c.hash = ?)" : "";
    const rows = await this.#reader.all<FoundRow & Row>(
      `SELECT found.*, b.hash AS block_hash, b.timestamp AS block_timestamp FROM blocks t
       LEFT JOIN (SELECT * FROM (${selects.join(" UNION ALL ")}) AS arms ORDER BY position, part LIMIT ?) AS found ON TRUE
       LEFT JOIN blocks b ON b.number = found.position / ${IN_BLOCK}
       WHERE t.number = ? AND t.hash = ?${known} ORDER BY found.position, found.part`,
      [
        ...conditions.flatMap(({ values }) => [...values, ...bounds.values, ...seek.values, limit]),
        limit,
        upTo.number,
        toBytes(upTo.hash),
        ...(after ? [after.block.number, toBytes(after.block.hash)] : []),
      ],
      "list",
    );
    if (rows.length === 0) return undefined;
    return rows.flatMap((row) => {
      const { block_hash: hash, block_timestamp: timestamp } = row;
      return hash && timestamp !== null ? [{ row, hash: toHex(hash), timestamp }] : [];
    });
  }

  /** Those of which something is known. */
  async tokens(addresses: string[]): Promise<Map<string, TokenFacts>> {
    if (addresses.length === 0) return new Map();
    const rows = await this.#reader.all<TokensTable>(
      `SELECT * FROM tokens WHERE known = 1 AND address IN (${marks(addresses.length)})`,
      padded(addresses.map(toBytes)),
    );
    return new Map(rows.map((row) => [toHex(row.address), tokenFacts(row)]));
  }

  /** ERC-20 tokens with one of these symbols, any case. */
  async tokensBySymbol(symbols: string[], limit: number): Promise<TokenFacts[]> {
    if (symbols.length === 0) return [];
    const rows = await this.#reader.all<TokensTable>(
      `SELECT * FROM tokens WHERE standard = 20 AND lower(symbol) IN (${marks(symbols.length)}) ORDER BY position, address LIMIT ?`,
      [...padded(symbols.map((symbol) => symbol.toLowerCase())), limit],
      "list",
    );
    return rows.map(tokenFacts);
  }

  /** Tokens whose contracts have not been asked yet. */
  async unknownTokens(limit: number): Promise<{ address: string; standard: number }[]> {
    const rows = await this.#reader.all<TokensTable>(
      "SELECT * FROM tokens WHERE known = 0 ORDER BY address LIMIT ?",
      [limit],
    );
    return rows.map(({ address, standard }) => ({ address: toHex(address), standard }));
  }

  /** Watched addresses whose history down to a block is not all read. */
  async unfinished(start: number): Promise<Watched[]> {
    const rows = await this.#reader.all<WatchedTable>(
      "SELECT * FROM watched WHERE next >= ? ORDER BY next DESC LIMIT 1000",
      [start],
    );
    return rows.map(watchedRow);
  }

  /** Some watched addresses, those with the most still to be read first. */
  async someWatched(most: number): Promise<Watched[]> {
    const rows = await this.#reader.all<WatchedTable>(
      "SELECT * FROM watched ORDER BY next DESC, address LIMIT ?",
      [most],
    );
    return rows.map(watchedRow);
  }

  async countWatched(): Promise<number> {
    const [row] = await this.#reader.all<{ count: number }>(
      `SELECT count(*) AS count FROM watched WHERE TRUE${this.#reader.dialect.visits}`,
      [],
      "list",
    );
    return Number(row?.count ?? 0);
  }

  async watched(addresses?: string[]): Promise<Watched[]> {
    if (addresses?.length === 0) return [];
    const where = addresses ? `WHERE address IN (${marks(addresses.length)})` : "";
    const rows = await this.#reader.all<WatchedTable>(
      `SELECT * FROM watched ${where}`,
      addresses ? padded(addresses.map(toBytes)) : [],
    );
    return rows.map(watchedRow);
  }

  async #block(clause: string, values: SqlValue[]): Promise<BlockRow | undefined> {
    const [row] = await this.#reader.all<BlocksTable>(`SELECT * FROM blocks ${clause}`, values);
    return row && blockRow(row);
  }

  /** What fulfils one of the conditions, none of which overlap: each is read by an index of its own, in order. */
  async #list<Row>(table: string, arms: Arm[], window: Window, hasParts: boolean): Promise<Found<Row>> {
    const { visits } = this.#reader.dialect;
    const bounds = boundsOf(window);
    const seek = seekOf(window, hasParts);
    const direction = window.ascending ? "ASC" : "DESC";
    const order = hasParts ? `position ${direction}, part ${direction}` : `position ${direction}`;
    const { limit, offset } = window;
    const selects = arms.map(
      ({ where }) =>
        `SELECT * FROM (SELECT * FROM ${table} WHERE ${where}${bounds.text}${seek.text}${visits} ORDER BY ${order} LIMIT ?) AS arm`,
    );
    const values = arms.flatMap((arm) => [...arm.values, ...bounds.values, ...seek.values, limit + offset]);
    const counts = arms.map(
      ({ where }) => `(SELECT count(*) FROM ${table} WHERE ${where}${bounds.text}${visits})`,
    );
    const [rows, [count]] = await Promise.all([
      limit === 0
        ? []
        : this.#reader.all<Row>(
            `SELECT * FROM (${selects.join(" UNION ALL ")}) AS found ORDER BY ${order} LIMIT ? OFFSET ?`,
            [...values, limit, offset],
            "list",
          ),
      this.#reader.all<{ n: number }>(
        `SELECT ${counts.join(" + ")} AS n`,
        arms.flatMap((arm) => [...arm.values, ...bounds.values]),
        "list",
      ),
    ]);
    return { rows, total: count?.n ?? 0 };
  }
}

/** Events that may count as ERC-20 transfers. */
const COUNTED_TOPICS: ReadonlySet<string> = new Set([TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);

/** Rows of one table that fulfil one of some conditions, none of which overlap. */
export interface Selected<Row> {
  columns: string;
  table: string;
  conditions: Arm[];
  fields(row: Row): unknown;
}

interface FoundRow {
  /** null where nothing was found. */
  block_hash: Uint8Array | null;
  block_timestamp: number | null;
}
