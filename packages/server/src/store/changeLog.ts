import type { ObjectText } from "./store.ts";

/** One object before and after a committed write. */
export interface LoggedChange {
  /** Grows in the order of the commits, whichever process wrote. */
  seq: number;
  className: string;
  objectId: string;
  /** null for a create. */
  before: ObjectText | null;
  /** null for a delete. */
  after: ObjectText | null;
  /** Distinguishes the change from another one with its number in a copy of the log; undefined where there is none. */
  mark?: string;
}

/** A place in a log. */
export interface LogPosition {
  /** Names the log; positions of another log mean nothing in it. */
  epoch: string;
  /** The number of a change. */
  seq: number;
  /** The change's mark; undefined where the change is not in the log (any more). */
  mark: string | undefined;
}

/** What `since` asks of the log: changes of a class, or that some of them are not known any more. */
export type Missed = { changes: LoggedChange[] } | "forgotten";

/**
 * The changes of followed classes, kept for a while in the database that several processes share. A
 * change is in the log exactly when it is committed.
 */
export interface ChangeLog {
  /** From its answer on, changes of the class are logged until `until` (ms since the epoch). Following again moves it. */
  follow(className: string, until: number): Promise<LogPosition>;
  /** Follows on. Answers those of the classes that are followed no more: their changes may have been missed. */
  renew(classNames: string[], until: number): Promise<string[]>;
  /** The last change that is committed. */
  head(): Promise<number>;
  /**
   * The last change, and whether the log still goes on from a place in it. After a failover or a restore it may not: what
   * had been committed is gone, and its numbers are given to other changes. The log then has another epoch from now on.
   */
  check(known: LogPosition): Promise<{ head: LogPosition; isContinued: boolean }>;
  /** Changes after one, in order. */
  read(after: number, limit: number): Promise<LoggedChange[]>;
  /** The changes of a class after one and up to another; "forgotten" where they are more than `limit`, too. */
  since(className: string, after: number, upTo: number, limit: number): Promise<Missed>;
  /** Forgets changes before a time (ms since the epoch), and all but the last `most`; ends what is followed no more. */
  trim(before: number, most: number): Promise<void>;
}

/** What is announced when there is something new in the log. */
export const CHANGES_ANNOUNCEMENT = "changes";
