import { applyOperations, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type Database from "better-sqlite3";
import { assertObjectSize } from "../objectSize.ts";
import { aclColumns, aclNeedle } from "../sql/acl.ts";
import { mergeSecret } from "../sql/secret.ts";
import { ClaimTaken, LimitReached, outdated, type WriteResult } from "../store.ts";
import { pointsToUser } from "../userPointers.ts";
import { statementCache } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import type { EncodedWrite } from "./encode.ts";

const NOTHING: WriteResult = { before: null, after: null };

interface StoredRow {
  doc: string;
  secret: string | null;
  write_acl: string | null;
}

/** Carries out write steps on a connection; the caller holds the transaction. */
export function createApplier(database: Database.Database, clock: () => number) {
  const prepare = statementCache(database);

  const claim = prepare(
    `INSERT INTO purse_claims (scope, value, owner, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, value) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
     WHERE purse_claims.owner = excluded.owner OR purse_claims.expires_at <= ?`,
  );
  const claimOwner = prepare("SELECT owner FROM purse_claims WHERE scope = ? AND value = ?").pluck();
  const release = prepare(
    "DELETE FROM purse_claims WHERE scope = ? AND value = ? AND owner = coalesce(?, owner)",
  );
  const releaseAll = prepare("DELETE FROM purse_claims WHERE scope = ? AND owner = ?");
  const count = prepare(
    `INSERT INTO purse_counts AS known (scope, value, n, until) VALUES (?, ?, 1, ?)
     ON CONFLICT (scope, value) DO UPDATE SET
       n = CASE WHEN known.until <= ? THEN 1 ELSE known.n + 1 END, until = excluded.until
     WHERE known.n < ? OR known.until <= ?`,
  );
  const uncount = prepare("DELETE FROM purse_counts WHERE scope = ? AND value = ?");
  const relate = prepare(
    "INSERT OR IGNORE INTO purse_relations (class_name, key, owner_id, related_id) VALUES (?, ?, ?, ?)",
  );
  const unrelate = prepare(
    "DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND owner_id = ? AND related_id = ?",
  );
  const leave = prepare("DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND related_id = ?");
  const unrelateAll = prepare("DELETE FROM purse_relations WHERE class_name = ? AND owner_id = ?");

  return function apply(write: EncodedWrite): WriteResult {
    switch (write.kind) {
      case "create":
        return create(write);
      case "restore":
        return restore(write);
      case "update":
        return update(write);
      case "delete":
        return remove(write);
      case "relate":
        for (const id of write.add) relate.run(write.className, write.key, write.id, id);
        for (const id of write.remove) unrelate.run(write.className, write.key, write.id, id);
        return NOTHING;
      case "claim": {
        const done = claim.run(write.scope, write.value, write.owner, write.expiresAt ?? null, clock());
        if (done.changes === 0) {
          throw new ClaimTaken(write.scope, write.value, String(claimOwner.get(write.scope, write.value)));
        }
        return NOTHING;
      }
      case "release":
        release.run(write.scope, write.value, write.owner ?? null);
        return NOTHING;
      case "count": {
        const now = clock();
        const done = count.run(write.scope, write.value, write.until, now, write.most, now);
        if (done.changes === 0) throw new LimitReached(write.scope);
        return NOTHING;
      }
      case "leave":
        leave.run(write.className, write.key, write.relatedId);
        return NOTHING;
      case "uncount":
        uncount.run(write.scope, write.value);
        return NOTHING;
      case "releaseAll":
        releaseAll.run(write.scope, write.owner);
        return NOTHING;
    }
  };

  function create(write: Extract<EncodedWrite, { kind: "create" }>): WriteResult {
    const insert = prepare(
      `INSERT INTO ${sqliteDialect.identifier(write.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    const done = insert.run(
      write.id,
      write.at,
      write.at,
      write.readAcl,
      write.writeAcl,
      write.secret,
      write.doc,
    );
    if (done.changes === 0)
      throw new ProtocolError(ErrorCode.DUPLICATE_VALUE, "An object with this objectId exists");
    // The text is the sender's own: it need not travel back.
    return NOTHING;
  }

  function restore(write: Extract<EncodedWrite, { kind: "restore" }>): WriteResult {
    const { id, createdAt, updatedAt, readAcl, writeAcl, secret, doc } = write;
    prepare(
      `INSERT INTO ${sqliteDialect.identifier(write.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at,
       updated_at = excluded.updated_at, read_acl = excluded.read_acl, write_acl = excluded.write_acl,
       secret = excluded.secret, doc = excluded.doc`,
    ).run(id, createdAt, updatedAt, readAcl, writeAcl, secret, doc);
    return NOTHING;
  }

  function update(write: Extract<EncodedWrite, { kind: "update" }>): WriteResult {
    const table = sqliteDialect.identifier(write.table);
    const row = readForWrite(table, write.id, write.principals);
    const current: JsonObject = JSON.parse(row.doc);
    if (write.pointers && !pointsToUser(current, write.pointers)) throw notFound();
    if (write.ifUpdatedAt !== undefined && current.updatedAt !== write.ifUpdatedAt) throw outdated();
    const object = applyOperations(current, write.operations);
    object.updatedAt = write.at;
    const doc = JSON.stringify(object);
    assertObjectSize(row.doc, doc);
    if (!("ACL" in write.operations) && !write.secret) {
      prepare(`UPDATE ${table} SET doc = ?, updated_at = ? WHERE id = ?`).run(doc, write.at, write.id);
      return { before: row.doc, after: doc };
    }
    const { readAcl, writeAcl } = aclColumns(object);
    const secret = mergeSecret(row.secret, write.secret);
    prepare(
      `UPDATE ${table} SET doc = ?, updated_at = ?, read_acl = ?, write_acl = ?, secret = ? WHERE id = ?`,
    ).run(doc, write.at, readAcl, writeAcl, secret, write.id);
    return { before: row.doc, after: doc };
  }

  function remove(write: Extract<EncodedWrite, { kind: "delete" }>): WriteResult {
    const table = sqliteDialect.identifier(write.table);
    const row = readForWrite(table, write.id, write.principals);
    if (write.pointers && !pointsToUser(JSON.parse(row.doc), write.pointers)) throw notFound();
    prepare(`DELETE FROM ${table} WHERE id = ?`).run(write.id);
    unrelateAll.run(write.className, write.id);
    return { before: row.doc, after: null };
  }

  /** An object that the caller may not write is not found: its existence is not told. */
  function readForWrite(table: string, id: string, principals: readonly string[] | null): StoredRow {
    const row = prepare(`SELECT doc, secret, write_acl FROM ${table} WHERE id = ?`).get(id) as
      | StoredRow
      | undefined;
    const allowed =
      row &&
      (principals === null ||
        row.write_acl === null ||
        principals.some((principal) => row.write_acl?.includes(aclNeedle(principal))));
    if (!row || !allowed) throw notFound();
    return row;
  }
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
