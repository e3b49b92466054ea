import type { Logger } from "../model/logger.ts";
import { ChainStore } from "./chainStore.ts";
import { ClickHouseIndexWriter } from "./clickhouse/clickhouseIndexWriter.ts";
import { openEvents } from "./clickhouse/openEvents.ts";
import { IndexLease } from "./indexLease.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexWriter, StateWriter } from "./indexWriter.ts";
import { openReader } from "./openReader.ts";
import { openPostgres } from "./postgresConnection.ts";
import { createPostgresWriter } from "./postgresIndexWriter.ts";
import { PostgresPartitions, readPartitionBlocks } from "./postgresPartitions.ts";
import type { Transaction } from "./postgresSql.ts";
import { EVENTS_VERSION } from "./schema.ts";
import { createSqliteWriter } from "./sqliteIndexWriter.ts";

/** An index with its reader, writer and lease. */
export interface ChainIndex {
  store: ChainStore;
  writer: IndexWriter;
  /** What the definition of the index has in addition if its events are not in the SQL database. */
  eventDefinition: { layout: number; events: string } | undefined;
  /** The partitions if the index has them, whatever the location says. */
  partitions: PostgresPartitions | undefined;
  /**
   * Whether this process is the one that indexes the chain. Call it repeatedly: another process takes over if the
   * leader stops or freezes.
   */
  isLeader(): Promise<boolean>;
  /** Fencing number of this process's term; undefined without a lease. */
  term(): number | undefined;
  /** Whether processes of other versions may write the index, in turns. */
  isShared: boolean;
  /** When the index was opened, and the current time, by the clock that all processes share; ms since the epoch. */
  openedAt: number;
  now(): Promise<number>;
  close(): Promise<void>;
}

/** Timeout of a lease renewal, in ms. */
const LEASE_DEADLINE_MS = 2_000;
/** Connections of all indexes of a process together. */
const LEASE_CONNECTIONS = 1;
const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 5;
/** Connections to ClickHouse of an index: its tables are written at once. */
const EVENT_CONNECTIONS = 6;

/** Creates missing tables. Without `canLead`, this process never becomes the one that indexes the chain. */
export async function openIndex(location: IndexLocation, log: Logger, canLead = true): Promise<ChainIndex> {
  const sqlReader = await openReader(location, READ_CONNECTIONS);
  const events = await openEvents(location, sqlReader, { connections: EVENT_CONNECTIONS });
  const store = new ChainStore(sqlReader, events?.reader);
  const writerOf = (sqlWriter: IndexWriter & StateWriter): IndexWriter =>
    events
      ? new ClickHouseIndexWriter({
          ...{ sqlWriter, sqlReader, log },
          clickHouse: events.clickHouse,
          events: events.reader,
        })
      : sqlWriter;
  const eventDefinition = events && { layout: EVENTS_VERSION, events: "clickhouse" };
  if (location.kind === "sqlite") {
    const writer = writerOf(createSqliteWriter(location.path, log));
    return {
      ...{ store, writer, eventDefinition, partitions: undefined },
      // No other process can have rebuilt it.
      openedAt: Number.POSITIVE_INFINITY,
      now: async () => Date.now(),
      isLeader: async () => true,
      term: () => undefined,
      isShared: false,
      close: () => closeAll(store, writer),
    };
  }
  const sql = openPostgres(location, "writes", WRITE_CONNECTIONS);
  // A separate connection, so that long changes do not block renewals.
  const leaseSql = openPostgres(location, "lease", LEASE_CONNECTIONS, LEASE_DEADLINE_MS);
  const lease = new IndexLease(leaseSql, location.schema, log);
  const assertLeader = (tx: Transaction) => lease.assertHeld(tx);
  async function now(): Promise<number> {
    const [row] = await leaseSql<{ at: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`;
    return row?.at ?? 0;
  }
  async function close(): Promise<void> {
    await leaseSql.end();
    await sql.end();
    await store.close();
  }
  const [openedAt, partitionBlocks] = await Promise.all([now(), readPartitionBlocks(sql)]).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  reportPartitions(location, partitionBlocks, log);
  const partitions =
    partitionBlocks === undefined ? undefined : new PostgresPartitions(sql, assertLeader, partitionBlocks);
  return {
    writer: writerOf(createPostgresWriter(sql, assertLeader, partitions)),
    ...{ store, eventDefinition, partitions, openedAt, now },
    isLeader: async () => canLead && (await lease.acquire()),
    term: () => lease.term,
    isShared: true,
    async close() {
      await lease.close();
      await close();
    },
  };
}

/** Says that a setting does not apply to an existing index. */
function reportPartitions(
  { partitionBlocks: wanted, schema }: { partitionBlocks?: number; schema: string },
  existing: number | undefined,
  log: Logger,
): void {
  if (wanted === undefined || wanted === existing) return;
  log.warn(
    existing === undefined
      ? "the index is not partitioned: the setting applies to new indexes only"
      : "the index keeps the size of its partitions: the setting applies to new indexes only",
    { index: schema, setting: wanted, ...(existing !== undefined && { partitionBlocks: existing }) },
  );
}

async function closeAll(store: ChainStore, writer: IndexWriter): Promise<void> {
  await writer.close();
  await store.close();
}
