import { type IndexPlace, type IndexReader, openReader, type SqlValue } from "./database.ts";
import { toBytes, toHex, toHexOrNull } from "./hexBytes.ts";
import type { TokenFacts, Watched } from "./indexWriter.ts";
import type {
  BlocksTable,
  FactsTable,
  LogsTable,
  NftBalancesTable,
  NftTransfersTable,
  TokensTable,
  TradesTable,
  TransactionsTable,
  WatchedTable,
} from "./layout.ts";
import { marks, padded } from "./marks.ts";
import { NftMetadata } from "./nftMetadata.ts";
import {
  type BlockRow,
  IN_BLOCK,
  type NftTransferRow,
  positionOf,
  type TradeRow,
  type TransactionRow,
} from "./rows.ts";
import { nftTransferRow, tradeRow } from "./sqliteIndex.ts";

/** Which part of a list is wanted; lists go from the newest to the oldest. */
export interface Window {
  /** Both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only what comes after (is older than) this place. */
  after?: Place | undefined;
  /** From the oldest to the newest instead. */
  ascending?: boolean;
  offset: number;
  limit: number;
}

/** A log's or transaction's position, and the part of a batch. */
export interface Place {
  position: number;
  part: number;
}

/** A list's rows, and how many there are in all its pages. */
export interface Found<Row> {
  rows: Row[];
  total: number;
}

export interface Erc20Transfer {
  position: number;
  transactionHash: string;
  token: string;
  from: string;
  to: string;
  /** Decimal. */
  value: string;
}

export interface IndexedLog {
  position: number;
  transactionIndex: number;
  transactionHash: string;
  address: string;
  topics: string[];
  data: string;
}

/** Whose transfers: a wallet's, a collection's, one token's of it, or everybody's. */
export type NftSelection =
  | { wallet: string; direction: "both" | "to" | "from" }
  | { token: string; tokenId?: string }
  | Record<string, never>;

export interface BalanceKey {
  token: string;
  /** 32 bytes. */
  tokenId: string;
  owner: string;
}

export interface NftBalance extends BalanceKey {
  standard: number;
  amount: string;
}

/** Whose balances: an owner's (of some collections only), a collection's, or those of one of its tokens. */
export type BalanceSelection = { owner: string; tokens?: string[] } | { token: string; tokenId?: string };

/** Reads the index of one chain. */
export class ChainStore {
  readonly #reader: IndexReader;
  /** The metadata of NFTs. */
  readonly metadata: NftMetadata;

  private constructor(reader: IndexReader) {
    this.#reader = reader;
    this.metadata = new NftMetadata(reader);
  }

  static async open(place: IndexPlace, connections?: number): Promise<ChainStore> {
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
    const arms = [{ where: `address = ?${conditions.join("")}`, values }];
    const { rows, total } = await this.#list<LogsTable>("logs", arms, window, false);
    return { rows: rows.map(indexedLog), total };
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
         AND position >= ? AND price_token IS NULL ORDER BY price, position DESC LIMIT 1`,
      [toBytes(token), ...padded(marketplaces.map(toBytes)), positionOf(fromBlock, 0)],
    );
    return row && tradeRow(row);
  }

  /** What is held now, by token and id. `after` is the row before the first that is wanted. */
  async nftBalances(
    of: BalanceSelection,
    { after, offset, limit }: { after?: BalanceKey; offset: number; limit: number },
  ): Promise<Found<NftBalance>> {
    const { where, values } = balanceCondition(of);
    const seek = after ? " AND (token, token_id, owner) > (?, ?, ?)" : "";
    const place = after ? [toBytes(after.token), toBytes(after.tokenId), toBytes(after.owner)] : [];
    const from = `FROM nft_balances WHERE held = 1 AND ${where}`;
    const [rows, [count]] = await Promise.all([
      this.#reader.all<NftBalancesTable>(
        `SELECT * ${from}${seek} ORDER BY token, token_id, owner LIMIT ? OFFSET ?`,
        [...values, ...place, limit, offset],
      ),
      this.#reader.all<{ n: number }>(`SELECT count(*) AS n ${from}`, values),
    ]);
    return { rows: rows.map(nftBalance), total: count?.n ?? 0 };
  }

  /** The ids of a collection of which anybody holds any, in their order, with how many there are of each. */
  async nftIds(
    token: string,
    { after, offset, limit }: { after?: string | undefined; offset: number; limit: number },
  ): Promise<Found<{ tokenId: string; standard: number; amount: string }>> {
    const own = toBytes(token);
    const from = "FROM nft_balances WHERE token = ? AND held = 1";
    const ids = await this.#reader.all<{ token_id: Uint8Array }>(
      `SELECT DISTINCT token_id ${from}${after ? " AND token_id > ?" : ""} ORDER BY token_id LIMIT ? OFFSET ?`,
      [own, ...(after ? [toBytes(after)] : []), limit, offset],
    );
    const [count] = await this.#reader.all<{ n: number }>(`SELECT count(DISTINCT token_id) AS n ${from}`, [
      own,
    ]);
    const first = ids[0]?.token_id;
    const last = ids.at(-1)?.token_id;
    if (!first || !last) return { rows: [], total: count?.n ?? 0 };
    const held = await this.#reader.all<NftBalancesTable>(
      `SELECT * ${from} AND token_id >= ? AND token_id <= ? ORDER BY token_id`,
      [own, first, last],
    );
    const sums = new Map<string, { standard: number; amount: bigint }>();
    for (const row of held) {
      const id = toHex(row.token_id);
      sums.set(id, { standard: row.standard, amount: (sums.get(id)?.amount ?? 0n) + BigInt(row.amount) });
    }
    const rows = [...sums].map(([tokenId, { standard, amount }]) => {
      return { tokenId, standard, amount: amount.toString() };
    });
    return { rows, total: count?.n ?? 0 };
  }

  /** When tokens were made and last moved to an owner: positions, by token, id and owner. */
  async nftMoments(
    balances: readonly BalanceKey[],
  ): Promise<{ minted: number | undefined; moved: number | undefined }[]> {
    if (balances.length === 0) return [];
    const minted = "SELECT min(position) FROM nft_transfers WHERE token = ? AND token_id = ?";
    const moved =
      "SELECT max(position) FROM nft_transfers WHERE token = ? AND token_id = ? AND to_address = ?";
    const rows: { n: number; minted: number | null; moved: number | null }[] = [];
    for (let at = 0; at < balances.length; at += MOMENTS_AT_ONCE) {
      const some = balances.slice(at, at + MOMENTS_AT_ONCE);
      const text = some.map((_, i) => `SELECT ${at + i} AS n, (${minted}) AS minted, (${moved}) AS moved`);
      const values = some.flatMap(({ token, tokenId, owner }) => {
        const [contract, id] = [toBytes(token), toBytes(tokenId)];
        return [contract, id, contract, id, toBytes(owner)];
      });
      rows.push(...(await this.#reader.all<(typeof rows)[number]>(text.join(" UNION ALL "), values)));
    }
    rows.sort((a, b) => a.n - b.n);
    return rows.map((row) => ({ minted: row.minted ?? undefined, moved: row.moved ?? undefined }));
  }

  /** The ERC-20 tokens that an address has ever received, by the index. */
  async tokensReceivedBy(address: string, limit: number): Promise<string[]> {
    const rows = await this.#reader.all<{ address: Uint8Array }>(
      "SELECT DISTINCT address FROM logs WHERE erc20 = 1 AND topic2 = ? ORDER BY address LIMIT ?",
      [topicBytes(address), limit],
    );
    return rows.map((row) => toHex(row.address));
  }

  /** What an address got of tokens less what it gave, up to a block. */
  async erc20Sums(address: string, tokens: string[], toBlock: number): Promise<Map<string, bigint>> {
    const sums = new Map(tokens.map((token) => [token, 0n]));
    const own = topicBytes(address);
    const before = positionOf(toBlock + 1, 0);
    for (const [side, sign] of [
      ["topic2", 1n],
      ["topic1", -1n],
    ] as const) {
      const rows = await this.#reader.all<Pick<LogsTable, "address" | "data">>(
        `SELECT address, data FROM logs WHERE erc20 = 1 AND ${side} = ? AND position < ?`,
        [own, before],
      );
      for (const { address: token, data } of rows) {
        const sum = sums.get(toHex(token));
        if (sum !== undefined) sums.set(toHex(token), sum + sign * BigInt(toHex(data)));
      }
    }
    return sums;
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
        `SELECT * FROM (SELECT ${columns} FROM ${table} WHERE ${where}${bounds.text}${seek.text} ORDER BY ${order} LIMIT ?) AS arm`,
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
    );
    if (rows.length === 0) return undefined;
    return rows.flatMap((row) => {
      const { block_hash: hash, block_timestamp: timestamp } = row;
      return hash && timestamp !== null ? [{ row, hash: toHex(hash), timestamp }] : [];
    });
  }

  /** What owners hold of one ERC-20 token together: what they got less what they gave, by the index. */
  async erc20Held(token: string, owners: string[]): Promise<bigint> {
    const own = toBytes(token);
    const sides = padded(owners.map(topicBytes));
    const sums = await Promise.all(
      (["topic2", "topic1"] as const).map(async (side) => {
        const rows = await this.#reader.all<Pick<LogsTable, "data">>(
          `SELECT data FROM logs WHERE erc20 = 1 AND ${side} IN (${marks(owners.length)}) AND address = ?`,
          [...sides, own],
        );
        return rows.reduce((sum, { data }) => sum + BigInt(toHex(data)), 0n);
      }),
    );
    return (sums[0] ?? 0n) - (sums[1] ?? 0n);
  }

  /** How many pieces of a collection, or of one of its tokens, owners hold together. */
  async nftsHeld(token: string, tokenId: string | undefined, owners: string[]): Promise<bigint> {
    const id = tokenId === undefined ? "" : " AND token_id = ?";
    const rows = await this.#reader.all<Pick<NftBalancesTable, "amount">>(
      `SELECT amount FROM nft_balances WHERE held = 1 AND owner IN (${marks(owners.length)}) AND token = ?${id}`,
      [...padded(owners.map(toBytes)), toBytes(token), ...(tokenId === undefined ? [] : [toBytes(tokenId)])],
    );
    return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
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
    const [row] = await this.#reader.all<{ count: number }>("SELECT count(*) AS count FROM watched", []);
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
    const bounds = boundsOf(window);
    const seek = seekOf(window, hasParts);
    const direction = window.ascending ? "ASC" : "DESC";
    const order = hasParts ? `position ${direction}, part ${direction}` : `position ${direction}`;
    const { limit, offset } = window;
    const selects = arms.map(
      ({ where }) =>
        `SELECT * FROM (SELECT * FROM ${table} WHERE ${where}${bounds.text}${seek.text} ORDER BY ${order} LIMIT ?) AS arm`,
    );
    const values = arms.flatMap((arm) => [...arm.values, ...bounds.values, ...seek.values, limit + offset]);
    const counts = arms.map(({ where }) => `(SELECT count(*) FROM ${table} WHERE ${where}${bounds.text})`);
    const [rows, [count]] = await Promise.all([
      limit === 0
        ? []
        : this.#reader.all<Row>(
            `SELECT * FROM (${selects.join(" UNION ALL ")}) AS found ORDER BY ${order} LIMIT ? OFFSET ?`,
            [...values, limit, offset],
          ),
      this.#reader.all<{ n: number }>(
        `SELECT ${counts.join(" + ")} AS n`,
        arms.flatMap((arm) => [...arm.values, ...bounds.values]),
      ),
    ]);
    return { rows, total: count?.n ?? 0 };
  }
}

const MOMENTS_AT_ONCE = 100;

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

interface Arm {
  where: string;
  values: SqlValue[];
}

function boundsOf({ fromBlock, toBlock }: Window): { text: string; values: SqlValue[] } {
  const values: SqlValue[] = [];
  let text = "";
  if (fromBlock !== undefined) {
    text += " AND position >= ?";
    values.push(positionOf(fromBlock, 0));
  }
  if (toBlock !== undefined) {
    text += " AND position < ?";
    values.push(positionOf(toBlock + 1, 0));
  }
  return { text, values };
}

function seekOf({ after, ascending }: Window, hasParts: boolean): { text: string; values: SqlValue[] } {
  if (!after) return { text: "", values: [] };
  const than = ascending ? ">" : "<";
  if (!hasParts) return { text: ` AND position ${than} ?`, values: [after.position] };
  return { text: ` AND (position, part) ${than} (?, ?)`, values: [after.position, after.part] };
}

function erc20OfToken(token: string): Arm {
  return { where: "address = ? AND erc20 = 1", values: [toBytes(token)] };
}

function erc20OfWallet(wallet: string): Arm[] {
  const own = topicBytes(wallet);
  return [
    { where: "erc20 = 1 AND topic1 = ?", values: [own] },
    { where: "erc20 = 1 AND topic2 = ? AND topic1 <> ?", values: [own, own] },
  ];
}

function nftArms(of: NftSelection): Arm[] {
  if ("token" in of && of.token !== undefined) {
    const values = [toBytes(of.token), ...(of.tokenId ? [toBytes(of.tokenId)] : [])];
    return [{ where: of.tokenId ? "token = ? AND token_id = ?" : "token = ?", values }];
  }
  if (!("wallet" in of) || of.wallet === undefined) return [{ where: "TRUE", values: [] }];
  const own = toBytes(of.wallet);
  const from: Arm = { where: "from_address = ?", values: [own] };
  if (of.direction === "from") return [from];
  if (of.direction === "to") return [{ where: "to_address = ?", values: [own] }];
  return [from, { where: "to_address = ? AND from_address <> ?", values: [own, own] }];
}

function balanceCondition(of: BalanceSelection): { where: string; values: SqlValue[] } {
  if ("owner" in of) {
    const { owner, tokens } = of;
    if (!tokens) return { where: "owner = ?", values: [toBytes(owner)] };
    return {
      where: `owner = ? AND token IN (${marks(tokens.length)})`,
      values: [toBytes(owner), ...padded(tokens.map(toBytes))],
    };
  }
  if (of.tokenId === undefined) return { where: "token = ?", values: [toBytes(of.token)] };
  return { where: "token = ? AND token_id = ?", values: [toBytes(of.token), toBytes(of.tokenId)] };
}

function topicBytes(address: string): Buffer {
  return Buffer.concat([Buffer.alloc(12), toBytes(address)]);
}

function blockRow(row: BlocksTable): BlockRow {
  return {
    number: row.number,
    hash: toHex(row.hash),
    parentHash: toHex(row.parent_hash),
    timestamp: row.timestamp,
  };
}

function transactionRow(row: TransactionsTable): TransactionRow {
  return {
    position: row.position,
    hash: toHex(row.hash),
    from: toHex(row.from_address),
    to: toHexOrNull(row.to_address),
    value: row.value,
    nonce: row.nonce,
    gas: row.gas,
    gasPrice: row.gas_price,
    input: toHex(row.input),
    status: row.status,
    cumulativeGasUsed: row.cumulative_gas_used,
    gasUsed: row.gas_used,
    contract: toHexOrNull(row.contract),
    root: toHexOrNull(row.root),
  };
}

function topicsOf(row: LogsTable): string[] {
  return [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((topic) => (topic ? [toHex(topic)] : []));
}

function indexedLog(row: LogsTable): IndexedLog {
  return {
    position: row.position,
    transactionIndex: row.transaction_index,
    transactionHash: toHex(row.transaction_hash),
    address: toHex(row.address),
    topics: topicsOf(row),
    data: toHex(row.data),
  };
}

function erc20Transfer(row: LogsTable): Erc20Transfer {
  const [, from = "", to = ""] = topicsOf(row);
  return {
    position: row.position,
    transactionHash: toHex(row.transaction_hash),
    token: toHex(row.address),
    from: `0x${from.slice(26)}`,
    to: `0x${to.slice(26)}`,
    value: BigInt(toHex(row.data)).toString(),
  };
}

function nftBalance(row: NftBalancesTable): NftBalance {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    owner: toHex(row.owner),
    standard: row.standard,
    amount: row.amount,
  };
}

function watchedRow({ address, since, next }: WatchedTable): Watched {
  return { address: toHex(address), since, next };
}

function tokenFacts({ address, standard, name, symbol, decimals }: TokensTable): TokenFacts {
  return { address: toHex(address), standard, name, symbol, decimals };
}
