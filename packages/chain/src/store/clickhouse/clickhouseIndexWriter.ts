import { performance } from "node:perf_hooks";
import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../../model/hexBytes.ts";
import type { Logger } from "../../model/logger.ts";
import {
  type BlockRow,
  type BlockRows,
  type DiscoveredToken,
  type NftTransferRow,
  positionOf,
} from "../../model/rows.ts";
import type { TokenMetadataReading } from "../../model/tokens.ts";
import { query } from "../indexQuery.ts";
import type { IndexReader } from "../indexReader.ts";
import {
  CheckpointConflictError,
  type EventChange,
  type IndexWriter,
  type PropertyChange,
  type StateWriter,
} from "../indexWriter.ts";
import { lastReceivers, touchedErc721 } from "../nftBalanceChanges.ts";
import { EVENT_TABLES } from "../schema.ts";
import { indexedLog, nftTransferRow } from "../tableRows.ts";
import type { ChainTables } from "../tables.ts";
import type { ClickHouse } from "./clickhouseConnection.ts";
import { eventRows } from "./eventRows.ts";
import {
  EVENTS_FACT,
  type EventState,
  forkAt,
  newEventState,
  readEventState,
  removedRows,
} from "./eventState.ts";
import {
  EVENT_LAYOUTS,
  eventTableName,
  eventTableNames,
  eventTableStatements,
  tablePrefix,
  tablesAndViews,
} from "./eventTables.ts";
import { UnusedTables } from "./unusedTables.ts";

export interface ClickHouseWriterOptions {
  clickHouse: ClickHouse;
  /** Writes the SQL database of the index. */
  sqlWriter: IndexWriter & StateWriter;
  /** Reads the SQL database and the events, without limits. */
  sqlReader: IndexReader;
  events: IndexReader;
  log: Pick<Logger, "warn">;
  /** The clock of the SQL database, which is the same for all processes; ms since the epoch. */
  now(): Promise<number>;
  /** A clock of this process, for intervals; ms. */
  processClock?: () => number;
}

/** Age after which no reader uses the state before a removal any more, in ms. */
const GRACE_MS = 10 * 60_000;
/**
 * How long after the state was read rows may be inserted, in ms: much shorter than the age after which removed rows are
 * deleted, since nothing hides rows any more that a process inserts later which was frozen meanwhile.
 */
const INSERT_WITHIN_MS = 5 * 60_000;
/** Removals after which their rows are deleted: each deletion rewrites parts of the tables. */
const MAX_REMOVED = 32;
/** How often to look for rows to delete, in ms. */
const POLL_MS = 60_000;
/** Delay after a deletion that failed, in ms. */
const DELETION_RETRY_MS = 60 * 60_000;
/** Tokens per query. */
const TOKEN_BATCH_SIZE = 500;

const ofTransfers = expressionBuilder<ChainTables, "nft_transfers">();

/**
 * Writes an index whose events are in ClickHouse, and everything else in a SQL database. The events of blocks are
 * written first, where no reader sees them; the SQL transaction that writes the blocks also saves the state that makes
 * them visible. After a failure at any step, the next change begins a fork, which hides what was left behind.
 */
export class ClickHouseIndexWriter implements IndexWriter {
  readonly #options: ClickHouseWriterOptions;
  readonly #processClock: () => number;
  /** The saved state, in a fork of this process; undefined if the next change has to begin a fork. */
  #state: EventState | undefined;
  /** A running deletion, when the next one may begin, and the forks whose removed rows were deleted. */
  #deletion: Promise<void> | undefined;
  #nextDeletionAt = Number.NEGATIVE_INFINITY;
  #deletedForks: ReadonlySet<number> = new Set();
  readonly #unused: UnusedTables;
  readonly addHistory = refuse;
  readonly enqueueWallets = refuse;
  readonly startWallets = refuse;
  readonly restartWalletHistories = refuse;
  readonly replaceDerivedRows = refuse;
  readonly correctOwners = refuse;
  readonly clearSums = refuse;

  constructor(options: ClickHouseWriterOptions) {
    this.#options = options;
    this.#processClock = options.processClock ?? (() => performance.now());
    this.#unused = new UnusedTables(options);
  }

  async append(parent: BlockRow | undefined, rows: BlockRows, tokens: DiscoveredToken[]): Promise<void> {
    const { now } = this.#options;
    const insertBy = (await now()) + INSERT_WITHIN_MS;
    const state = await this.#acquireState();
    const last = rows.blocks.at(-1);
    const end = last ? positionOf(last.number + 1, 0) : state.end;
    const removed = state.removed.filter(({ fork }) => !this.#deletedForks.has(fork));
    await this.#change(state, { ...state, end, removed }, async (change) => {
      await this.#insertEvents(state, rows, async () => {
        if ((await now()) > insertBy)
          throw new CheckpointConflictError(
            "this process was frozen: another one may have changed the events",
          );
      });
      await this.#options.sqlWriter.append(parent, rows, tokens, {
        ...change,
        receivers: lastReceivers(rows.nftTransfers),
      });
    });
    this.#deleteRemoved();
    this.#unused.dropOld(state.id);
  }

  async unwind(above: number): Promise<void> {
    const state = await this.#acquireState();
    const from = positionOf(above + 1, 0);
    const { events, sqlWriter } = this.#options;
    const transfers = await events.all(
      query
        .selectFrom("nft_transfers")
        .selectAll()
        .where("position", ">=", from)
        .orderBy("position")
        .orderBy("part"),
    );
    const logs = await events.all(
      query
        .selectFrom("logs")
        .selectAll()
        .where("position", ">=", from)
        .where("erc20", "=", 1)
        .orderBy("position"),
    );
    const nftTransfers = transfers.map(nftTransferRow);
    const receivers = await this.#receiversBefore(from, nftTransfers);
    const after = forkAt(state, Math.min(from, state.end), await this.#options.now());
    await this.#change(state, after, (change) =>
      sqlWriter.unwind(above, { ...change, receivers, nftTransfers, erc20Logs: logs.map(indexedLog) }),
    );
  }

  async clear(): Promise<void> {
    const { sqlWriter } = this.#options;
    const old = await readEventState(this.#options.sqlReader);
    // If the process ends before they are dropped, another one drops them.
    if (old) await this.#unused.add(old.id);
    await sqlWriter.clear();
    this.#state = undefined;
    // The next change creates the tables.
    await sqlWriter.saveProperty(EVENTS_FACT, JSON.stringify(newEventState()));
    if (old) await this.#unused.drop(old.id);
  }

  saveTokenMetadata(reading: TokenMetadataReading): Promise<void> {
    return this.#options.sqlWriter.saveTokenMetadata(reading);
  }

  saveProperty(key: string, value: string): Promise<void> {
    return this.#options.sqlWriter.saveProperty(key, value);
  }

  async close(): Promise<void> {
    this.#unused.close();
    await this.#options.sqlWriter.close();
  }

  /** The state in a fork that only this process writes. Rejects if another process has begun one since. */
  async #acquireState(): Promise<EventState> {
    const found = await readEventState(this.#options.sqlReader);
    if (this.#state) {
      const { id, fork } = this.#state;
      if (found?.id === id && found.fork === fork) return this.#state;
      // Rows of an old fork must not be written: once removed rows were deleted, nothing would hide them.
      this.#state = undefined;
      throw new CheckpointConflictError("another process has changed the events");
    }
    const saved = found ?? newEventState();
    if (saved.end > 0) await this.#assertComplete(saved);
    // Rows that another process has written, or still writes, but not made visible are in earlier forks.
    const state = forkAt(saved, saved.end, await this.#options.now());
    await this.#options.sqlWriter.changeState(changeOf(found, state));
    // Saved first: there are no tables that no state names, so that all are found when they are not used any more.
    if (state.end === 0) await this.#createTables(state);
    this.#state = state;
    return state;
  }

  async #createTables({ id }: EventState): Promise<void> {
    for (const statement of eventTableStatements(id)) await this.#options.clickHouse.execute(statement);
  }

  /** Rejects if tables of a state or views that fill them are missing, instead of creating them without its rows. */
  async #assertComplete({ id }: EventState): Promise<void> {
    const rows = await this.#options.clickHouse.query(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {p0:String})",
      [tablePrefix(id)],
    );
    // ClickHouse returns strings as bytes.
    const existing = new Set(
      rows.map(({ name }) => (name instanceof Uint8Array ? Buffer.from(name).toString() : name)),
    );
    const missing = tablesAndViews(id).find((name) => !existing.has(name));
    if (missing !== undefined) throw new Error(`the table ${missing} of the index is missing in ClickHouse`);
  }

  /** Makes a change that saves another state. */
  async #change(
    before: EventState,
    after: EventState,
    change: (saved: Pick<EventChange, "state">) => Promise<void>,
  ): Promise<void> {
    this.#state = undefined;
    await change({ state: changeOf(before, after) });
    this.#state = after;
  }

  async #insertEvents(
    { id, fork }: EventState,
    blocks: BlockRows,
    check: () => Promise<void>,
  ): Promise<void> {
    const rows = eventRows(blocks);
    const inserts = EVENT_TABLES.filter((table) => rows[table].length > 0).map((table) =>
      this.#options.clickHouse.insert(
        eventTableName(id, table),
        [...Object.keys(EVENT_LAYOUTS[table].columns), "fork"],
        rows[table].map((values) => [...values, fork]),
        check,
      ),
    );
    // All have ended when the next change begins.
    const results = await Promise.allSettled(inserts);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  /** The receivers of the last transfers before a position. */
  async #receiversBefore(
    from: number,
    transfers: readonly NftTransferRow[],
  ): Promise<ReadonlyMap<string, string>> {
    const tokens = touchedErc721(transfers);
    const receivers = new Map<string, string>();
    for (let at = 0; at < tokens.length; at += TOKEN_BATCH_SIZE) {
      const isWanted: Expression<SqlBool> = ofTransfers.or(
        tokens
          .slice(at, at + TOKEN_BATCH_SIZE)
          .map(({ token, tokenId }) =>
            ofTransfers("token", "=", toBytes(token)).and("token_id", "=", toBytes(tokenId)),
          ),
      );
      const rows = await this.#options.events.all(
        sql<{ token: Uint8Array; token_id: Uint8Array; receiver: Uint8Array }>`
          SELECT token, token_id, argMax(to_address, (position, part)) AS receiver FROM nft_transfers_by_item
          WHERE position < ${from} AND ${isWanted} GROUP BY token, token_id`,
      );
      for (const { token, token_id, receiver } of rows)
        receivers.set(toHex(token) + toHex(token_id), toHex(receiver));
    }
    return receivers;
  }

  /**
   * Begins to delete rows that no reader sees any more, if there are enough of them. It can take long, because
   * ClickHouse rewrites the parts that contain them; the next append after its end saves that it is done.
   */
  #deleteRemoved(): void {
    const state = this.#state;
    const now = this.#processClock();
    if (this.#deletion || !state || state.removed.length <= MAX_REMOVED || now < this.#nextDeletionAt) return;
    this.#nextDeletionAt = now + POLL_MS;
    this.#deletion = this.#deleteRemovedOf(state)
      .catch((error: unknown) => {
        this.#nextDeletionAt = now + DELETION_RETRY_MS;
        this.#options.log.warn("hidden events in ClickHouse could not be deleted", { error: String(error) });
      })
      .finally(() => {
        this.#deletion = undefined;
      });
  }

  async #deleteRemovedOf({ id, removed }: EventState): Promise<void> {
    const end = (await this.#options.now()) - GRACE_MS;
    const unused = removed.filter(({ at, fork }) => at < end && !this.#deletedForks.has(fork));
    if (unused.length === 0) return;
    for (const name of storedTables(id))
      await this.#options.clickHouse.execute(`DELETE FROM ${name} WHERE ${removedRows(unused)}`);
    this.#deletedForks = new Set(unused.map(({ fork }) => fork));
  }
}

function changeOf(before: EventState | undefined, after: EventState): PropertyChange {
  return { key: EVENTS_FACT, before: before && JSON.stringify(before), after: JSON.stringify(after) };
}

/** The tables of an index with the copies of their rows. */
function storedTables(id: string): string[] {
  return EVENT_TABLES.flatMap((table) => [...eventTableNames(id, table).values()]);
}

/** An index of known wallets is in the SQL database alone, and one in ClickHouse is rebuilt instead of upgraded. */
async function refuse(): Promise<never> {
  throw new Error("an index with events in ClickHouse does not support this change");
}
