import { performance } from "node:perf_hooks";
import type { ClickHouseReader } from "./clickhouse/clickhouseReader.ts";
import { type EventStorage, readEventStorage, wantedEventStorage } from "./eventStorage.ts";
import { IndexReadError, IndexSwitchedError } from "./indexErrors.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexQuery } from "./indexQuery.ts";
import type { IndexReader, PinnedReader, ReadKind } from "./indexReader.ts";
import { isReplacementBuilt } from "./indexSwitch.ts";

/**
 * How old what is known of the place can be in a process that reads one database only, in ms. From then on, such a
 * process knows that another index is being built, and verifies each read until the switch.
 */
export const MAX_AGE_MS = 1_000;
/** How long after a switch reads can still arrive that were built for the other database, in ms. */
const LATE_READS_MS = 10_000;

/**
 * Reads the events of an index in PostgreSQL where they are: there or in ClickHouse. An index with its events in the
 * other database can take its place at any time; a read to which that happens rejects with IndexSwitchedError, and
 * has to be built again for the other database.
 */
export class SwitchingEvents implements IndexReader {
  readonly #reader: IndexReader;
  readonly #clickHouse: ClickHouseReader | undefined;
  /** Where the events of a new index are. */
  readonly #wanted: EventStorage;
  readonly #location: IndexLocation;
  #storage: EventStorage;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  #isBeingReplaced = false;
  #switchedAt = Number.NEGATIVE_INFINITY;

  /** Without `clickHouse`, this process does not know where it is. Closes `clickHouse`, but not `reader`. */
  constructor(reader: IndexReader, clickHouse: ClickHouseReader | undefined, location: IndexLocation) {
    this.#reader = reader;
    this.#clickHouse = clickHouse;
    this.#location = location;
    this.#wanted = wantedEventStorage(location);
    this.#storage = this.#wanted;
  }

  get dialect() {
    return this.#storage === "clickhouse" && this.#clickHouse
      ? this.#clickHouse.dialect
      : this.#reader.dialect;
  }

  async all<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]> {
    try {
      return await this.#read(query, kind);
    } catch (error) {
      const isLate = performance.now() - this.#switchedAt < LATE_READS_MS;
      // One database refuses the SQL of the other.
      throw isLate && !(error instanceof IndexReadError) ? new IndexSwitchedError() : error;
    }
  }

  change(): Promise<never> {
    return Promise.reject(new Error("this reader is read-only"));
  }

  async pin(): Promise<PinnedReader> {
    const storage = this.#storage;
    // Only reads that were begun in ClickHouse pin a state.
    if (storage === "sql") throw new IndexSwitchedError();
    const pinned = await (await this.#inClickHouse(storage)).pin();
    if (pinned.end === 0) await this.#verify(storage);
    return pinned;
  }

  async close(): Promise<void> {
    await this.#clickHouse?.close();
  }

  async #read<Row>(query: IndexQuery<Row>, kind?: ReadKind): Promise<Row[]> {
    const storage = this.#storage;
    if (storage === "sql") {
      const rows = await this.#reader.all(query, kind);
      // The tables of events of another index can be empty because they are not used.
      if (this.#clickHouse || this.#isBeingReplaced || performance.now() - this.#verifiedAt > MAX_AGE_MS)
        await this.#verify(storage);
      return rows;
    }
    const rows = await (await this.#inClickHouse(storage)).all(query, kind);
    // Without a state of the events, nothing is found.
    if (rows.length === 0) await this.#verify(storage);
    return rows;
  }

  async #inClickHouse(storage: EventStorage): Promise<ClickHouseReader> {
    if (this.#clickHouse) return this.#clickHouse;
    await this.#verify(storage);
    throw new IndexReadError(
      "unavailable",
      "the events of the index are in ClickHouse, whose URL is not set",
    );
  }

  /** Rejects if the events are not where they were read. */
  async #verify(storage: EventStorage): Promise<void> {
    const startedAt = performance.now();
    const [existing, isBeingReplaced] = await Promise.all([
      readEventStorage(this.#reader),
      // Otherwise, each read is verified anyway.
      this.#clickHouse === undefined && isReplacementBuilt(this.#reader, this.#location),
    ]);
    this.#verifiedAt = startedAt;
    this.#isBeingReplaced = isBeingReplaced;
    const found = existing ?? this.#wanted;
    if (found === storage) return;
    this.#storage = found;
    this.#switchedAt = performance.now();
    throw new IndexSwitchedError();
  }
}
