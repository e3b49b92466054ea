import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { JsonValue } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { LeaseLost } from "../lease.ts";
import { createLocalLeases } from "../localLeases.ts";
import { FORGET_ANSWERS, partAnswers } from "../requests.ts";
import { groupRows } from "../sql/groupRows.ts";
import { createStatements } from "../sql/statement.ts";
import type { SecretObject, Store } from "../store.ts";
import { sqliteDialect } from "./dialect.ts";
import { classStatements, dropTextIndexes, removalStatements } from "./layout.ts";
import { Reader } from "./reader.ts";
import { moveExpiries, WallClock } from "./wallClock.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the embedded store in a file, made where there is none. One thread writes, with group
 * commit; reads run beside it.
 */
export async function openSqliteStore(file: string): Promise<Store> {
  mkdirSync(dirname(file), { recursive: true });
  const writer = new Writer(file);
  await writer.opened();
  const reader = new Reader(file);
  const statements = createStatements(sqliteDialect);
  const leases = createLocalLeases();
  const listeners = new Set<(message: string | undefined) => void>();
  const clock = new WallClock((byMs) => {
    // Goes before whatever is written from now on. Where it fails, that which expires does so by the clock as it is now.
    writer.execute(moveExpiries(byMs, Date.now())).catch(() => undefined);
    // What was cached for a time may have been cached for another one.
    for (const listener of listeners) listener(undefined);
  });

  return {
    async get(schema, id, principals) {
      const { sql, parameters } = statements.get(schema, id, principals);
      return reader.first(sql, parameters);
    },

    async find(query) {
      if (query.limit === 0) return [];
      const { sql, parameters } = statements.find(query);
      return reader.all(sql, parameters);
    },

    async count(query) {
      const { sql, parameters } = statements.count(query);
      const [count] = await reader.all(sql, parameters);
      return Number(count);
    },

    async distinct(query, path) {
      const { sql, parameters } = statements.distinct(query, path);
      return (await reader.all(sql, parameters)).map((text): JsonValue => JSON.parse(text));
    },

    async group(query, group) {
      const { sql, parameters } = statements.group(query, group);
      return groupRows(await reader.all(sql, parameters), group);
    },

    async explain(query) {
      const { sql, parameters } = statements.find(query);
      return reader.explain(sql, parameters).map((row) => ({ ...Object(row) }));
    },

    async getSecret(schema, id): Promise<SecretObject | undefined> {
      const sql = `SELECT json_array(doc, secret) FROM ${sqliteDialect.identifier(schema.table)} WHERE id = ?`;
      const row = reader.first(sql, [id]);
      if (row === undefined) return undefined;
      const [text, secret]: [string, string | null] = JSON.parse(row);
      return { text, secret: secret === null ? {} : JSON.parse(secret) };
    },

    async ownerOf(scope, value) {
      return reader.first(
        "SELECT owner FROM purse_claims WHERE scope = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
        [scope, value, clock.now()],
      );
    },

    async countOf(scope, value) {
      const n = reader.first("SELECT n FROM purse_counts WHERE scope = ? AND value = ? AND until > ?", [
        scope,
        value,
        clock.now(),
      ]);
      return Number(n ?? 0);
    },

    async claimsOf(scope, owner) {
      return reader.all("SELECT value FROM purse_claims WHERE scope = ? AND owner = ? ORDER BY value", [
        scope,
        owner,
      ]);
    },

    async ownersInRelation(className, key, relatedIds) {
      return reader.all(
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
      const rows = await reader.all(
        "SELECT schema FROM purse_classes WHERE class_name = coalesce(?, class_name)",
        [className ?? null],
      );
      return rows.map((row): ClassSchema => JSON.parse(row));
    },

    async changeClass(className, edit) {
      const known = reader.first("SELECT schema FROM purse_classes WHERE class_name = ?", [className]);
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
      const rows = await reader.all(
        `SELECT json_array(seq, doc, secret) FROM ${sqliteDialect.identifier(schema.table)} WHERE seq > ? ORDER BY seq LIMIT ?`,
        [after, limit],
      );
      return rows.map((row) => {
        const [seq, text, secret]: [number, string, string | null] = JSON.parse(row);
        return { seq, text, secret: secret === null ? {} : JSON.parse(secret) };
      });
    },

    async scanRelations(after, limit) {
      const rows = await reader.all(
        `SELECT json_array(class_name, key, owner_id, related_id) FROM purse_relations
         WHERE (class_name, key, owner_id, related_id) > (?, ?, ?, ?)
         ORDER BY class_name, key, owner_id, related_id LIMIT ?`,
        [...after, limit],
      );
      return rows.map((row): [string, string, string, string] => JSON.parse(row));
    },

    async scanClaims(after, limit) {
      const rows = await reader.all(
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
      const row = reader.first(
        "SELECT json_array(content, owner, running_until, answer) FROM purse_requests WHERE key = ?",
        [key],
      );
      if (row === undefined) return undefined;
      const [content, owner, runningUntil, answer]: [string, string, number, string | null] = JSON.parse(row);
      return { content, owner, runningUntil, answer };
    },

    async partsOf(key) {
      const rows = await reader.all(
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
    problem: () => undefined,

    // Nobody else shares the file: whoever announces knows already.
    async announce() {},
    onAnnounced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async close() {
      clock.stop();
      await reader.close();
      await writer.close();
    },
  };
}
