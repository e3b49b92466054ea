import type { JsonValue } from "@purse/protocol";
import type { ByteBudget } from "../../limits/byteBudget.ts";
import { currentScope } from "../../limits/requestScope.ts";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { AnswerRoom } from "../answerRoom.ts";
import { FORGET_ANSWERS, partAnswers } from "../requests.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { groupRows } from "../sql/groupRows.ts";
import { createStatements } from "../sql/statement.ts";
import type { SecretObject, Store, StoreQuery, Write, WriteResult } from "../store.ts";
import { Announcements } from "./announcements.ts";
import { apply, isOneStatement, readsFirst } from "./apply.ts";
import { createChangeLog, followKnown, silence } from "./changeLog.ts";
import { DatabaseClock } from "./databaseClock.ts";
import { plainDialect, postgresDialect } from "./dialect.ts";
import { asProtocolError } from "./errors.ts";
import { GroupCommit } from "./groupCommit.ts";
import { classStatements, removalStatements } from "./layout.ts";
import { createLeases } from "./leases.ts";
import { lockOrder } from "./lockOrder.ts";
import { lockLayout, migrate } from "./migrate.ts";
import { ExclusivePool, SharedPool } from "./pools.ts";
import { ReadLanes } from "./readLanes.ts";
import type { SessionOptions, Sql } from "./session.ts";
import { sessionKinds } from "./sessionKinds.ts";
import { Statistics } from "./statistics.ts";
import { type Transaction, Transactions } from "./transactions.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Connections at most, of this process. */
  connections: number;
  /** A replica, for reads that may lag behind. */
  replicaUrl?: string;
  /** How long a statement may run, in ms. */
  queryTimeoutMs: number;
  /** Characters of one answer, at most. */
  maxAnswerBytes: number;
  /** What counts the answers that are held in memory. */
  budget: ByteBudget;
}

/** How often the database's clock is read, in ms. */
const CLOCK_MS = 5_000;
/** Characters that one page of a scan has, about. */
const SCAN_CHARS = 8 * 1024 * 1024;

/** Opens the store in a PostgreSQL database; any number of processes may share it. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, connections, replicaUrl, queryTimeoutMs, maxAnswerBytes, budget } = options;
  const kinds = sessionKinds(url, replicaUrl, queryTimeoutMs);
  const maintenancePool = new ExclusivePool(kinds.maintenance, 1);
  await migrate(maintenancePool).catch((error: unknown) => {
    throw asProtocolError(error);
  });
  const writers = Math.max(1, Math.floor(connections / 2));
  const writePool = new ExclusivePool(kinds.writes, writers);
  const pools: SharedPool[] = [];
  const openLanes = (quick: SessionOptions, slow: SessionOptions, sessions: number): ReadLanes => {
    const quickSessions = Math.max(1, Math.ceil(sessions / 2));
    const slowSessions = Math.max(1, sessions - quickSessions);
    const [quickPool, slowPool] = [new SharedPool(quick, quickSessions), new SharedPool(slow, slowSessions)];
    pools.push(quickPool, slowPool);
    const lanes = { quick: quickPool, quickSessions, slow: slowPool, slowSessions };
    return new ReadLanes({ ...lanes, maxWaitMs: queryTimeoutMs });
  };
  const lanes = openLanes(kinds.quickReads, kinds.slowReads, connections - writers);
  const sql = withClientErrors(lanes);
  const replica =
    replicaUrl === undefined
      ? sql
      : withClientErrors(openLanes(kinds.quickReplica, kinds.slowReplica, connections));
  const transactions = new Transactions(writePool, lanes.own);
  const maintenance = new Transactions(maintenancePool, lanes.own);
  const statements = createStatements(postgresDialect);
  const plain = createStatements(plainDialect);
  const room = new AnswerRoom(budget, maxAnswerBytes);
  const clock = new DatabaseClock(lanes.own);
  await clock.read();
  const commits = new GroupCommit(transactions, clock.now);
  const statistics = new Statistics(maintenancePool);
  const listeners = new Set<(message: string | undefined) => void>();
  const announcements = new Announcements({
    session: kinds.announcements,
    sql: lanes.own,
    onMessage(message) {
      for (const listener of listeners) listener(message);
    },
    onConnected: () => clock.read(),
    onSilence(ms) {
      for (const pool of [...pools, writePool]) pool.destroySilent(ms);
    },
  });
  await announcements.open();
  const readingClock = setInterval(() => {
    // The clock goes on by itself until it can be read again.
    clock.read().catch(() => undefined);
  }, CLOCK_MS).unref();

  const rows = (text: string, parameters: SqlParameter[]) => sql.run(text, parameters);
  const texts = async (text: string, parameters: SqlParameter[], from: Sql = sql) =>
    (await from.run(text, parameters)).map(([value]) => String(value));
  const sourceOf = (query: StoreQuery) => (query.mayLag ? replica : sql);
  const underLock = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    clientErrors(() =>
      maintenance.run(async (transaction) => {
        await lockLayout(transaction);
        return work(transaction);
      }),
    );

  return {
    async get(schema, id, principals) {
      const { sql: text, parameters } = statements.get(schema, id, principals);
      return (await texts(text, parameters))[0];
    },

    async find(query) {
      if (query.limit === 0) return [];
      const { sql: text, parameters } = statements.find(query);
      return room.read(text, currentScope(), async (maxChars) => {
        const found = await sourceOf(query).run(text, [maxChars, ...parameters.slice(1)]);
        const neededChars = Number(found.at(-1)?.[1] ?? 0);
        if (neededChars > maxChars) return { neededChars };
        return { rows: found.map(([value]) => String(value)) };
      });
    },

    async count(query) {
      const { sql: text, parameters } = statements.count(query);
      const [count] = await texts(text, parameters, sourceOf(query));
      return Number(count);
    },

    async distinct(query, path) {
      const { sql: text, parameters } = statements.distinct(query, path);
      return (await texts(text, parameters)).map((value): JsonValue => JSON.parse(value));
    },

    async group(query, group) {
      const { sql: text, parameters } = statements.group(query, group);
      return groupRows(await texts(text, parameters), group);
    },

    async explain(query): Promise<JsonValue> {
      const { sql: text, parameters } = plain.find(query);
      const [plan] = await rows(`EXPLAIN (FORMAT JSON) ${text}`, parameters);
      return JSON.parse(plan?.[0] ?? "[]");
    },

    async getSecret(schema, id): Promise<SecretObject | undefined> {
      const table = postgresDialect.identifier(schema.table);
      const [row] = await rows(`SELECT doc::text, secret FROM ${table} WHERE id = ?`, [id]);
      if (!row) return undefined;
      return { text: String(row[0]), secret: row[1] === null ? {} : JSON.parse(String(row[1])) };
    },

    async ownerOf(scope, value) {
      const [owner] = await texts(
        "SELECT owner FROM purse_claims WHERE scope = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
        [scope, value, clock.now()],
      );
      return owner;
    },

    async countOf(scope, value) {
      const [n] = await texts("SELECT n FROM purse_counts WHERE scope = ? AND value = ? AND until > ?", [
        scope,
        value,
        clock.now(),
      ]);
      return Number(n ?? 0);
    },

    claimsOf: (scope, owner) =>
      texts("SELECT value FROM purse_claims WHERE scope = ? AND owner = ? ORDER BY value", [scope, owner]),

    ownersInRelation: (className, key, relatedIds) =>
      texts(
        `SELECT DISTINCT owner_id FROM purse_relations WHERE class_name = ? AND key = ? AND ${postgresDialect.textIn("related_id")}`,
        [className, key, JSON.stringify(relatedIds)],
      ),

    write(group) {
      statistics.count(group);
      const [only] = group;
      if (only && group.length === 1 && isOneStatement(only)) return commits.add(only);
      return clientErrors(() =>
        transactions.run((transaction) => applyGroup(transaction, group, clock.now())),
      );
    },

    async loadClasses(className) {
      const found = await sql.run(
        "SELECT schema FROM purse_classes WHERE class_name = coalesce(?::text, class_name)",
        [className ?? null],
      );
      return found.map(([text]): ClassSchema => JSON.parse(String(text)));
    },

    changeClass: (className, edit) =>
      underLock(async (transaction) => {
        const [known] = await transaction.run("SELECT schema FROM purse_classes WHERE class_name = ?", [
          className,
        ]);
        const current: ClassSchema | undefined = known && JSON.parse(String(known[0]));
        const schema = edit(current);
        if (schema === current) return schema;
        await silence(transaction);
        const removals = current ? removalStatements(current, schema) : [];
        for (const { sql: text, parameters } of removals) await transaction.run(text, parameters);
        for (const statement of classStatements(schema)) await transaction.run(statement, []);
        await transaction.run(
          `INSERT INTO purse_classes (class_name, schema) VALUES (?, ?)
           ON CONFLICT (class_name) DO UPDATE SET schema = excluded.schema`,
          [className, JSON.stringify(schema)],
        );
        if (!current) await followKnown(transaction, schema);
        return schema;
      }),

    async dropClass(schema) {
      await underLock(async (transaction) => {
        await transaction.run(`DROP TABLE IF EXISTS ${postgresDialect.identifier(schema.table)}`, []);
        await transaction.run("DELETE FROM purse_relations WHERE class_name = ?", [schema.className]);
        await transaction.run("DELETE FROM purse_classes WHERE class_name = ?", [schema.className]);
      });
    },

    async purge(schema) {
      await underLock(async (transaction) => {
        await silence(transaction);
        await transaction.run(`DELETE FROM ${postgresDialect.identifier(schema.table)}`, []);
        await transaction.run("DELETE FROM purse_relations WHERE class_name = ?", [schema.className]);
      });
    },

    async scan(schema, after, limit) {
      const table = postgresDialect.identifier(schema.table);
      const found = await rows(
        `SELECT seq, text, secret FROM (
          SELECT seq, text, secret, sum(octet_length(text)) OVER (ORDER BY seq) - octet_length(text) AS before
          FROM (SELECT seq, doc::text AS text, secret FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ?) AS page
        ) AS sized WHERE before < ? ORDER BY seq`,
        [after, limit, SCAN_CHARS],
      );
      return found.map(([seq, text, secret]) => ({
        seq: Number(seq),
        text: String(text),
        secret: secret === null ? {} : JSON.parse(String(secret)),
      }));
    },

    async scanRelations(after, limit) {
      const found = await rows(
        `SELECT class_name, key, owner_id, related_id FROM purse_relations
         WHERE (class_name, key, owner_id, related_id) > (?, ?, ?, ?)
         ORDER BY class_name, key, owner_id, related_id LIMIT ?`,
        [...after, limit],
      );
      return found.map(([className, key, owner, related]) => [
        String(className),
        String(key),
        String(owner),
        String(related),
      ]);
    },

    async scanClaims(after, limit) {
      const found = await rows(
        `SELECT scope, value, owner, expires_at FROM purse_claims
         WHERE (scope, value) > (?, ?) AND (expires_at IS NULL OR expires_at > ?) ORDER BY scope, value LIMIT ?`,
        [...after, clock.now(), limit],
      );
      return found.map(([scope, value, owner, expiresAt]) => ({
        scope: String(scope),
        value: String(value),
        owner: String(owner),
        ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
      }));
    },

    async requestOf(key) {
      const [row] = await rows(
        "SELECT content, owner, running_until, answer FROM purse_requests WHERE key = ?",
        [key],
      );
      if (!row) return undefined;
      const [content, owner, runningUntil, answer = null] = row;
      return { content: String(content), owner: String(owner), runningUntil: Number(runningUntil), answer };
    },

    async partsOf(key) {
      const found = await rows(
        "SELECT key, answer FROM purse_requests WHERE key > ? AND key < ? AND expires_at > ?",
        [`${key}#`, `${key}$`, clock.now()],
      );
      return partAnswers(found);
    },

    async sweepRequests(maxLength) {
      await rows("DELETE FROM purse_requests WHERE expires_at <= ?", [clock.now()]);
      await rows(FORGET_ANSWERS, [maxLength]);
    },

    async sweep() {
      const now = clock.now();
      await rows("DELETE FROM purse_claims WHERE expires_at <= ?", [now]);
      await rows("DELETE FROM purse_counts WHERE until <= ?", [now]);
      await transactions.sweep();
    },

    announce: (message) => clientErrors(() => announcements.send(message)),

    onAnnounced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    changeLog: createChangeLog({ sql, underLock, clock: clock.now }),
    leases: createLeases(sql),
    now: clock.now,

    problem: () =>
      announcements.isHealthy ? undefined : "What other processes announce does not arrive from the database",

    async close() {
      listeners.clear();
      clearInterval(readingClock);
      await announcements.close();
      await Promise.all([...pools, writePool, maintenancePool].map((pool) => pool.end()));
    },
  };
}

/** Errors of the database as clients are told them. */
async function clientErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asProtocolError(error);
  }
}

function withClientErrors(sql: Sql): Sql {
  return { run: (text, parameters) => clientErrors(() => sql.run(text, parameters)) };
}

/** All steps of a group, in the order in which rows are locked. Rejects with what the first of them that failed says. */
async function applyGroup(transaction: Transaction, group: Write[], now: number): Promise<WriteResult[]> {
  const outcomes: PromiseSettledResult<WriteResult>[] = [];
  const steps: Promise<void>[] = [];
  const readsBetween = group.some(readsFirst);
  for (const place of lockOrder(group)) {
    const write = group[place];
    if (!write) continue;
    const step = Promise.allSettled([apply(transaction, write, now)]).then(([outcome]) => {
      outcomes[place] = outcome;
    });
    // Without reads in between, the steps travel together.
    if (readsBetween) await step;
    else steps.push(step);
  }
  await Promise.all(steps);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}
