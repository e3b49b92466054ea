import { dirname } from "node:path";
import type { JsonValue } from "@purse/protocol";
import type { ByteBudget } from "../../limits/byteBudget.ts";
import type { Logger } from "../../observe/logger.ts";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { LeaseLost } from "../lease.ts";
import { createLocalLeases } from "../localLeases.ts";
import { FORGET_ANSWERS, partAnswers } from "../requests.ts";
import { groupRows } from "../sql/groupRows.ts";
import { createStatements } from "../sql/statement.ts";
import type { SecretObject, Store } from "../store.ts";
import { inlineDialect, threadDialect } from "./checkpoint.ts";
import { sqliteDialect } from "./dialect.ts";
import type { DatabaseFaultError, Fault } from "./errors.ts";
import { makeFolder } from "./fileChecks.ts";
import { classStatements, dropTextIndexes, removalStatements } from "./layout.ts";
import { Reader } from "./reader.ts";
import { moveExpiries, WallClock } from "./wallClock.ts";
import { unavailable, Writer } from "./writer.ts";

const PROBLEMS: Readonly<Record<Fault, string>> = {
  damaged: "The database is damaged: nothing is written to it any more, restore a backup",
  unwritable: "The database cannot be written: the disk is full, or fails",
};

export interface SqliteOptions {
  log: Logger;
  /** How long a statement that reads may run, in ms. */
  queryTimeoutMs: number;
  /** Characters of one answer, at most. */
  maxAnswerBytes: number;
  /** What counts the answers that are held in memory. */
  budget: ByteBudget;
  /** Looks through the whole file before it is used, where that does not take long. */
  checksFile: boolean;
  /** A thread ended too often and is not restarted any more. */
  onFailed?(error: Error): void;
}

/**
 * Opens the embedded store in a file, made where there is none. One thread writes, with group
 * commit; reads run beside it.
 */
export async function openSqliteStore(file: string, options: SqliteOptions): Promise<Store> {
  const { log, queryTimeoutMs, maxAnswerBytes, budget, checksFile, onFailed } = options;
  makeFolder(dirname(file));
  let fault: Fault | undefined;
  const onFault = (error: DatabaseFaultError): void => {
    if (fault === "damaged" || fault === error.fault) return;
    fault = error.fault;
    if (fault === "damaged") writer.refuse(unavailable());
    log.error(PROBLEMS[fault], { file, error: error.message });
  };
  const onWritten = (): void => {
    if (fault !== "unwritable") return;
    fault = undefined;
    log.warn("The database can be written again", { file });
  };
  const shared = { log, onFault, ...(onFailed && { onFailed }) };
  const writer = await Writer.open(file, { ...shared, checksFile, onWritten });
  const reader = await Reader.open(file, { ...shared, queryTimeoutMs, maxAnswerBytes, budget }).catch(
    async (error: unknown) => {
      await writer.close();
      throw error;
    },
  );
  const inline = createStatements(inlineDialect);
  const thread = createStatements(threadDialect);
  const plain = createStatements(sqliteDialect);
  const leases = createLocalLeases();
  const listeners = new Set<(message: string | undefined) => void>();
  const clock = new WallClock((byMs) => {
    // Goes before whatever is written from now on.
    writer.execute(moveExpiries(byMs, Date.now())).catch((error: unknown) => {
      log.warn("The clock was set, and what expires could not be moved with it", { error: String(error) });
    });
    // What was cached for a time may have been cached for another one.
    for (const listener of listeners) listener(undefined);
  });

  return {
    async get(schema, id, principals) {
      return reader.first({
        inline: inline.get(schema, id, principals),
        thread: () => thread.get(schema, id, principals),
      });
    },

    async find(query) {
      if (query.limit === 0) return [];
      return reader.all({ inline: inline.find(query), thread: () => thread.find(query) });
    },

    async count(query) {
      const [count] = await reader.all({ inline: inline.count(query), thread: () => thread.count(query) });
      return Number(count);
    },

    async distinct(query, path) {
      const { sql, parameters } = thread.distinct(query, path);
      return (await reader.rows(sql, parameters)).map((text): JsonValue => JSON.parse(text));
    },

    async group(query, group) {
      const { sql, parameters } = thread.group(query, group);
      return groupRows(await reader.rows(sql, parameters), group);
    },

    async explain(query) {
      const steps = await reader.explain(plain.find(query));
      return steps.map((step): JsonValue => JSON.parse(step));
    },

    async getSecret(schema, id): Promise<SecretObject | undefined> {
      const table = sqliteDialect.identifier(schema.table);
      const statement = (checkpoint: string) => ({
        sql: `SELECT json_array(doc, secret) FROM ${table} WHERE ${checkpoint}id = ?`,
        parameters: [id],
      });
      const row = await reader.first({
        inline: statement(inlineDialect.checkpoint),
        thread: () => statement(threadDialect.checkpoint),
      });
      if (row === undefined) return undefined;
      const [text, secret]: [string, string | null] = JSON.parse(row);
      return { text, secret: secret === null ? {} : JSON.parse(secret) };
    },

    async ownerOf(scope, value) {
      return reader.point(
        "SELECT owner FROM purse_claims WHERE scope = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
        [scope, value, clock.now()],
      );
    },

    async countOf(scope, value) {
      const n = reader.point("SELECT n FROM purse_counts WHERE scope = ? AND value = ? AND until > ?", [
        scope,
        value,
        clock.now(),
      ]);
      return Number(n ?? 0);
    },

    async claimsOf(scope, owner) {
      return reader.rows("SELECT value FROM purse_claims WHERE scope = ? AND owner = ? ORDER BY value", [
        scope,
        owner,
      ]);
    },

    async ownersInRelation(className, key, relatedIds) {
      return reader.rows(
        "SELECT DISTINCT owner_id FROM purse_relations WHERE class_name = ? AND key = ? AND related_id IN (SELECT value FROM json_each(?))",
        [className, key, JSON.stringify(relatedIds)],
      );
    },

    async write(group) {
      for (const write of group) {
        if (write.kind === "fence" && !leases.isHeld(write)) throw new LeaseLost(write.lease);
      }
      return writer.write(group);
    },

    async loadClasses(className) {
      const rows =
        className === undefined
          ? await reader.rows("SELECT schema FROM purse_classes", [])
          : await reader.rows("SELECT schema FROM purse_classes WHERE class_name = ?", [className]);
      return rows.map((row): ClassSchema => JSON.parse(row));
    },

    async changeClass(className, edit) {
      const known = reader.point("SELECT schema FROM purse_classes WHERE class_name = ?", [className]);
      const current: ClassSchema | undefined = known === undefined ? undefined : JSON.parse(known);
      const schema = edit(current);
      if (schema === current) return schema;
      await writer.execute([
        ...(current ? removalStatements(current, schema) : []),
        ...classStatements(schema).map((sql) => ({ sql, parameters: [] })),
        {
          sql: `INSERT INTO purse_classes (class_name, schema) VALUES (?, ?)
                ON CONFLICT (class_name) DO UPDATE SET schema = excluded.schema`,
          parameters: [schema.className, JSON.stringify(schema)],
        },
      ]);
      return schema;
    },

    async dropClass(schema) {
      await writer.execute([
        ...dropTextIndexes(schema),
        { sql: `DROP TABLE IF EXISTS ${sqliteDialect.identifier(schema.table)}`, parameters: [] },
        { sql: "DELETE FROM purse_relations WHERE class_name = ?", parameters: [schema.className] },
        { sql: "DELETE FROM purse_classes WHERE class_name = ?", parameters: [schema.className] },
      ]);
    },

    async purge(schema) {
      await writer.execute([
        { sql: `DELETE FROM ${sqliteDialect.identifier(schema.table)}`, parameters: [] },
        { sql: "DELETE FROM purse_relations WHERE class_name = ?", parameters: [schema.className] },
      ]);
    },

    async scan(schema, after, limit) {
      const rows = await reader.page(
        `SELECT json_array(seq, doc, secret) FROM ${sqliteDialect.identifier(schema.table)} WHERE seq > ? ORDER BY seq LIMIT ?`,
        [after, limit],
      );
      return rows.map((row) => {
        const [seq, text, secret]: [number, string, string | null] = JSON.parse(row);
        return { seq, text, secret: secret === null ? {} : JSON.parse(secret) };
      });
    },

    async scanRelations(after, limit) {
      const rows = await reader.rows(
        `SELECT json_array(class_name, key, owner_id, related_id) FROM purse_relations
         WHERE (class_name, key, owner_id, related_id) > (?, ?, ?, ?)
         ORDER BY class_name, key, owner_id, related_id LIMIT ?`,
        [...after, limit],
      );
      return rows.map((row): [string, string, string, string] => JSON.parse(row));
    },

    async scanClaims(after, limit) {
      const rows = await reader.rows(
        `SELECT json_array(scope, value, owner, expires_at) FROM purse_claims
         WHERE (scope, value) > (?, ?) AND (expires_at IS NULL OR expires_at > ?) ORDER BY scope, value LIMIT ?`,
        [...after, clock.now(), limit],
      );
      return rows.map((row) => {
        const [scope, value, owner, expiresAt]: [string, string, string, number | null] = JSON.parse(row);
        return { scope, value, owner, ...(expiresAt !== null && { expiresAt }) };
      });
    },

    async requestOf(key) {
      const row = reader.point(
        "SELECT json_array(content, owner, running_until, answer) FROM purse_requests WHERE key = ?",
        [key],
      );
      if (row === undefined) return undefined;
      const [content, owner, runningUntil, answer]: [string, string, number, string | null] = JSON.parse(row);
      return { content, owner, runningUntil, answer };
    },

    async partsOf(key) {
      const rows = await reader.rows(
        "SELECT json_array(key, answer) FROM purse_requests WHERE key > ? AND key < ? AND expires_at > ?",
        [`${key}#`, `${key}$`, clock.now()],
      );
      return partAnswers(rows.map((row): [string, string] => JSON.parse(row)));
    },

    async sweepRequests(maxLength) {
      await writer.execute([
        { sql: "DELETE FROM purse_requests WHERE expires_at <= ?", parameters: [clock.now()] },
        { sql: FORGET_ANSWERS, parameters: [maxLength] },
      ]);
    },

    async sweep() {
      const now = clock.now();
      await writer.execute([
        { sql: "DELETE FROM purse_claims WHERE expires_at <= ?", parameters: [now] },
        { sql: "DELETE FROM purse_counts WHERE until <= ?", parameters: [now] },
      ]);
    },

    leases,
    now: clock.now,

    // Nobody else shares the file: whoever announces knows already.
    async announce() {},
    onAnnounced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    problem: () => fault && PROBLEMS[fault],
    workers: () => [...writer.health(), ...reader.health()],
    probeWrite: () => writer.probe(),

    async close() {
      clock.stop();
      await reader.close();
      await writer.close();
    },
  };
}
