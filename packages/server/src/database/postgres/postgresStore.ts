import { Lifecycle } from "@purse/kernel";
import { isStorableText, type JsonValue } from "@purse/protocol";
import type { ByteBudget } from "../../core/limits/byteBudget.ts";
import { currentScope } from "../../core/limits/requestScope.ts";
import type { Logger } from "../../core/logger.ts";
import type { ClassSchema } from "../classSchema.ts";
import { DISCARD_OLD_REPLIES, subrequestReplies } from "../requestRecords.ts";
import { ResultMemoryLimiter } from "../resultMemoryLimiter.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { groupRows } from "../sql/groupRows.ts";
import { createStatements } from "../sql/statement.ts";
import type { SecretObject, Store, StoreQuery } from "../store.ts";
import { createChangeLog } from "./changeLog.ts";
import { disableChangeLog } from "./changeLogLayout.ts";
import { changeClassTable, loadClass } from "./classTable.ts";
import { DatabaseClock } from "./databaseClock.ts";
import { postgresDialect, unboundedDialect } from "./dialect.ts";
import { isSingleStatement } from "./executeWrite.ts";
import { executeWrites, writtenClasses } from "./executeWrites.ts";
import { GroupCommit } from "./groupCommit.ts";
import { createLeases } from "./leases.ts";
import { lockLayout, migrate } from "./migrate.ts";
import { RATE_LIMITS_TABLE } from "./migrations.ts";
import { NotificationChannel } from "./notificationChannel.ts";
import { assertOwnSessions, assertSameDatabase, unreachableError } from "./openErrors.ts";
import { ReplicaReads } from "./replicaReads.ts";
import { createScans } from "./scans.ts";
import type { Sql } from "./session.ts";
import { limitLockWaits, retryWhileInUse } from "./shortLocks.ts";
import { translateErrors, translateWriteErrors, translatingSql } from "./sqlWrappers.ts";
import { createPools } from "./storePools.ts";
import { TableStatistics } from "./tableStatistics.ts";
import { type Transaction, Transactions } from "./transactions.ts";
import { withWireDates } from "./wireDates.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Maximum number of connections of this process. */
  connections: number;
  /** URL of a replica, for reads that may be stale. */
  replicaUrl?: string;
  /** How far the replica may be behind, in ms. */
  replicaMaxLagMs?: number;
  /** URL without a pooler, for what needs a session; the other URLs may then be those of poolers. */
  directUrl?: string;
  /** Timeout of statements, in ms. */
  queryTimeoutMs: number;
  /** Maximum number of characters in a query result. */
  maxResultBytes: number;
  logger: Logger;
  /** Budget for the memory of query results. */
  budget: ByteBudget;
}

const DEFAULT_REPLICA_MAX_LAG_MS = 10_000;
/** Interval for reading the clock of the database, in ms. */
const CLOCK_MS = 5_000;

/** Opens a PostgreSQL database, which any number of processes may share. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const lifecycle = new Lifecycle(options.logger);
  return lifecycle.stopOnFailure(() => openStoreWith(options, lifecycle));
}

async function openStoreWith(options: PostgresOptions, lifecycle: Lifecycle): Promise<Store> {
  const { logger, queryTimeoutMs, maxResultBytes, budget, url, replicaUrl, directUrl, connections } = options;
  const urls = { url, replicaUrl, directUrl };
  const pools = createPools({ ...urls, connections, queryTimeoutMs });
  lifecycle.onStop("database connections", () => pools.end());
  const { kinds, reads } = pools;
  await assertOwnSessions(pools, urls);
  // Before the migrations, so that no other database is changed, and after them, as new ones only differ by their tables.
  await assertSameDatabase(pools, urls);
  await lifecycle
    .start("database layout", () => migrate(pools.maintenance))
    .catch((error: unknown) => {
      throw unreachableError(error, directUrl ?? url);
    });
  await assertSameDatabase(pools, urls);
  const sql = translatingSql(reads);
  const byKey = translatingSql(reads.byKey);
  const replica =
    pools.replica &&
    new ReplicaReads({
      replica: pools.replica,
      primary: reads,
      maxLagMs: options.replicaMaxLagMs ?? DEFAULT_REPLICA_MAX_LAG_MS,
      logger,
    });
  const replicaSql = replica ? translatingSql(replica) : sql;
  const onChanges = (classNames?: ReadonlySet<string>) => notifications.sendChanges(classNames);
  const transactions = new Transactions(pools.writes, reads.internal, onChanges);
  const maintenance = new Transactions(pools.maintenance, reads.internal);
  const statements = createStatements(postgresDialect);
  const unbounded = createStatements(unboundedDialect);
  const resultMemory = new ResultMemoryLimiter(budget, maxResultBytes);
  const clock = new DatabaseClock(reads.internal);
  await clock.read().catch((error: unknown) => {
    throw unreachableError(error, url);
  });
  const commits = new GroupCommit(transactions, clock.now);
  const statistics = new TableStatistics(pools.maintenance);
  const listeners = new Set<(message: string | undefined) => void>();
  const notifications = new NotificationChannel({
    session: kinds.notifications,
    sql: reads.internal,
    onMessage(message) {
      for (const listener of listeners) listener(message);
    },
    onConnected: () => clock.read(),
    onPolling(isPolling) {
      if (isPolling) logger.warn("no notifications arrive from the database: their number is polled");
      else logger.info("notifications arrive from the database again");
    },
    onSilence: (ms) => pools.destroySilent(ms),
  });
  lifecycle.onStop("database notifications", () => notifications.close());
  await lifecycle.start("database notifications", () => notifications.open());
  lifecycle.onStop("database replica", () => replica?.stop());
  await lifecycle.start("database replica", () => replica?.start());
  const clockTimer = setInterval(() => {
    // The clock is extrapolated until it can be read again.
    clock.read().catch(() => undefined);
  }, CLOCK_MS).unref();
  lifecycle.onStop("database clock", () => clearInterval(clockTimer));

  const rows = (text: string, parameters: SqlParameter[]) => sql.run(text, parameters);
  const texts = async (text: string, parameters: SqlParameter[], from: Sql = sql) =>
    (await from.run(text, parameters)).map(([value]) => String(value));
  const sqlFor = (query: StoreQuery) => (query.allowsStaleRead ? replicaSql : sql);
  const withSchemaLock = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    translateErrors(() =>
      maintenance.run(async (transaction) => {
        await lockLayout(transaction);
        return work(transaction);
      }),
    );
  const changeTables = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    retryWhileInUse(() => withSchemaLock(work));
  const leases = createLeases(sql);

  return {
    async get(schema, id, subjects) {
      if (!isStorableText(id)) return undefined;
      const { sql: text, parameters } = statements.get(schema, id, subjects);
      const [found] = await texts(text, parameters, byKey);
      return found === undefined ? undefined : withWireDates(found);
    },

    async find(query) {
      if (query.limit === 0) return [];
      const { sql: text, parameters } = statements.find(query);
      return resultMemory.read(text, currentScope(), async (maxChars) => {
        const found = await sqlFor(query).run(text, [maxChars, ...parameters.slice(1)]);
        const neededChars = Number(found.at(-1)?.[1] ?? 0);
        if (neededChars > maxChars) return { neededChars };
        return { rows: found.map(([value]) => withWireDates(String(value))) };
      });
    },

    async count(query) {
      const { sql: text, parameters } = statements.count(query);
      const [count] = await texts(text, parameters, sqlFor(query));
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
      const { sql: text, parameters } = unbounded.find(query);
      const [plan] = await rows(`EXPLAIN (FORMAT JSON) ${text}`, parameters);
      return JSON.parse(plan?.[0] ?? "[]");
    },

    async getSecret(schema, id): Promise<SecretObject | undefined> {
      if (!isStorableText(id)) return undefined;
      const table = postgresDialect.identifier(schema.table);
      const [row] = await byKey.run(`SELECT doc::text, secret FROM ${table} WHERE id = ?`, [id]);
      if (!row) return undefined;
      return { text: String(row[0]), secret: row[1] === null ? {} : JSON.parse(String(row[1])) };
    },

    async getSecrets(schema, ids) {
      const table = postgresDialect.identifier(schema.table);
      const text = `SELECT id, secret FROM ${table} WHERE ${postgresDialect.textIn("id")}`;
      const found = await byKey.run(text, [JSON.stringify(ids)]);
      return new Map(
        found.map(([id, secret]) => [String(id), secret === null ? {} : JSON.parse(String(secret))]),
      );
    },

    async getUniqueOwner(scope, value) {
      if (!isStorableText(scope + value)) return undefined;
      const [owner] = await texts(
        "SELECT owner FROM purse_claims WHERE scope = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
        [scope, value, clock.now()],
        byKey,
      );
      return owner;
    },

    async getCounter(scope, value) {
      const [n] = await texts(
        "SELECT n FROM purse_counts WHERE scope = ? AND value = ? AND until > ?",
        [scope, value, clock.now()],
        byKey,
      );
      return Number(n ?? 0);
    },

    getUniqueValues: (scope, owner) =>
      texts("SELECT value FROM purse_claims WHERE scope = ? AND owner = ? ORDER BY value", [scope, owner]),

    ownersInRelation: (className, key, relatedIds) =>
      texts(
        `SELECT DISTINCT owner_id FROM purse_relations WHERE class_name = ? AND key = ? AND ${postgresDialect.textIn("related_id")}`,
        [className, key, JSON.stringify(relatedIds)],
      ),

    async write(group) {
      const [only] = group;
      const outcomes = await (only && group.length === 1 && isSingleStatement(only)
        ? commits.add(only)
        : translateWriteErrors(() =>
            transactions.run((transaction) => executeWrites(transaction, group, clock.now()), {
              writtenClasses: () => writtenClasses(group),
            }),
          ));
      statistics.count(group);
      return outcomes;
    },

    async createEach(creates) {
      const outcomes = await commits.addEach(creates);
      statistics.count(creates);
      return outcomes.map((outcome) => (outcome instanceof Error ? outcome : (outcome.after ?? "")));
    },

    async loadClasses(className) {
      const found = await sql.run(
        "SELECT schema FROM purse_classes WHERE class_name = coalesce(?::text, class_name)",
        [className ?? null],
      );
      return found.map(([text]): ClassSchema => JSON.parse(String(text)));
    },

    async changeClass(className, edit) {
      let hasNewExpressions = false;
      const schema = await changeTables(async (transaction) => {
        const current = await loadClass(transaction, className);
        const schema = edit(current);
        if (schema === current) return schema;
        const changed = await changeClassTable(transaction, current, schema, { rewritesLargeTable: false });
        hasNewExpressions =
          current !== undefined &&
          (hasAdditions(current.indexes, changed.indexes) || hasAdditions(current.columns, changed.columns));
        return changed;
      });
      if (hasNewExpressions) void statistics.update(schema.table);
      return schema;
    },

    async addColumns(className) {
      const schema = await changeTables(async (transaction) => {
        const current = await loadClass(transaction, className);
        return current && changeClassTable(transaction, current, current, { rewritesLargeTable: true });
      });
      if (schema) await statistics.update(schema.table);
      return schema;
    },

    async dropClass(schema) {
      await changeTables(async (transaction) => {
        // If another process has dropped the class, its name may be that of a table in another schema of the search path.
        if (!(await loadClass(transaction, schema.className))) return;
        await limitLockWaits(transaction);
        await transaction.run(`DROP TABLE IF EXISTS ${postgresDialect.identifier(schema.table)}`, []);
        await transaction.run("DELETE FROM purse_relations WHERE class_name = ?", [schema.className]);
        await transaction.run("DELETE FROM purse_classes WHERE class_name = ?", [schema.className]);
      });
    },

    async purge(schema) {
      await withSchemaLock(async (transaction) => {
        if (!(await loadClass(transaction, schema.className))) return;
        await disableChangeLog(transaction);
        await transaction.run(`DELETE FROM ${postgresDialect.identifier(schema.table)}`, []);
        await transaction.run("DELETE FROM purse_relations WHERE class_name = ?", [schema.className]);
      });
    },

    ...createScans(sql, clock.now),

    async getRequest(key) {
      const [row] = await rows(
        "SELECT content, owner, running_until, answer FROM purse_requests WHERE key = ?",
        [key],
      );
      if (!row) return undefined;
      const [content, owner, runningUntil, reply = null] = row;
      return {
        contentHash: String(content),
        owner: String(owner),
        leaseExpiresAt: Number(runningUntil),
        reply,
      };
    },

    async getSubrequestReplies(key) {
      const found = await rows(
        "SELECT key, answer FROM purse_requests WHERE key > ? AND key < ? AND expires_at > ?",
        [`${key}#`, `${key}$`, clock.now()],
      );
      return subrequestReplies(found);
    },

    async deleteExpiredRequests(maxLength) {
      await rows("DELETE FROM purse_requests WHERE expires_at <= ?", [clock.now()]);
      await rows(DISCARD_OLD_REPLIES, [maxLength]);
    },

    async deleteExpired() {
      const now = clock.now();
      await rows("DELETE FROM purse_claims WHERE expires_at <= ?", [now]);
      await rows("DELETE FROM purse_counts WHERE until <= ?", [now]);
      await transactions.deleteOldSessions();
    },

    publish: (message) => translateErrors(() => notifications.send(message)),

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    rateLimits: {
      table: RATE_LIMITS_TABLE,
      run: async (text, values) =>
        (await reads.internal.run(text, values)).map(([points, expire]) => ({
          points: Number(points),
          expire: Number(expire),
        })),
    },

    changeLog: createChangeLog({ sql, withSchemaLock, changeTables, clock: clock.now }),
    leases,
    ...(replica && { replica: () => replica.status }),
    now: clock.now,
    sizeBytes: async () =>
      Number((await texts("SELECT pg_database_size(current_database())", [], reads.internal))[0]),
    unavailableReason: () =>
      notifications.isHealthy ? undefined : "Notifications from the database are not being received",

    async close() {
      listeners.clear();
      await lifecycle.stop();
    },
  };
}

function hasAdditions(before: object = {}, after: object = {}): boolean {
  return Object.keys(after).some((name) => !Object.hasOwn(before, name));
}
