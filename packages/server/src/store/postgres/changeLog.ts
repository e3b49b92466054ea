import { randomBytes } from "node:crypto";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { CHANGES_ANNOUNCEMENT, type ChangeLog, type LoggedChange, type LogPosition } from "../changeLog.ts";
import { postgresDialect } from "./dialect.ts";
import type { Row, Sql } from "./session.ts";
import type { Transaction } from "./transactions.ts";

/** Held from the numbering of a change to its commit, so that numbers grow in the order of commits. */
const LOG_LOCK = 0x70757273656c;
const TRIGGER = "purse_change";

/**
 * The log of changes. A class's table has the trigger only while somebody follows the class: others pay
 * nothing. It fires at the commit, when all rows are locked already, so that its lock is held briefly
 * and last.
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
     PERFORM pg_notify('purse', '${CHANGES_ANNOUNCEMENT}');
     RETURN NULL;
   END $$`,
];

/** What a transaction does after this is not logged: the work of operators on whole classes. */
export async function silence(transaction: Transaction): Promise<void> {
  await transaction.run("SELECT set_config('purse.silent', 'on', true)", []);
  // A table with triggers that wait for the commit cannot be changed.
  await transaction.run("SET CONSTRAINTS ALL IMMEDIATE", []);
}

const HEAD = "greatest((SELECT trimmed FROM purse_change_log), (SELECT max(seq) FROM purse_changes))";
/** Of the log, of the database cluster, and of the history of its writes, which a failover or a restore begins anew. */
const EPOCH = `(SELECT epoch FROM purse_change_log)
  || (SELECT to_hex(system_identifier) FROM pg_control_system())
  || ltrim(lower(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)), '0')`;
const MARK = "at || ' ' || object_id";
const LAST_MARK = `(SELECT ${MARK} FROM purse_changes ORDER BY seq DESC LIMIT 1)`;
const CHANGE = `seq, class_name, object_id, was, became, ${MARK}`;

interface ChangeLogParts {
  sql: Sql;
  /** A transaction while which no class is made, changed or dropped by others. */
  underLock<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** The database's clock, in ms since the epoch. */
  clock(): number;
}

export function createChangeLog({ sql, underLock, clock }: ChangeLogParts): ChangeLog {
  return {
    follow: (className, until) =>
      underLock(async (transaction) => {
        const [known] = await transaction.run("SELECT schema FROM purse_classes WHERE class_name = ?", [
          className,
        ]);
        if (known) await addTrigger(transaction, JSON.parse(String(known[0])));
        // Writes that had not been committed before the trigger was there are committed now.
        const [row] = await transaction.run(
          `INSERT INTO purse_followed AS known (class_name, since, until) VALUES (?, ${HEAD}, ?)
           ON CONFLICT (class_name) DO UPDATE SET until = greatest(known.until, excluded.until)
           RETURNING ${EPOCH}, ${HEAD}, ${LAST_MARK}`,
          [className, until],
        );
        return positionOf(row);
      }),

    async head() {
      const [row] = await sql.run(`SELECT ${HEAD}`, []);
      return Number(row?.[0]);
    },

    async check(known) {
      const [row] = await sql.run(
        `SELECT ${EPOCH}, ${HEAD}, ${LAST_MARK}, (SELECT trimmed FROM purse_change_log),
           (SELECT ${MARK} FROM purse_changes WHERE seq = ?), (SELECT epoch FROM purse_change_log)`,
        [known.seq],
      );
      const head = positionOf(row);
      const [, , , trimmed, mark, ownEpoch] = row ?? [];
      if (head.epoch !== known.epoch) return { head, isContinued: false };
      const isSame = mark === known.mark || known.mark === undefined;
      const isForgotten = mark === null && Number(trimmed) >= known.seq;
      if (head.seq >= known.seq && (isSame || isForgotten)) return { head, isContinued: true };
      // A copy from before: its positions must not be taken for those of the log that was.
      const epoch = randomBytes(6).toString("hex");
      await sql.run("UPDATE purse_change_log SET epoch = ? WHERE epoch = ?", [epoch, ownEpoch ?? null]);
      const [again] = await sql.run(`SELECT ${EPOCH}, ${HEAD}, ${LAST_MARK}`, []);
      return { head: positionOf(again), isContinued: false };
    },

    async renew(classNames, until) {
      const renewed = await sql.run(
        `UPDATE purse_followed SET until = greatest(until, ?)
         WHERE ${postgresDialect.textIn("class_name")} RETURNING class_name`,
        [until, JSON.stringify(classNames)],
      );
      const names = new Set(renewed.map(([name]) => String(name)));
      return classNames.filter((name) => !names.has(name));
    },

    async read(after, limit) {
      const rows = await sql.run(`SELECT ${CHANGE} FROM purse_changes WHERE seq > ? ORDER BY seq LIMIT ?`, [
        after,
        limit,
      ]);
      return rows.map(logged);
    },

    async since(className, after, upTo, limit) {
      const [known] = await sql.run(
        `SELECT greatest(since, (SELECT trimmed FROM purse_change_log)) FROM purse_followed WHERE class_name = ?`,
        [className],
      );
      if (!known || after < Number(known[0]) || after > upTo) return "forgotten";
      const rows = await sql.run(
        `SELECT ${CHANGE} FROM purse_changes
         WHERE class_name = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
        [className, after, upTo, limit + 1],
      );
      return rows.length > limit ? "forgotten" : { changes: rows.map(logged) };
    },

    async trim(before, most) {
      await sql.run(
        `WITH gone AS (DELETE FROM purse_changes WHERE seq <= greatest(
             (SELECT max(seq) FROM purse_changes WHERE at < ?), (SELECT max(seq) FROM purse_changes) - ?)
           RETURNING seq)
         UPDATE purse_change_log SET trimmed = greatest(trimmed, (SELECT max(seq) FROM gone))`,
        [before, most],
      );
      const [overdue] = await sql.run("SELECT 1 FROM purse_followed WHERE until < ? LIMIT 1", [clock()]);
      if (!overdue) return;
      await underLock(async (transaction) => {
        const ended = await transaction.run(
          `WITH ended AS (DELETE FROM purse_followed WHERE until < ? RETURNING class_name)
           SELECT schema FROM purse_classes JOIN ended USING (class_name)`,
          [clock()],
        );
        for (const [schema] of ended) await dropTrigger(transaction, JSON.parse(String(schema)));
      });
    },
  };
}

/** A class that was followed before it was there is logged from its first object on. */
export async function followKnown(transaction: Transaction, schema: ClassSchema): Promise<void> {
  const [followed] = await transaction.run("SELECT 1 FROM purse_followed WHERE class_name = ?", [
    schema.className,
  ]);
  if (followed) await addTrigger(transaction, schema);
}

async function addTrigger(transaction: Transaction, schema: ClassSchema): Promise<void> {
  const table = postgresDialect.identifier(schema.table);
  const [there] = await transaction.run(
    "SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass(?) AND tgname = ?",
    [table, TRIGGER],
  );
  if (there) return;
  // Class names are letters, digits and _ only: the protocol has checked them.
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

function positionOf(row: Row = []): LogPosition {
  const [epoch, seq, mark] = row;
  return { epoch: String(epoch), seq: Number(seq), mark: mark ?? undefined };
}

function logged([seq, className, objectId, was, became, mark]: Row): LoggedChange {
  return {
    seq: Number(seq),
    className: String(className),
    objectId: String(objectId),
    before: was ?? null,
    after: became ?? null,
    ...(typeof mark === "string" && { mark }),
  };
}
