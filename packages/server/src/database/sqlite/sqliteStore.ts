import { dirname } from "node:path";
import type { JsonValue } from "@purse/protocol";
import type { ByteBudget } from "../../core/limits/byteBudget.ts";
import type { Logger } from "../../core/logger.ts";
import type { ClassSchema } from "../classSchema.ts";
import { LeaseLostError } from "../lease.ts";
import { createLocalLeases } from "../localLeases.ts";
import { DISCARD_OLD_REPLIES, subrequestReplies } from "../requestRecords.ts";
import { groupRows } from "../sql/groupRows.ts";
import { createStatements } from "../sql/statement.ts";
import type { SecretObject, Store } from "../store.ts";
import { classStatements, dropTextIndexes, removalStatements } from "./classStatements.ts";
import { sqliteDialect } from "./dialect.ts";
import type { DatabaseFault, DatabaseFaultError } from "./errors.ts";
import { createFolder } from "./fileChecks.ts";
import { inlineDialect, workerDialect } from "./interruptCheck.ts";
import { Reader } from "./reader.ts";
import { databaseUnavailableError, Writer } from "./writer.ts";

const FAULT_MESSAGES: Readonly<Record<DatabaseFault, string>> = {
  damaged: "The database is damaged and read-only: restore a backup",
  unwritable: "The database cannot be written: the disk is full or faulty",
};

export interface SqliteOptions {
  logger: Logger;
  /** Timeout of read statements, in ms. */
  queryTimeoutMs: number;
  /** Maximum number of characters in a query result. */
  maxResultBytes: number;
  /** Budget for the memory of query results. */
  budget: ByteBudget;
  /** Whether to check the integrity of the file when it is opened, unless it is large. */
  verifiesFile: boolean;
  /** Called when a thread has failed too often and is not restarted. */
  onFailed?(error: Error): void;
}

/**
 * Opens the embedded database in a file, which is created if necessary. One thread writes, with group commit; reads run
 * concurrently.
 */
export async function openSqliteStore(file: string, options: SqliteOptions): Promise<Store> {
  const { logger, queryTimeoutMs, maxResultBytes, budget, verifiesFile, onFailed } = options;
  createFolder(dirname(file));
  let fault: DatabaseFault | undefined;
  const onFault = (error: DatabaseFaultError): void => {
    if (fault === "damaged" || fault === error.fault) return;
    fault = error.fault;
    if (fault === "damaged") writer.rejectWrites(databaseUnavailableError());
    logger.error(FAULT_MESSAGES[fault], { file, error: error.message });
  };
  const onCommit = (): void => {
    reader.onCommit();
    if (fault !== "unwritable") return;
    fault = undefined;
    logger.warn("The database can be written again", { file });
  };
  const shared = { logger, onFault, ...(onFailed && { onFailed }) };
  const writer = await Writer.open(file, { ...shared, verifiesFile, onCommit });
  const reader = await Reader.open(file, { ...shared, queryTimeoutMs, maxResultBytes, budget }).catch(
    async (error: unknown) => {
      await writer.close();
      throw error;
    },
  );
  const inline = createStatements(inlineDialect);
  const forWorker = createStatements(workerDialect);
  const unbounded = createStatements(sqliteDialect);
  const leases = createLocalLeases();
  const listeners = new Set<(message: string | undefined) => void>();

  return {
    async get(schema, id, subjects) {
      return reader.readFirst({
        inline: inline.get(schema, id, subjects),
        forWorker: () => forWorker.get(schema, id, subjects),
      });
    },

    async find(query) {
      if (query.limit === 0) return [];
      return reader.readAll({ inline: inline.find(query), forWorker: () => forWorker.find(query) });
    },

    async count(query) {
      const [count] = await reader.readAll({
        inline: inline.count(query),
        forWorker: () => forWorker.count(query),
      });
      return Number(count);
    },

    async distinct(query, path) {
      const { sql, parameters } = forWorker.distinct(query, path);
      return (await reader.readRows(sql, parameters)).map((text): JsonValue => JSON.parse(text));
    },

    async group(query, group) {
      const { sql, parameters } = forWorker.group(query, group);
      return groupRows(await reader.readRows(sql, parameters), group);
    },

    async explain(query) {
      const steps = await reader.explain(unbounded.find(query));
      return steps.map((step): JsonValue => JSON.parse(step));
    },

    async getSecret(schema, id): Promise<SecretObject | undefined> {
      const table = sqliteDialect.identifier(schema.table);
      // JSON texts have no line breaks.
      const statement = (interruptCheck: string) => ({
        sql: `SELECT doc || char(10) || ifnull(secret, '') FROM ${table} WHERE ${interruptCheck}id = ?`,
        parameters: [id],
      });
      const row = await reader.readFirst({
        inline: statement(inlineDialect.interruptCheck),
        forWorker: () => statement(workerDialect.interruptCheck),
      });
      if (row === undefined) return undefined;
      const [text = "", secret] = row.split("\n");
      return { text, secret: secret ? JSON.parse(secret) : {} };
    },

    async getSecrets(schema, ids) {
      const table = sqliteDialect.identifier(schema.table);
      const rows = await reader.readRows(
        `SELECT json_array(id, secret) FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(ids)],
      );
      return new Map(
        rows.map((row) => {
          const [id, secret]: [string, string | null] = JSON.parse(row);
          return [id, secret === null ? {} : JSON.parse(secret)];
        }),
      );
    },

    async getUniqueOwner(scope, value) {
      return reader.readValue(
        "SELECT owner FROM purse_claims WHERE scope = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
        [scope, value, Date.now()],
      );
    },

    async getCounter(scope, value) {
      const n = reader.readValue("SELECT n FROM purse_counts WHERE scope = ? AND value = ? AND until > ?", [
        scope,
        value,
        Date.now(),
      ]);
      return Number(n ?? 0);
    },

    async getUniqueValues(scope, owner) {
      return reader.readRows("SELECT value FROM purse_claims WHERE scope = ? AND owner = ? ORDER BY value", [
        scope,
        owner,
      ]);
    },

    async ownersInRelation(className, key, relatedIds) {
      return reader.readRows(
        "SELECT DISTINCT owner_id FROM purse_relations WHERE class_name = ? AND key = ? AND related_id IN (SELECT value FROM json_each(?))",
        [className, key, JSON.stringify(relatedIds)],
      );
    },

    write(group) {
      for (const write of group) {
        if (write.kind === "fence" && !leases.isHeld(write))
          return Promise.reject(new LeaseLostError(write.lease));
      }
      return writer.write(group);
    },

    createEach: (creates) => writer.createEach(creates),

    async loadClasses(className) {
      const rows =
        className === undefined
          ? await reader.readRows("SELECT schema FROM purse_classes", [])
          : await reader.readRows("SELECT schema FROM purse_classes WHERE class_name = ?", [className]);
      return rows.map((row): ClassSchema => JSON.parse(row));
    },

    async changeClass(className, edit) {
      const known = reader.readValue("SELECT schema FROM purse_classes WHERE class_name = ?", [className]);
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

    async scan(schema, [after], limit) {
      const rows = await reader.readPage(
        `SELECT json_array(seq, id, doc, secret) FROM ${sqliteDialect.identifier(schema.table)} WHERE seq > ? ORDER BY seq LIMIT ?`,
        [after, limit],
      );
      return rows.map((row) => {
        const [seq, id, text, secret]: [number, string, string, string | null] = JSON.parse(row);
        return { position: [seq, id], text, secret: secret === null ? {} : JSON.parse(secret) };
      });
    },

    async scanRelations(after, limit) {
      const rows = await reader.readRows(
        `SELECT json_array(class_name, key, owner_id, related_id) FROM purse_relations
         WHERE (class_name, key, owner_id, related_id) > (?, ?, ?, ?)
         ORDER BY class_name, key, owner_id, related_id LIMIT ?`,
        [...after, limit],
      );
      return rows.map((row): [string, string, string, string] => JSON.parse(row));
    },

    async scanUniqueValues(after, limit) {
      const rows = await reader.readRows(
        `SELECT json_array(scope, value, owner, expires_at) FROM purse_claims
         WHERE (scope, value) > (?, ?) AND (expires_at IS NULL OR expires_at > ?) ORDER BY scope, value LIMIT ?`,
        [...after, Date.now(), limit],
      );
      return rows.map((row) => {
        const [scope, value, owner, expiresAt]: [string, string, string, number | null] = JSON.parse(row);
        return { scope, value, owner, ...(expiresAt !== null && { expiresAt }) };
      });
    },

    async getRequest(key) {
      const row = reader.readValue(
        "SELECT json_array(content, owner, running_until, answer) FROM purse_requests WHERE key = ?",
        [key],
      );
      if (row === undefined) return undefined;
      const [contentHash, owner, leaseExpiresAt, reply]: [string, string, number, string | null] =
        JSON.parse(row);
      return { contentHash, owner, leaseExpiresAt, reply };
    },

    async getSubrequestReplies(key) {
      const rows = await reader.readRows(
        "SELECT json_array(key, answer) FROM purse_requests WHERE key > ? AND key < ? AND expires_at > ?",
        [`${key}#`, `${key}$`, Date.now()],
      );
      return subrequestReplies(rows.map((row): [string, string | null] => JSON.parse(row)));
    },

    async deleteExpiredRequests(maxLength) {
      await writer.execute([
        { sql: "DELETE FROM purse_requests WHERE expires_at <= ?", parameters: [Date.now()] },
        { sql: DISCARD_OLD_REPLIES, parameters: [maxLength] },
      ]);
    },

    async deleteExpired() {
      const now = Date.now();
      await writer.execute([
        { sql: "DELETE FROM purse_claims WHERE expires_at <= ?", parameters: [now] },
        { sql: "DELETE FROM purse_counts WHERE until <= ?", parameters: [now] },
      ]);
    },

    leases,
    now: Date.now,

    // No other process shares the file, so no process has to be notified.
    async publish() {},
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    unavailableReason: () => fault && FAULT_MESSAGES[fault],
    workers: () => [...writer.health(), ...reader.health()],
    probeWrite: () => writer.probe(),

    async close() {
      await reader.close();
      await writer.close();
    },
  };
}
