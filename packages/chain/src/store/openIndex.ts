import type { Logger } from "../model/logger.ts";
import { ChainStore } from "./chainStore.ts";
import { IndexLease } from "./indexLease.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexWriter } from "./indexWriter.ts";
import { openPostgres, preparePostgres } from "./postgresConnection.ts";
import { postgresIndex } from "./postgresIndex.ts";
import { sqliteIndex } from "./sqliteIndex.ts";

/** An index to read and to write, and the right to be the only one that follows its chain. */
export interface ChainIndex {
  store: ChainStore;
  writer: IndexWriter;
  /**
   * Whether this process is the one that follows the chain, of all that share the database. Asked again and again:
   * when the one ends or freezes, another takes its place.
   */
  leads(): Promise<boolean>;
  /** The number of this process's term; undefined where it does not lead, or nobody else could. */
  term(): number | undefined;
  /** When the index was opened, and what time it is, by the clock that all processes share; ms since the epoch. */
  openedAt: number;
  now(): Promise<number>;
  close(): Promise<void>;
}

/** How long a renewal of the lease may take, in ms. */
const LEASE_DEADLINE_MS = 2_000;

/** Makes the tables where they are missing. */
export async function openIndex(place: IndexLocation, log: Logger): Promise<ChainIndex> {
  const store = await ChainStore.open(place, 1);
  if (place.kind === "sqlite") {
    const writer = sqliteIndex(place.path);
    return {
      store,
      writer,
      // No other process can have made it anew.
      openedAt: Number.POSITIVE_INFINITY,
      now: async () => Date.now(),
      leads: async () => true,
      term: () => undefined,
      close: () => closeAll(store, writer),
    };
  }
  const sql = openPostgres(place, 2);
  await preparePostgres(sql, place.schema);
  // Renewed by a connection of its own: a long change does not end the term of whoever makes it.
  const leaseSql = openPostgres(place, 1, LEASE_DEADLINE_MS);
  const lease = new IndexLease(leaseSql, place.schema, log);
  const writer = postgresIndex(sql, (tx) => lease.check(tx));
  const [opened] = await leaseSql<{ at: number }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`;
  return {
    store,
    writer,
    openedAt: opened?.at ?? 0,
    async now() {
      const [row] = await leaseSql<{ at: number }>`
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`;
      return row?.at ?? 0;
    },
    leads: () => lease.hold(),
    term: () => lease.term,
    async close() {
      await lease.close();
      await leaseSql.end();
      await closeAll(store, writer);
    },
  };
}

async function closeAll(store: ChainStore, writer: IndexWriter): Promise<void> {
  await writer.close();
  await store.close();
}
