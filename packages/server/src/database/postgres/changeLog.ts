import type { ChangeLog, ChangePage, LoggedChange, LogPosition } from "../changeLog.ts";
import { createEpoch, logClass } from "./changeLogLayout.ts";
import { CHANGE_TRIGGER, dropTrigger } from "./changeTriggers.ts";
import { postgresDialect } from "./dialect.ts";
import { DatabaseBusyError } from "./errors.ts";
import { EXPIRED_PREVIOUS_SUBSCRIPTION, endPreviousSubscriptions } from "./previousChangeLog.ts";
import type { Row, Sql } from "./session.ts";
import { limitLockWaits } from "./shortLocks.ts";
import type { Transaction } from "./transactions.ts";
import { withWireDates } from "./wireDates.ts";

/** Changes that are deleted by one statement. */
const TRIM_BATCH = 10_000;

/** The database cluster, and its timeline, which changes with a failover or a restore. */
const TIMELINE = `((SELECT to_hex(system_identifier) FROM pg_control_system())
  || ltrim(lower(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)), '0'))`;
/** Epoch of the log, and the timeline of the database cluster. */
const EPOCH = `(SELECT epoch FROM purse_log_state) || ${TIMELINE}`;
const TRIMMED = "(SELECT trimmed FROM purse_log_state)";
const FINGERPRINT = "at || ' ' || object_id";
/** What shows whether the log contains a position, whose number is the parameter. */
const CONTINUITY = `${EPOCH}, ${TRIMMED}, (SELECT ${FINGERPRINT} FROM purse_log WHERE seq = ?::bigint)`;
/** The last change up to a number. */
const LAST_CHANGE = `(SELECT seq, ${FINGERPRINT} AS fingerprint FROM purse_log
  WHERE seq <= ?::bigint ORDER BY seq DESC LIMIT 1) AS last`;
const CHANGE_COLUMNS = `seq, class_name, object_id, was::text, became::text, ${FINGERPRINT}`;

/** Ends subscriptions of classes that a process of the previous version has created, without the trigger. */
const END_UNLOGGED = `DELETE FROM purse_log_subscriptions AS subscription USING purse_classes AS class,
    LATERAL (SELECT to_regclass(quote_ident(class.schema::json ->> 'table')) AS name) AS class_table
  WHERE ${postgresDialect.textIn("subscription.class_name")} AND class.class_name = subscription.class_name
    AND class_table.name IS NOT NULL
    AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = class_table.name AND tgname = '${CHANGE_TRIGGER.name}')`;

interface ChangeLogDependencies {
  sql: Sql;
  /** Runs a transaction while no other process creates, changes or drops classes. */
  withSchemaLock<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** The same; repeated for a while if a table is in use. */
  changeTables<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Time of the database, in ms since the epoch. */
  clock(): number;
}

export function createChangeLog({
  sql,
  withSchemaLock,
  changeTables,
  clock,
}: ChangeLogDependencies): ChangeLog {
  /** Returns the last assigned number, and the one up to which all transactions have ended. */
  async function watermark(): Promise<{ assigned: number; finished: number }> {
    const [row] = await sql.run("SELECT assigned, finished FROM purse_log_watermark()", []);
    return { assigned: Number(row?.[0]), finished: Number(row?.[1]) };
  }

  /** Returns the last change that can be read. All that was committed before the call is in the log up to there. */
  async function head(): Promise<LogPosition> {
    return lastUpTo((await watermark()).finished);
  }

  async function lastUpTo(finished: number): Promise<LogPosition> {
    const [row] = await sql.run(
      `SELECT ${EPOCH}, greatest(${TRIMMED}, seq), fingerprint FROM (SELECT 1) AS one LEFT JOIN ${LAST_CHANGE} ON true`,
      [finished],
    );
    return toLogPosition(row);
  }

  return {
    async subscribe(className, expiresAt) {
      await changeTables(async (transaction) => {
        const [known] = await transaction.run("SELECT schema FROM purse_classes WHERE class_name = ?", [
          className,
        ]);
        if (known) await logClass(transaction, JSON.parse(String(known[0])));
        const renewed = await transaction.run(
          "UPDATE purse_log_subscriptions SET until = greatest(until, ?) WHERE class_name = ? RETURNING 1",
          [expiresAt, className],
        );
        if (renewed.length > 0) return;
        // All positions of clients that may have missed changes of the class are before this entry of no class.
        await transaction.run("SELECT purse_begin_append()", []);
        await transaction.run(
          `WITH entry AS (INSERT INTO purse_log (at, class_name, object_id) VALUES (?, '', ?) RETURNING seq)
           INSERT INTO purse_log_subscriptions (class_name, since, until) SELECT ?, seq, ? FROM entry`,
          [clock(), className, className, expiresAt],
        );
      });
      // Writes that were uncommitted when the class began to be logged have been committed by now.
      return head();
    },

    head: async () => (await head()).seq,

    async check(known) {
      const [row = []] = await sql.run(`SELECT ${CONTINUITY}, (SELECT epoch FROM purse_log_state)`, [
        known.seq,
      ]);
      const isContinuous = containsPosition(row, known);
      // The database is an older copy: its positions must not be confused with those of the previous log.
      if (!isContinuous && row[0] === known.epoch) {
        await sql.run("UPDATE purse_log_state SET epoch = ? WHERE epoch = ?", [
          createEpoch(),
          row[3] ?? null,
        ]);
      }
      return {
        head: await head(),
        isContinuous,
      };
    },

    async renew(classNames, expiresAt) {
      await sql.run(END_UNLOGGED, [JSON.stringify(classNames)]);
      const renewed = await sql.run(
        `UPDATE purse_log_subscriptions SET until = greatest(until, ?)
         WHERE ${postgresDialect.textIn("class_name")} RETURNING class_name`,
        [expiresAt, JSON.stringify(classNames)],
      );
      const names = new Set(renewed.map(([name]) => String(name)));
      return classNames.filter((name) => !names.has(name));
    },

    async read(after, classNames, limit) {
      const { assigned, finished } = await watermark();
      const nothing: ChangePage = {
        changes: [],
        position: undefined,
        hasMore: false,
        assigned,
        finished,
        isContinuous: true,
        isTruncated: false,
      };
      if (finished <= after.seq) return nothing;
      // These statements start later, so that they see all changes up to the watermark.
      const [[state = []], rows] = await Promise.all([
        sql.run(
          `SELECT ${CONTINUITY}, last.seq, last.fingerprint FROM (SELECT 1) AS one LEFT JOIN ${LAST_CHANGE} ON true`,
          [after.seq, finished],
        ),
        sql.run(
          `WITH page AS (
             SELECT found.seq FROM jsonb_array_elements_text(?::text::jsonb) AS subscribed(name), LATERAL (
               SELECT seq FROM purse_log WHERE class_name = subscribed.name AND seq > ? AND seq <= ?
               ORDER BY seq LIMIT ?) AS found
             ORDER BY seq LIMIT ?)
           SELECT ${CHANGE_COLUMNS} FROM purse_log JOIN page USING (seq) ORDER BY seq`,
          [JSON.stringify(classNames), after.seq, finished, limit, limit],
        ),
      ]);
      if (!containsPosition(state, after)) return { ...nothing, isContinuous: false };
      const [, trimmed, , lastSeq, fingerprint] = state;
      const changes = rows.map(toLoggedChange);
      const hasMore = changes.length === limit;
      const lastChange = changes.at(-1);
      const last =
        hasMore && lastChange ? lastChange : { seq: Number(lastSeq), fingerprint: fingerprint ?? undefined };
      return {
        ...nothing,
        changes,
        position: last.seq > after.seq ? { seq: last.seq, fingerprint: last.fingerprint } : undefined,
        hasMore,
        isTruncated: Number(trimmed) > after.seq,
      };
    },

    async changesSince(className, after, upTo, limit) {
      const [known] = await sql.run(
        `SELECT greatest(since, ${TRIMMED}) FROM purse_log_subscriptions WHERE class_name = ?`,
        [className],
      );
      if (!known || after < Number(known[0]) || after > upTo) return "truncated";
      const rows = await sql.run(
        `SELECT ${CHANGE_COLUMNS} FROM purse_log
         WHERE class_name = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
        [className, after, upTo, limit + 1],
      );
      return rows.length > limit ? "truncated" : { changes: rows.map(toLoggedChange) };
    },

    async trim(before, maxChanges) {
      const { finished } = await watermark();
      for (let deleted = TRIM_BATCH; deleted === TRIM_BATCH; ) {
        const [row] = await sql.run(
          `WITH gone AS (DELETE FROM purse_log WHERE seq IN (
               SELECT seq FROM purse_log WHERE seq <= ? AND (at < ? OR seq <= (SELECT max(seq) FROM purse_log) - ?)
               ORDER BY seq LIMIT ?)
             RETURNING seq), last AS (SELECT max(seq) AS seq, count(*) AS n FROM gone),
           moved AS (UPDATE purse_log_state SET trimmed = greatest(trimmed, last.seq) FROM last WHERE last.n > 0)
           SELECT n FROM last`,
          [finished, before, maxChanges, TRIM_BATCH],
        );
        deleted = Number(row?.[0] ?? 0);
      }
      const now = clock();
      const [expired] = await sql.run("SELECT 1 FROM purse_log_subscriptions WHERE until < ? LIMIT 1", [now]);
      const [previous] = await sql.run(EXPIRED_PREVIOUS_SUBSCRIPTION, [now]);
      if (!expired && !previous) return;
      await withSchemaLock(async (transaction) => {
        await limitLockWaits(transaction);
        const ended = await transaction.run(
          `WITH ended AS (DELETE FROM purse_log_subscriptions WHERE until < ? RETURNING class_name)
           SELECT schema FROM purse_classes JOIN ended USING (class_name)`,
          [now],
        );
        for (const [schema] of ended)
          await dropTrigger(transaction, JSON.parse(String(schema)), CHANGE_TRIGGER);
        await endPreviousSubscriptions(transaction, now);
      }).catch((error: unknown) => {
        // The triggers are dropped when the log is trimmed the next time.
        if (!(error instanceof DatabaseBusyError)) throw error;
      });
    },
  };
}

/** Whether the log contains a known position, or did until it was trimmed. */
function containsPosition([epoch, trimmed, fingerprint]: Row, known: LogPosition): boolean {
  if (epoch !== known.epoch) return false;
  if (fingerprint == null) return Number(trimmed) >= known.seq;
  return fingerprint === known.fingerprint;
}

function toLogPosition(row: Row = []): LogPosition {
  const [epoch, seq, fingerprint] = row;
  return { epoch: String(epoch), seq: Number(seq), fingerprint: fingerprint ?? undefined };
}

function toLoggedChange([seq, className, objectId, was, became, fingerprint]: Row): LoggedChange {
  return {
    seq: Number(seq),
    className: String(className),
    objectId: String(objectId),
    before: was == null ? null : withWireDates(was),
    after: became == null ? null : withWireDates(became),
    ...(typeof fingerprint === "string" && { fingerprint }),
  };
}
