import type { ObjectText } from "./objectText.ts";

/** An object before and after a committed write. */
export interface LoggedChange {
  /**
   * Increases in the order in which changes are read, across processes. Changes of one object are in the order of their
   * commits.
   */
  seq: number;
  className: string;
  objectId: string;
  /** null for a create operation. */
  before: ObjectText | null;
  /** null for a delete operation. */
  after: ObjectText | null;
  /** Distinguishes changes with the same number in different copies of the log, if set. */
  fingerprint?: string;
}

/** A position in a log. */
export interface LogPosition {
  /** Identifies the log; positions are only valid within the same epoch. */
  epoch: string;
  /** Number of the change. */
  seq: number;
  /** Fingerprint of the change; undefined if the change is not in the log (any more). */
  fingerprint: string | undefined;
}

/** Changes after a position. */
export interface ChangePage {
  /** Changes of the requested classes, in order. */
  changes: LoggedChange[];
  /** Where to read on: the position of a change of any class; undefined if there are no new ones. */
  position: Omit<LogPosition, "epoch"> | undefined;
  /** Whether there are more changes than were requested. */
  hasMore: boolean;
  /** The last number that was assigned to a change. */
  assigned: number;
  /** The number up to which all transactions have ended: later changes wait for one that has begun to commit. */
  finished: number;
  /** Whether the log contains the known position; otherwise there are no changes. */
  isContinuous: boolean;
  /** Whether changes after the known position may have been deleted before they were read. */
  isTruncated: boolean;
}

/** Result of `changesSince`: the changes of a class, or "truncated" if some are no longer in the log. */
export type ChangesSince = { changes: LoggedChange[] } | "truncated";

/**
 * Recent changes of subscribed classes, stored in the database that several processes share. A change is in the log
 * exactly if it is committed.
 */
export interface ChangeLog {
  /**
   * Starts to log changes of the class until `expiresAt` (ms since the epoch). Subscribing again extends the time.
   * Returns the position from which on changes are logged.
   */
  subscribe(className: string, expiresAt: number): Promise<LogPosition>;
  /**
   * Extends subscriptions. Returns the classes whose subscription had expired: changes of them may have been missed.
   */
  renew(classNames: string[], expiresAt: number): Promise<string[]>;
  /** Returns the number of the last change that can be read: all with lower numbers are committed, too. */
  head(): Promise<number>;
  /**
   * Returns the position of the last change, and whether the log is a continuation of a known position. After a
   * failover or a restore it may not be: committed changes are lost and their numbers are reused. The log then gets a
   * new epoch.
   */
  check(known: LogPosition): Promise<{ head: LogPosition; isContinuous: boolean }>;
  /** Returns the changes of some classes after a position, at most `limit`. */
  read(after: LogPosition, classNames: readonly string[], limit: number): Promise<ChangePage>;
  /** Returns the changes of a class after one number up to another; "truncated" also if there are more than `limit`. */
  changesSince(className: string, after: number, upTo: number, limit: number): Promise<ChangesSince>;
  /**
   * Deletes changes before a time (ms since the epoch) and all but the last `maxChanges`; removes expired
   * subscriptions.
   */
  trim(before: number, maxChanges: number): Promise<void>;
}

/** Notification that there are new changes in the log; the names of their classes follow if they are known. */
export const CHANGES_NOTIFICATION = "changes";
/** PostgreSQL accepts notifications of less than 8,000 bytes. */
const MAX_NOTIFICATION_LENGTH = 7_000;

/** Returns the notification of new changes of some classes, which are not known if there are none. */
export function changesNotification(classNames: ReadonlySet<string>): string {
  const notification = [CHANGES_NOTIFICATION, ...classNames].join(" ");
  return notification.length > MAX_NOTIFICATION_LENGTH ? CHANGES_NOTIFICATION : notification;
}

/** Whether a notification is about new changes, whichever classes it names. */
export function isOfChanges(notification: string): boolean {
  return notification.split(" ", 1)[0] === CHANGES_NOTIFICATION;
}

/** Whether a notification is that of new changes, possibly of one of these classes. */
export function concernsClasses(notification: string, classNames: { has(name: string): boolean }): boolean {
  if (!isOfChanges(notification)) return false;
  const [, ...changed] = notification.split(" ");
  return changed.length === 0 || changed.some((name) => classNames.has(name));
}

/** Message by which a session of the database learns that its transaction has logged changes. */
export const CHANGES_LOGGED = "purse: changes were logged";
/** Setting of transactions whose changes are published anyway: the database does not send the message. */
export const CHANGES_PUBLISHED = "purse.published";
