import { randomBytes } from "node:crypto";
import { POSITIONS_PER_BLOCK } from "../../model/rows.ts";
import { readFact } from "../facts.ts";
import type { IndexReader } from "../indexReader.ts";

/** Property of an index with the state of its events in ClickHouse. */
export const EVENTS_FACT = "events";

/**
 * Which rows in ClickHouse belong to an index. It is saved in the SQL database in the transaction that changes the
 * blocks, so that rows and blocks change at the same time, although ClickHouse has no transactions over tables.
 */
export interface EventState {
  /** Part of the names of the tables. */
  id: string;
  /** Each row has the number of the fork in which it was written; later forks have larger numbers. */
  fork: number;
  /** Rows from this position on do not belong to the index. */
  end: number;
  /** Rows of earlier forks from a position on do not belong to the index: those of reorganizations, or half written. */
  removed: readonly RemovedRows[];
  /** Missing in indexes of earlier versions, whose tables have no copies in other orders. They are only read. */
  hasCopies?: true;
}

interface RemovedRows {
  /** The first fork whose rows are kept. */
  fork: number;
  from: number;
  /** When they were removed, by the clock of the SQL database; ms since the epoch. */
  at: number;
}

/** The state of an index without events. */
export function newEventState(): EventState {
  return { id: randomBytes(4).toString("hex"), fork: 0, end: 0, removed: [], hasCopies: true };
}

/** The state of an index; undefined before its first change. `reader` reads the SQL database. */
export async function readEventState(reader: IndexReader): Promise<EventState | undefined> {
  const text = await readFact(reader, EVENTS_FACT);
  return text === undefined ? undefined : parseEventState(text);
}

export function parseEventState(text: string): EventState {
  return JSON.parse(text);
}

/** Begins a fork at a position: rows that other forks have written or still write from there on are removed. */
export function forkAt(state: EventState, from: number, now: number): EventState {
  // Numbers grow with time, so that a restored backup does not use those again that rows in ClickHouse already have.
  const fork = Math.max(state.fork + 1, now);
  // What the new fork removes includes what earlier ones removed from the same position or a later one.
  const removed = state.removed.filter((each) => each.from < from);
  return { ...state, fork, end: from, removed: [...removed, { fork, from, at: now }] };
}

/** SQL condition for the rows that belong to an index in a state. It contains only numbers. */
export function visibleRows({ fork, end, removed }: EventState): string {
  const conditions = [`position < ${end}`, `fork <= ${fork}`];
  for (const each of removed) conditions.push(`(fork >= ${each.fork} OR position < ${each.from})`);
  return conditions.join(" AND ");
}

/** SQL condition for the rows that a state has removed. */
export function removedRows(removed: readonly RemovedRows[]): string {
  return removed.map((each) => `(fork < ${each.fork} AND position >= ${each.from})`).join(" OR ");
}

/** Blocks per partition. Deletions rewrite parts of the partitions of their rows only. */
export const PARTITION_POSITIONS = 2 ** 22 * POSITIONS_PER_BLOCK;
