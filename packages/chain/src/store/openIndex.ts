import { ChainStore } from "./chainStore.ts";
import type { IndexPlace } from "./database.ts";
import type { IndexWriter } from "./indexWriter.ts";
import { openPostgres, postgresIndex, preparePostgres } from "./postgresIndex.ts";
import { sqliteIndex } from "./sqliteIndex.ts";

/** An index to read and to write, and the right to be the only one that follows its chain. */
export interface ChainIndex {
  store: ChainStore;
  writer: IndexWriter;
  /**
   * Whether this process is the one that follows the chain, of all that share the database. Asked again and again:
   * when the one ends, another takes its place.
   */
  leads(): Promise<boolean>;
  close(): Promise<void>;
}

/** Makes the tables where they are missing. */
export async function openIndex(place: IndexPlace): Promise<ChainIndex> {
  const store = await ChainStore.open(place, 1);
  if (place.kind === "sqlite") {
    const writer = sqliteIndex(place.path);
    return { store, writer, leads: async () => true, close: () => closeAll(store, writer) };
  }
  const sql = openPostgres(place, 2);
  await preparePostgres(sql, place.schema);
  const writer = postgresIndex(sql);
  // The lock lives as long as its connection.
  const lock = openPostgres(place, 1);
  let held = false;
  return {
    store,
    writer,
    async leads() {
      if (!held) {
        const key = `purse follows ${place.schema}`;
        const [row] = await lock<{ held: boolean }[]>`
          SELECT pg_try_advisory_lock(hashtextextended(${key}, 0)) AS held`;
        held = row?.held === true;
      }
      return held;
    },
    async close() {
      await lock.end({ timeout: 5 });
      await closeAll(store, writer);
    },
  };
}

async function closeAll(store: ChainStore, writer: IndexWriter): Promise<void> {
  await writer.close();
  await store.close();
}
