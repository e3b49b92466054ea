import type { Logger } from "../model/logger.ts";
import { ChainStore } from "./chainStore.ts";
import { ClickHouseIndexWriter, type ClickHouseWriterOptions } from "./clickhouse/clickhouseIndexWriter.ts";
import { openEvents } from "./clickhouse/openEvents.ts";
import type { EventRemoval } from "./eventRemoval.ts";
import {
  type EventDefinition,
  type EventStorage,
  eventDefinitionIn,
  readEventStorage,
  wantedEventStorage,
} from "./eventStorage.ts";
import { IndexLease, readSchemaId } from "./indexLease.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexReader } from "./indexReader.ts";
import type { IndexWriter, StateWriter } from "./indexWriter.ts";
import { openReader } from "./openReader.ts";
import { openPostgres } from "./postgresConnection.ts";
import { createPostgresWriter } from "./postgresIndexWriter.ts";
import { PostgresPartitions, readPartitionBlocks } from "./postgresPartitions.ts";
import type { Transaction } from "./postgresSql.ts";
import { createSqliteWriter } from "./sqliteIndexWriter.ts";

/** An index with its reader, writer and lease. */
export interface ChainIndex {
  store: ChainStore;
  writer: IndexWriter;
  /** What the definition of the index has in addition if its events are not in the SQL database. */
  eventDefinition: EventDefinition | undefined;
  /** The partitions if the index has them, whatever the location says. */
  partitions: PostgresPartitions | undefined;
  /** Removes old events, if the index supports it. */
  removal: EventRemoval | undefined;
  /**
   * Whether this process is the one that indexes the chain. Call it repeatedly: another process takes over if the
   * leader stops or freezes.
   */
  isLeader(): Promise<boolean>;
  /** Fencing number of this process's term; undefined without a lease. */
  term(): number | undefined;
  /** Sets what is called when the term of this process has ended, also amid a long change. */
  onTermEnd(listener: () => void): void;
  /** Whether processes of other versions may write the index, in turns. */
  isShared: boolean;
  /** When the index was opened, and the current time, by the clock that all processes share; ms since the epoch. */
  openedAt: number;
  now(): Promise<number>;
  /** Identifies the index, of which several can have the same location in turn (PostgreSQL); see `readSchemaId()`. */
  schemaId: number | undefined;
  /** Rejects if this process is not the one that indexes the chain, until the end of a transaction. */
  assertLeader(tx: Transaction): Promise<void>;
  close(): Promise<void>;
}

/** Timeout of a lease renewal, in ms. */
const LEASE_DEADLINE_MS = 2_000;
/** Connections of all indexes of a process together. */
const LEASE_CONNECTIONS = 1;
const READ_CONNECTIONS = 2;
export const WRITE_CONNECTIONS = 5;
/** Connections to ClickHouse of an index: its tables are written at once. */
const EVENT_CONNECTIONS = 6;

/** Creates missing tables. Without `canLead`, this process never becomes the one that indexes the chain. */
export async function openIndex(location: IndexLocation, log: Logger, canLead = true): Promise<ChainIndex> {
  const opened: Closable[] = [];
  try {
    const index = await openComponents(location, log, canLead, opened);
    return { ...index, close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** Adds to `opened` what has to be closed, in the reverse order. */
async function openComponents(
  location: IndexLocation,
  log: Logger,
  canLead: boolean,
  opened: Closable[],
): Promise<Omit<ChainIndex, "close">> {
  const sqlReader = await openReader(location, READ_CONNECTIONS);
  opened.push(sqlReader);
  if (location.kind === "sqlite") {
    // An index in SQLite is emptied if its events are elsewhere.
    const storage = wantedEventStorage(location);
    const { store, writerOf } = await openStorage(storage, location, sqlReader, opened);
    const sqliteWriter = createSqliteWriter(location.path, { log, removalBlocks: location.removalBlocks });
    const now = async () => Date.now();
    return {
      ...{ store, writer: writerOf(sqliteWriter, { log, now }), now },
      eventDefinition: eventDefinitionIn(storage),
      partitions: undefined,
      removal: storage === "sql" ? sqliteWriter.removal : undefined,
      // No other process can have rebuilt it.
      openedAt: Number.POSITIVE_INFINITY,
      isLeader: async () => true,
      term: () => undefined,
      onTermEnd: () => undefined,
      isShared: false,
      schemaId: undefined,
      assertLeader: async () => undefined,
    };
  }
  const sql = openPostgres(location, "writes", WRITE_CONNECTIONS);
  opened.push({ close: () => sql.end() });
  // A separate connection, so that long changes do not block renewals.
  const leaseSql = openPostgres(location, "lease", LEASE_CONNECTIONS, LEASE_DEADLINE_MS);
  opened.push({ close: () => leaseSql.end() });
  async function now(): Promise<number> {
    const [row] = await leaseSql<{ at: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`;
    return row?.at ?? 0;
  }
  // Before everything that is read of the index: if another one takes its place meanwhile, or another process begins it
  // otherwise, this is noticed afterwards.
  const schemaId = await readSchemaId(sql);
  const openedAt = await now();
  const lease = new IndexLease(leaseSql, location.schema, schemaId, log);
  const assertLeader = (tx: Transaction) => lease.assertHeld(tx);
  const storage = (await readEventStorage(sqlReader)) ?? wantedEventStorage(location);
  const { store, writerOf, hasEvents } = await openStorage(storage, location, sqlReader, opened);
  const partitionBlocks = await readPartitionBlocks(sql);
  const partitions =
    partitionBlocks === undefined
      ? undefined
      : new PostgresPartitions(sql, assertLeader, partitionBlocks, log);
  const writer = writerOf(createPostgresWriter(sql, assertLeader, partitions), { log, now });
  // Released first, so that another process can take over at once.
  opened.push(lease);
  return {
    ...{ store, writer, partitions, removal: partitions, openedAt, now },
    eventDefinition: eventDefinitionIn(storage),
    isLeader: async () => canLead && hasEvents && (await lease.acquire()),
    term: () => lease.term,
    onTermEnd: (listener) => lease.onLost(listener),
    isShared: true,
    ...{ schemaId, assertLeader },
  };
}

/** Opens the events of an index, with what reads and writes them. */
async function openStorage(
  storage: EventStorage,
  { clickHouseUrl, formerClickHouseUrl }: IndexLocation,
  sqlReader: IndexReader,
  opened: Closable[],
) {
  const url = storage === "clickhouse" ? (clickHouseUrl ?? formerClickHouseUrl) : undefined;
  const events = await openEvents(url, sqlReader, { connections: EVENT_CONNECTIONS });
  if (events) opened.push(events.reader);
  return {
    store: new ChainStore(sqlReader, events?.reader),
    hasEvents: storage === "sql" || events !== undefined,
    writerOf(
      sqlWriter: IndexWriter & StateWriter,
      options: Pick<ClickHouseWriterOptions, "log" | "now">,
    ): IndexWriter {
      const writer = events
        ? new ClickHouseIndexWriter({
            ...{ ...options, sqlWriter, sqlReader },
            ...{ clickHouse: events.clickHouse, events: events.reader },
          })
        : sqlWriter;
      opened.push(writer);
      return writer;
    },
  };
}

interface Closable {
  close(): Promise<void>;
}

/** Closes what has been opened last first, all of it even if something cannot be closed. */
async function closeAll(opened: Closable[]): Promise<void> {
  const errors: unknown[] = [];
  for (const each of opened.splice(0).reverse()) {
    try {
      await each.close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
