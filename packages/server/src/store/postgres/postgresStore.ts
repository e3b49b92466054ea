import { type JsonValue, ProtocolError } from "@purse/protocol";
import type { ByteBudget } from "../../limits/byteBudget.ts";
import { currentScope } from "../../limits/requestScope.ts";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { AnswerRoom } from "../answerRoom.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { groupRows } from "../sql/groupRows.ts";
import { createStatements } from "../sql/statement.ts";
import {
  ClaimTaken,
  LimitReached,
  type SecretObject,
  type Store,
  type StoreQuery,
  type Write,
  type WriteResult,
} from "../store.ts";
import { apply, isOneStatement, readsFirst } from "./apply.ts";
import { createChangeLog, followKnown, silence } from "./changeLog.ts";
import { asProtocolError, connect, run, type Sql, sqlState, type Transaction } from "./connection.ts";
import { plainDialect, postgresDialect } from "./dialect.ts";
import { GroupCommit } from "./groupCommit.ts";
import { classStatements, MIGRATIONS, removalStatements } from "./layout.ts";
import { Statistics } from "./statistics.ts";

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

/** Where processes tell each other of changes. */
const CHANNEL = "purse";
/** Held while the layout or a class is changed: `purse` as a number. */
const LAYOUT_LOCK = 0x7075727365;
/** serialization_failure, deadlock_detected: the same work may succeed when it is done again. */
const AGAIN: ReadonlySet<string> = new Set(["40001", "40P01"]);
const ATTEMPTS = 4;
/** Characters that one page of a scan has, about. */
const SCAN_CHARS = 8 * 1024 * 1024;

/** Opens the store in a PostgreSQL database; any number of processes may share it. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, connections, replicaUrl, queryTimeoutMs, maxAnswerBytes, budget } = options;
  const sql = connect(url, connections, queryTimeoutMs);
  const replica = replicaUrl === undefined ? sql : connect(replicaUrl, connections, queryTimeoutMs);
  await migrate(sql);
  const statements = createStatements(postgresDialect);
  const plain = createStatements(plainDialect);
  const room = new AnswerRoom(budget, maxAnswerBytes);
  const commits = new GroupCommit(sql, (work) => inTransaction(sql, work));
  const statistics = new Statistics(sql);
  const listeners = new Set<(message: string | undefined) => void>();
  const tell = (message: string | undefined) => {
    for (const listener of listeners) listener(message);
  };
  // Whatever was announced while the connection was lost is not known: everything may have changed.
  await sql.listen(CHANNEL, tell, () => tell(undefined));

  const rows = (text: string, parameters: SqlParameter[]) => run(sql, text, parameters);
  const texts = async (text: string, parameters: SqlParameter[], from: Sql = sql) =>
    (await run(from, text, parameters)).map(([value]) => String(value));
  const sourceOf = (query: StoreQuery) => (query.mayLag ? replica : sql);

  return {
    async get(schema, id, principals) {
      const { sql: text, parameters } = statements.get(schema, id, principals);
      return (await texts(text, parameters))[0];
    },

    async find(query) {
      if (query.limit === 0) return [];
      const { sql: text, parameters } = statements.find(query);
      return room.read(text, currentScope(), async (maxChars) => {
        const found = await run(sourceOf(query), text, [maxChars, ...parameters.slice(1)]);
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
      // The driver reads a plan's JSON already.
      const [plan] = await rows(`EXPLAIN (FORMAT JSON) ${text}`, parameters);
      return JSON.parse(JSON.stringify(plan?.[0] ?? []));
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
        [scope, value, Date.now()],
      );
      return owner;
    },

    async countOf(scope, value) {
      const [n] = await texts("SELECT n FROM purse_counts WHERE scope = ? AND value = ? AND until > ?", [
        scope,
        value,
        Date.now(),
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
      if (only && group.length === 1 && isOneStatement(only)) return again(() => commits.add(only));
      return again(() => writeGroup(sql, group));
    },

    async loadClasses(className) {
      const found = await run(
        sql,
        "SELECT schema FROM purse_classes WHERE class_name = coalesce(?::text, class_name)",
        [className ?? null],
      );
      return found.map(([text]): ClassSchema => JSON.parse(String(text)));
    },

    changeClass: (className, edit) =>
      underLock(sql, async (transaction) => {
        const [known] = await run(transaction, "SELECT schema FROM purse_classes WHERE class_name = ?", [
          className,
        ]);
        const current: ClassSchema | undefined = known && JSON.parse(String(known[0]));
        const schema = edit(current);
        if (schema === current) return schema;
        await silence(transaction);
        const removals = current ? removalStatements(current, schema) : [];
        for (const { sql: text, parameters } of removals) await run(transaction, text, parameters);
        for (const statement of classStatements(schema)) await run(transaction, statement, []);
        await run(
          transaction,
          `INSERT INTO purse_classes (class_name, schema) VALUES (?, ?)
           ON CONFLICT (class_name) DO UPDATE SET schema = excluded.schema`,
          [className, JSON.stringify(schema)],
        );
        if (!current) await followKnown(transaction, schema);
        return schema;
      }),

    async dropClass(schema) {
      await underLock(sql, async (transaction) => {
        await run(transaction, `DROP TABLE IF EXISTS ${postgresDialect.identifier(schema.table)}`, []);
        await run(transaction, "DELETE FROM purse_relations WHERE class_name = ?", [schema.className]);
        await run(transaction, "DELETE FROM purse_classes WHERE class_name = ?", [schema.className]);
      });
    },

    async purge(schema) {
      await inTransaction(sql, async (transaction) => {
        await silence(transaction);
        await run(transaction, `DELETE FROM ${postgresDialect.identifier(schema.table)}`, []);
        await run(transaction, "DELETE FROM purse_relations WHERE class_name = ?", [schema.className]);
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
        [...after, Date.now(), limit],
      );
      return found.map(([scope, value, owner, expiresAt]) => ({
        scope: String(scope),
        value: String(value),
        owner: String(owner),
        ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
      }));
    },

    async sweep(now) {
      await rows("DELETE FROM purse_claims WHERE expires_at <= ?", [now]);
      await rows("DELETE FROM purse_counts WHERE until <= ?", [now]);
    },

    async announce(message) {
      await run(sql, "SELECT pg_notify(?, ?)", [CHANNEL, message]);
    },

    onAnnounced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    changeLog: createChangeLog({ sql, underLock: (work) => underLock(sql, work) }),

    problem: () => undefined,

    async close() {
      listeners.clear();
      await Promise.all([sql.end({ timeout: 5 }), replica === sql ? undefined : replica.end({ timeout: 5 })]);
    },
  };
}

async function writeGroup(sql: Sql, group: Write[]): Promise<WriteResult[]> {
  const now = Date.now();
  const [only] = group;
  if (only && group.length === 1 && !readsFirst(only)) return [await apply(sql, only, now)];
  return inTransaction(sql, async (transaction) => {
    // Without reads in between, the steps travel together.
    if (!group.some(readsFirst)) return together(group.map((write) => apply(transaction, write, now)));
    const results: WriteResult[] = [];
    for (const write of group) results.push(await apply(transaction, write, now));
    return results;
  });
}

/** What steps that travel together did. Rejects with what the first that failed says, whichever answer came first. */
async function together(steps: Promise<WriteResult>[]): Promise<WriteResult[]> {
  await Promise.allSettled(steps);
  const results: WriteResult[] = [];
  for (const step of steps) results.push(await step);
  return results;
}

async function inTransaction<T>(sql: Sql, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await sql.begin(async (transaction) => {
      result = { value: await work(transaction) };
    });
  } catch (error) {
    if (error instanceof ClaimTaken || error instanceof LimitReached || error instanceof ProtocolError)
      throw error;
    throw asProtocolError(error);
  }
  if (!result) throw new Error("A transaction ended without a result");
  return result.value;
}

function underLock<T>(sql: Sql, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return again(() =>
    inTransaction(sql, async (transaction) => {
      // Making indexes and emptying classes takes as long as it takes.
      await run(transaction, "SET LOCAL statement_timeout = 0", []);
      await run(transaction, "SELECT pg_advisory_xact_lock(?)", [LAYOUT_LOCK]);
      return work(transaction);
    }),
  );
}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const state = sqlState(error);
      if (attempt >= ATTEMPTS || state === undefined || !AGAIN.has(state)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

async function migrate(sql: Sql): Promise<void> {
  await underLock(sql, async (transaction) => {
    await run(transaction, "CREATE TABLE IF NOT EXISTS purse_layout (version integer NOT NULL)", []);
    const [row] = await run(transaction, "SELECT version FROM purse_layout", []);
    const version = Number(row?.[0] ?? 0);
    if (version > MIGRATIONS.length) {
      throw new Error(
        `The database was written by a newer Purse (layout ${version}, this one knows ${MIGRATIONS.length})`,
      );
    }
    for (const statements of MIGRATIONS.slice(version)) {
      for (const statement of statements) await run(transaction, statement, []);
    }
    if (row) await run(transaction, "UPDATE purse_layout SET version = ?", [MIGRATIONS.length]);
    else await run(transaction, "INSERT INTO purse_layout (version) VALUES (?)", [MIGRATIONS.length]);
  });
}
