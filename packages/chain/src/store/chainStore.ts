import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type ExpressionBuilder, Kysely, SqliteDialect } from "kysely";
import type { BlockHead } from "../node/chainNode.ts";
import { type ChainTables, createTables, type Erc20TransfersTable, type TokensTable } from "./tables.ts";

export type Erc20TransferRow = Omit<Erc20TransfersTable, "chain_id">;
export type TokenRow = Omit<TokensTable, "chain_id">;

/** A place in a list that is ordered from the newest block and log to the oldest. */
export interface Position {
  blockNumber: number;
  logIndex: number;
}

export interface TransferQuery {
  chainId: number;
  /** Lower-case hex. */
  address: string;
  /** Both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Seconds since the epoch, both ends included. */
  fromTime?: number | undefined;
  toTime?: number | undefined;
  /** Only what comes after (is older than) this. */
  after?: Position | undefined;
  offset: number;
  limit: number;
}

/** The index: what has happened on the chains, block by block. */
export class ChainStore {
  readonly #db: Kysely<ChainTables>;

  private constructor(db: Kysely<ChainTables>) {
    this.#db = db;
  }

  static async open(folder: string): Promise<ChainStore> {
    mkdirSync(folder, { recursive: true });
    const database = new Database(join(folder, "chain.sqlite"), { timeout: 10_000 });
    database.pragma("journal_mode = WAL");
    // Everything here can be read from the chain again: a commit need not wait for the disk, only stay whole.
    database.pragma("synchronous = NORMAL");
    const db = new Kysely<ChainTables>({ dialect: new SqliteDialect({ database }) });
    await createTables(db);
    return new ChainStore(db);
  }

  close(): Promise<void> {
    return this.#db.destroy();
  }

  /** The newest indexed block: where to go on. */
  async checkpoint(chainId: number): Promise<BlockHead | undefined> {
    const row = await this.#db
      .selectFrom("blocks")
      .selectAll()
      .where("chain_id", "=", chainId)
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst();
    return (
      row && { number: row.number, hash: row.hash, parentHash: row.parent_hash, timestamp: row.timestamp }
    );
  }

  async blockHash(chainId: number, number: number): Promise<string | undefined> {
    const query = this.#db
      .selectFrom("blocks")
      .select("hash")
      .where("chain_id", "=", chainId)
      .where("number", "=", number);
    return (await query.executeTakeFirst())?.hash;
  }

  /** By number, both ends included. */
  async blockHashes(chainId: number, from: number, to: number): Promise<Map<number, string>> {
    const rows = await this.#db
      .selectFrom("blocks")
      .select(["number", "hash"])
      .where("chain_id", "=", chainId)
      .where("number", ">=", from)
      .where("number", "<=", to)
      .execute();
    return new Map(rows.map(({ number, hash }) => [number, hash]));
  }

  /** Adds blocks with what happened in them, and so moves the checkpoint, in one transaction. */
  async append(chainId: number, blocks: BlockHead[], transfers: Erc20TransferRow[]): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      for (const chunk of chunks(blocks, 1_000)) {
        const rows = chunk.map(({ number, hash, parentHash, timestamp }) => {
          return { chain_id: chainId, number, hash, parent_hash: parentHash, timestamp };
        });
        await tx.insertInto("blocks").values(rows).execute();
      }
      for (const chunk of chunks(transfers, 1_000)) {
        await tx
          .insertInto("erc20_transfers")
          .values(chunk.map((transfer) => ({ chain_id: chainId, ...transfer })))
          .execute();
      }
    });
  }

  /** Removes every block above a number and what happened in them, in one transaction. */
  async unwind(chainId: number, above: number): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom("erc20_transfers")
        .where("chain_id", "=", chainId)
        .where("block_number", ">", above)
        .execute();
      await tx.deleteFrom("blocks").where("chain_id", "=", chainId).where("number", ">", above).execute();
    });
  }

  /** Transfers from or to an address, newest first. */
  async transfersOf(query: TransferQuery): Promise<Erc20TransferRow[]> {
    if (query.limit === 0) return [];
    // Each side reads its own index in order, and of the two only as much as is wanted.
    return this.#side(query, "from_address")
      .unionAll(this.#side(query, "to_address").where("from_address", "!=", query.address))
      .orderBy("block_number", "desc")
      .orderBy("log_index", "desc")
      .limit(query.limit)
      .offset(query.offset)
      .execute();
  }

  async countTransfersOf(query: TransferQuery): Promise<number> {
    const { count } = this.#db.fn;
    const row = await this.#db
      .selectFrom("erc20_transfers")
      .select(count<number>("log_index").as("n"))
      .where("chain_id", "=", query.chainId)
      .where((eb) => eb.or([eb("from_address", "=", query.address), eb("to_address", "=", query.address)]))
      .where((eb) => bounds(eb, { ...query, after: undefined }))
      .executeTakeFirstOrThrow();
    return Number(row.n);
  }

  /** The tokens that an address has ever received, by the index. */
  async tokensReceivedBy(chainId: number, address: string, limit: number): Promise<string[]> {
    const rows = await this.#db
      .selectFrom("erc20_transfers")
      .select("token")
      .distinct()
      .where("chain_id", "=", chainId)
      .where("to_address", "=", address)
      .orderBy("token")
      .limit(limit)
      .execute();
    return rows.map((row) => row.token);
  }

  async tokens(chainId: number, addresses: string[]): Promise<Map<string, TokenRow>> {
    const found = new Map<string, TokenRow>();
    for (const chunk of chunks(addresses, 1_000)) {
      const rows = await this.#db
        .selectFrom("tokens")
        .select(["address", "name", "symbol", "decimals"])
        .where("chain_id", "=", chainId)
        .where("address", "in", chunk)
        .execute();
      for (const row of rows) found.set(row.address, row);
    }
    return found;
  }

  async saveTokens(chainId: number, tokens: TokenRow[]): Promise<void> {
    for (const chunk of chunks(tokens, 1_000)) {
      await this.#db
        .insertInto("tokens")
        .values(chunk.map((token) => ({ chain_id: chainId, ...token })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  #side(query: TransferQuery, side: "from_address" | "to_address") {
    return this.#db
      .selectFrom("erc20_transfers")
      .select([
        "block_number",
        "log_index",
        "transaction_index",
        "transaction_hash",
        "block_hash",
        "timestamp",
        "token",
        "from_address",
        "to_address",
        "value",
      ])
      .where("chain_id", "=", query.chainId)
      .where(side, "=", query.address)
      .where((eb) => bounds(eb, query));
  }
}

function bounds(eb: ExpressionBuilder<ChainTables, "erc20_transfers">, query: TransferQuery) {
  const conditions = [];
  if (query.fromBlock !== undefined) conditions.push(eb("block_number", ">=", query.fromBlock));
  if (query.toBlock !== undefined) conditions.push(eb("block_number", "<=", query.toBlock));
  if (query.fromTime !== undefined) conditions.push(eb("timestamp", ">=", query.fromTime));
  if (query.toTime !== undefined) conditions.push(eb("timestamp", "<=", query.toTime));
  if (query.after) {
    const { blockNumber, logIndex } = query.after;
    conditions.push(
      eb.or([
        eb("block_number", "<", blockNumber),
        eb.and([eb("block_number", "=", blockNumber), eb("log_index", "<", logIndex)]),
      ]),
    );
  }
  return eb.and(conditions);
}

function* chunks<T>(items: T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
