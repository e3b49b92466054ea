import { randomBytes } from "node:crypto";
import { CHANGES_NOTIFICATION, type ChangeLog, type LoggedChange, type LogPosition } from "../changeLog.ts";
import type { ClassSchema } from "../classSchema.ts";
import { postgresDialect } from "./dialect.ts";
import { DatabaseBusyError } from "./errors.ts";
import type { Row, Sql } from "./session.ts";
import type { Transaction } from "./transactions.ts";
import { withWireDates } from "./wireDates.ts";

/** Advisory lock that is held from numbering a change to its commit, so that numbers increase in commit order. */
const LOG_LOCK = 0x70757273656c;
const TRIGGER = "purse_change";
/** Maximum wait for the lock of a table whose trigger is dropped, in ms. */
const TRIGGER_LOCK_TIMEOUT_MS = 100;

/**
 * The change log. The table of a class only has the trigger while the class is subscribed to, so that other classes
 * have no overhead. The trigger is deferred to the commit, when all rows are locked, so that its lock is acquired last
 * and held briefly.
 */
export const CHANGE_LOG_TABLES: string[] = [
  `CREATE TABLE purse_changes (
    seq bigserial PRIMARY KEY, at bigint NOT NULL, class_name text COLLATE "C" NOT NULL,
    object_id text COLLATE "C" NOT NULL, was text, became text)`,
  "CREATE INDEX purse_changes_class ON purse_changes (class_name, seq)",
  `CREATE TABLE purse_followed (
    class_name text COLLATE "C" PRIMARY KEY, since bigint NOT NULL, until bigint NOT NULL)`,
  "CREATE TABLE purse_change_log (epoch text NOT NULL, trimmed bigint NOT NULL)",
  "INSERT INTO purse_change_log VALUES (substr(md5(random()::text || clock_timestamp()::text), 1, 12), 0)",
  `CREATE FUNCTION purse_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF current_setting('purse.silent', true) = 'on' THEN RETURN NULL; END IF;
     PERFORM pg_advisory_xact_lock(${LOG_LOCK});
     INSERT INTO purse_changes (at, class_name, object_id, was, became)
     VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint, TG_ARGV[0],
       coalesce(NEW.id, OLD.id), OLD.doc::text, NEW.doc::text);
     PERFORM pg_notify('purse', '${CHANGES_NOTIFICATION}');
     RETURN NULL;
   END $$`,
];

/** Disables logging for the rest of a transaction: maintenance of whole classes is not logged. */
export async function disableChangeLog(transaction: Transaction): Promise<void> {
  await transaction.run("SELECT set_config('purse.silent', 'on', true)", []);
  // A table with pending deferred triggers cannot be altered.
  await transaction.run("SET CONSTRAINTS ALL IMMEDIATE", []);
}

const HEAD = "greatest((SELECT trimmed FROM purse_change_log), (SELECT max(seq) FROM purse_changes))";
/** Epoch of the log, the database cluster, and its timeline, which changes with a failover or a restore. */
const EPOCH = `(SELECT epoch FROM purse_change_log)
  || (SELECT to_hex(system_identifier) FROM pg_control_system())
  || ltrim(lower(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)), '0')`;
const FINGERPRINT = "at || ' ' || object_id";
const LAST_FINGERPRINT = `(SELECT ${FINGERPRINT} FROM purse_changes ORDER BY seq DESC LIMIT 1)`;
const CHANGE_COLUMNS = `seq, class_name, object_id, was, became, ${FINGERPRINT}`;

interface ChangeLogDependencies {
  sql: Sql;
  /** Runs a transaction while no other process creates, changes or drops classes. */
  withSchemaLock<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Time of the database, in ms since the epoch. */
  clock(): number;
}

export function createChangeLog({ sql, withSchemaLock, clock }: ChangeLogDependencies): ChangeLog {
  return {
    subscribe: (className, expiresAt) =>
      withSchemaLock(async (transaction) => {
        const [known] = await transaction.run("SELECT schema FROM purse_classes WHERE class_name = ?", [
          className,
        ]);
        if (known) await addTrigger(transaction, JSON.parse(String(known[0])));
        // Writes that were uncommitted when the trigger was created have been committed by now.
        const [row] = await transaction.run(
          `INSERT INTO purse_followed AS known (class_name, since, until) VALUES (?, ${HEAD}, ?)
           ON CONFLICT (class_name) DO UPDATE SET until = greatest(known.until, excluded.until)
           RETURNING ${EPOCH}, ${HEAD}, ${LAST_FINGERPRINT}`,
          [className, expiresAt],
        );
        return toLogPosition(row);
      }),

    async head() {
      const [row] = await sql.run(`SELECT ${HEAD}`, []);
      return Number(row?.[0]);
    },

    async check(known) {
      const [row] = await sql.run(
        `SELECT ${EPOCH}, ${HEAD}, ${LAST_FINGERPRINT}, (SELECT trimmed FROM purse_change_log),
           (SELECT ${FINGERPRINT} FROM purse_changes WHERE seq = ?), (SELECT epoch FROM purse_change_log)`,
        [known.seq],
      );
      const head = toLogPosition(row);
      const [, , , trimmed, fingerprint, ownEpoch] = row ?? [];
      if (head.epoch !== known.epoch) return { head, isContinuous: false };
      const isSame = fingerprint === known.fingerprint || known.fingerprint === undefined;
      const isTrimmed = fingerprint === null && Number(trimmed) >= known.seq;
      if (head.seq >= known.seq && (isSame || isTrimmed)) return { head, isContinuous: true };
      // The database is an older copy: its positions must not be confused with those of the previous log.
      const epoch = randomBytes(6).toString("hex");
      await sql.run("UPDATE purse_change_log SET epoch = ? WHERE epoch = ?", [epoch, ownEpoch ?? null]);
      const [newHead] = await sql.run(`SELECT ${EPOCH}, ${HEAD}, ${LAST_FINGERPRINT}`, []);
      return { head: toLogPosition(newHead), isContinuous: false };
    },

    async renew(classNames, expiresAt) {
      const renewed = await sql.run(
        `UPDATE purse_followed SET until = greatest(until, ?)
         WHERE ${postgresDialect.textIn("class_name")} RETURNING class_name`,
        [expiresAt, JSON.stringify(classNames)],
      );
      const names = new Set(renewed.map(([name]) => String(name)));
      return classNames.filter((name) => !names.has(name));
    },

    async read(after, limit) {
      const rows = await sql.run(
        `SELECT ${CHANGE_COLUMNS} FROM purse_changes WHERE seq > ? ORDER BY seq LIMIT ?`,
        [after, limit],
      );
      return rows.map(toLoggedChange);
    },

    async changesSince(className, after, upTo, limit) {
      const [known] = await sql.run(
        `SELECT greatest(since, (SELECT trimmed FROM purse_change_log)) FROM purse_followed WHERE class_name = ?`,
        [className],
      );
      if (!known || after < Number(known[0]) || after > upTo) return "truncated";
      const rows = await sql.run(
        `SELECT ${CHANGE_COLUMNS} FROM purse_changes
         WHERE class_name = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
        [className, after, upTo, limit + 1],
      );
      return rows.length > limit ? "truncated" : { changes: rows.map(toLoggedChange) };
    },

    async trim(before, maxChanges) {
      await sql.run(
        `WITH gone AS (DELETE FROM purse_changes WHERE seq <= greatest(
             (SELECT max(seq) FROM purse_changes WHERE at < ?), (SELECT max(seq) FROM purse_changes) - ?)
           RETURNING seq)
         UPDATE purse_change_log SET trimmed = greatest(trimmed, (SELECT max(seq) FROM gone))`,
        [before, maxChanges],
      );
      const [expired] = await sql.run("SELECT 1 FROM purse_followed WHERE until < ? LIMIT 1", [clock()]);
      if (!expired) return;
      await withSchemaLock(async (transaction) => {
        // A backup reads tables for long. Requests would queue behind a trigger that waits for it.
        await transaction.run("SELECT set_config('lock_timeout', ?, true)", [`${TRIGGER_LOCK_TIMEOUT_MS}ms`]);
        const expired = await transaction.run(
          `WITH ended AS (DELETE FROM purse_followed WHERE until < ? RETURNING class_name)
           SELECT schema FROM purse_classes JOIN ended USING (class_name)`,
          [clock()],
        );
        for (const [schema] of expired) await dropTrigger(transaction, JSON.parse(String(schema)));
      }).catch((error: unknown) => {
        // The triggers are dropped when the log is trimmed the next time.
        if (!(error instanceof DatabaseBusyError)) throw error;
      });
    },
  };
}

/** Adds the trigger to a new class that was subscribed to before it existed. */
export async function logNewClass(transaction: Transaction, schema: ClassSchema): Promise<void> {
  const [followed] = await transaction.run("SELECT 1 FROM purse_followed WHERE class_name = ?", [
    schema.className,
  ]);
  if (followed) await addTrigger(transaction, schema);
}

async function addTrigger(transaction: Transaction, schema: ClassSchema): Promise<void> {
  const table = postgresDialect.identifier(schema.table);
  const [existing] = await transaction.run(
    "SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass(?) AND tgname = ?",
    [table, TRIGGER],
  );
  if (existing) return;
  // Class names are validated to contain only letters, digits and _.
  await transaction.run(
    `CREATE CONSTRAINT TRIGGER ${TRIGGER} AFTER INSERT OR UPDATE OR DELETE ON ${table}
     DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION purse_log_change('${schema.className}')`,
    [],
  );
}

async function dropTrigger(transaction: Transaction, schema: ClassSchema): Promise<void> {
  await transaction.run(
    `DROP TRIGGER IF EXISTS ${TRIGGER} ON ${postgresDialect.identifier(schema.table)}`,
    [],
  );
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
