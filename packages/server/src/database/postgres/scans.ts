import type { Store } from "../store.ts";
import { postgresDialect } from "./dialect.ts";
import type { Sql } from "./session.ts";

/** Approximate number of characters per page of a scan. */
const SCAN_CHARS = 8 * 1024 * 1024;

/** Reads whole tables page by page. `now` returns ms since the epoch. */
export function createScans(
  sql: Sql,
  now: () => number,
): Pick<Store, "scan" | "scanRelations" | "scanUniqueValues"> {
  return {
    async scan(schema, after, limit) {
      const table = postgresDialect.identifier(schema.table);
      const found = await sql.run(
        `SELECT seq, id, text, secret FROM (
          SELECT seq, id, text, secret, sum(octet_length(text)) OVER (ORDER BY seq, id) - octet_length(text) AS before
          FROM (SELECT seq, id, doc::text AS text, secret FROM ${table}
            WHERE (seq, id) > (?::bigint, ?::text) ORDER BY seq, id LIMIT ?) AS page
        ) AS sized WHERE before < ? ORDER BY seq, id`,
        [...after, limit, SCAN_CHARS],
      );
      return found.map(([seq, id, text, secret]) => ({
        position: [Number(seq), String(id)],
        text: String(text),
        secret: secret === null ? {} : JSON.parse(String(secret)),
      }));
    },

    async scanRelations(after, limit) {
      const found = await sql.run(
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

    async scanUniqueValues(after, limit) {
      const found = await sql.run(
        `SELECT scope, value, owner, expires_at FROM purse_claims
         WHERE (scope, value) > (?, ?) AND (expires_at IS NULL OR expires_at > ?) ORDER BY scope, value LIMIT ?`,
        [...after, now(), limit],
      );
      return found.map(([scope, value, owner, expiresAt]) => ({
        scope: String(scope),
        value: String(value),
        owner: String(owner),
        ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
      }));
    },
  };
}
