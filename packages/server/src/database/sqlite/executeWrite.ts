import { changeObject, ErrorCode, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import type Database from "better-sqlite3";
import { assertObjectSize } from "../objectSize.ts";
import { DuplicateRequestError, type StoredReply } from "../requestRecords.ts";
import { mergeSecret } from "../sql/mergeSecret.ts";
import { CounterLimitError, UniqueConstraintError, updateConflict, type WriteResult } from "../store.ts";
import { pointsToUser } from "../userPointers.ts";
import { aclColumns, isGrantedByColumn } from "./aclColumns.ts";
import { createPreparedStatementCache } from "./connection.ts";
import type { EncodedWrite } from "./encodeWrites.ts";
import { quoteIdentifier } from "./identifier.ts";

const NO_RESULT: WriteResult = { before: null, after: null };

interface StoredRow {
  doc: string;
  secret: string | null;
  write_acl: string | null;
}

/**
 * Creates the functions that execute writes on a connection. The caller manages the transaction. `createRow` returns the
 * function that creates objects of a table from the values of their rows (`EncodedCreates`).
 */
export function createWriteExecutor(database: Database.Database, clock: () => number) {
  const prepare = createPreparedStatementCache(database);

  const reserveUnique = prepare(
    `INSERT INTO purse_claims (scope, value, owner, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, value) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
     WHERE purse_claims.owner = excluded.owner OR purse_claims.expires_at <= ?`,
  );
  const uniqueOwner = prepare("SELECT owner FROM purse_claims WHERE scope = ? AND value = ?").pluck();
  const releaseUnique = prepare(
    "DELETE FROM purse_claims WHERE scope = ? AND value = ? AND owner = coalesce(?, owner)",
  );
  const releaseAllUnique = prepare("DELETE FROM purse_claims WHERE scope = ? AND owner = ?");
  const incrementCounter = prepare(
    `INSERT INTO purse_counts AS known (scope, value, n, until) VALUES (?, ?, 1, ?)
     ON CONFLICT (scope, value) DO UPDATE SET
       n = CASE WHEN known.until <= ? THEN 1 ELSE known.n + 1 END, until = excluded.until
     WHERE known.n < ? OR known.until <= ?`,
  );
  const resetCounter = prepare("DELETE FROM purse_counts WHERE scope = ? AND value = ?");
  const addRelation = prepare(
    "INSERT OR IGNORE INTO purse_relations (class_name, key, owner_id, related_id) VALUES (?, ?, ?, ?)",
  );
  const removeRelation = prepare(
    "DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND owner_id = ? AND related_id = ?",
  );
  const removeFromRelations = prepare(
    "DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND related_id = ?",
  );
  const removeAllRelations = prepare("DELETE FROM purse_relations WHERE class_name = ? AND owner_id = ?");

  // No other process uses the database, so a request that another process has begun is no longer running.
  const beginRequest = prepare(
    `INSERT INTO purse_requests AS known (key, content, owner, running_until, expires_at, repeatable)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET content = excluded.content, owner = excluded.owner,
       running_until = excluded.running_until, expires_at = excluded.expires_at,
       repeatable = excluded.repeatable, answer = NULL
     WHERE known.expires_at <= ? OR (known.answer IS NULL AND known.repeatable = 1
       AND (known.owner <> excluded.owner OR known.running_until <= ?))`,
  );
  const renewRequest = prepare("UPDATE purse_requests SET running_until = ? WHERE key = ? AND owner = ?");
  const deleteRequest = prepare("DELETE FROM purse_requests WHERE key = ? AND owner = ? AND answer IS NULL");
  const saveReplies = prepare(
    "UPDATE purse_requests SET answer = ? WHERE key = ? AND owner = ? AND answer IS NULL",
  );
  const saveSubrequestReplies = prepare(
    `INSERT INTO purse_requests AS known (key, content, owner, running_until, expires_at, repeatable, answer)
     VALUES (?, ?, ?, 0, ?, 0, ?)
     ON CONFLICT (key) DO UPDATE SET content = excluded.content, owner = excluded.owner,
       expires_at = excluded.expires_at, answer = excluded.answer
     WHERE known.expires_at <= ?`,
  );

  return { executeWrite, createRow };

  function executeWrite(write: EncodedWrite): WriteResult {
    switch (write.kind) {
      case "create":
        return create(write);
      case "restore":
        return restore(write);
      case "update":
        return update(write);
      case "delete":
        return remove(write);
      case "updateRelation":
        for (const id of write.add) addRelation.run(write.className, write.key, write.id, id);
        for (const id of write.remove) removeRelation.run(write.className, write.key, write.id, id);
        return NO_RESULT;
      case "reserveUnique": {
        const result = reserveUnique.run(
          write.scope,
          write.value,
          write.owner,
          write.expiresAt ?? null,
          clock(),
        );
        if (result.changes === 0) {
          throw new UniqueConstraintError(
            write.scope,
            write.value,
            String(uniqueOwner.get(write.scope, write.value)),
          );
        }
        return NO_RESULT;
      }
      case "releaseUnique":
        releaseUnique.run(write.scope, write.value, write.owner ?? null);
        return NO_RESULT;
      case "incrementCounter": {
        const now = clock();
        const result = incrementCounter.run(write.scope, write.value, write.expiresAt, now, write.max, now);
        if (result.changes === 0) throw new CounterLimitError(write.scope);
        return NO_RESULT;
      }
      case "removeFromRelations":
        removeFromRelations.run(write.className, write.key, write.relatedId);
        return NO_RESULT;
      case "resetCounter":
        resetCounter.run(write.scope, write.value);
        return NO_RESULT;
      case "beginRequest": {
        const { key, contentHash, owner, leaseExpiresAt, expiresAt, isRepeatable } = write;
        const now = clock();
        const result = beginRequest.run(
          key,
          contentHash,
          owner,
          leaseExpiresAt,
          expiresAt,
          isRepeatable ? 1 : 0,
          now,
          now,
        );
        if (result.changes === 0) throw new DuplicateRequestError();
        return NO_RESULT;
      }
      case "renewRequest":
        renewRequest.run(write.leaseExpiresAt, write.key, write.owner);
        return NO_RESULT;
      case "deleteRequest":
        deleteRequest.run(write.key, write.owner);
        return NO_RESULT;
      case "saveReplies": {
        const { key, contentHash, owner, expiresAt, isSubrequest } = write;
        const replies = JSON.stringify(write.replies.map(toStoredReply));
        const result = isSubrequest
          ? saveSubrequestReplies.run(key, contentHash, owner, expiresAt, replies, clock())
          : saveReplies.run(replies, key, owner);
        if (result.changes === 0) throw new DuplicateRequestError();
        return NO_RESULT;
      }
      // Leases are held in memory by this process and were checked before.
      case "fence":
        return NO_RESULT;
      case "releaseAllUnique":
        releaseAllUnique.run(write.scope, write.owner);
        return NO_RESULT;
    }
  }

  function toStoredReply({
    text,
    echo,
  }: Extract<EncodedWrite, { kind: "saveReplies" }>["replies"][number]): StoredReply {
    if (!echo) return { text };
    const select = prepare(`SELECT doc FROM ${quoteIdentifier(echo.table)} WHERE id = ?`).pluck();
    const doc: JsonObject = JSON.parse(String(select.get(echo.id) ?? "{}"));
    const fields = echo.fields.filter((field) => Object.hasOwn(doc, field));
    return { text, echo: Object.fromEntries(fields.map((field) => [field, doc[field] ?? null])) };
  }

  function create(write: Extract<EncodedWrite, { kind: "create" }>): WriteResult {
    const { id, at, updatedAt, readAcl, writeAcl, secret, doc } = write;
    createRow(write.table)([id, at, updatedAt, readAcl, writeAcl, secret, doc]);
    // The sender already has the text, so it is not sent back.
    return NO_RESULT;
  }

  function createRow(table: string): (values: readonly (string | null)[]) => void {
    const insert = prepare(
      `INSERT INTO ${quoteIdentifier(table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    );
    return (values) => {
      if (insert.run(values).changes === 0)
        throw new ProtocolError(ErrorCode.DUPLICATE_VALUE, "An object with this objectId exists");
    };
  }

  function restore(write: Extract<EncodedWrite, { kind: "restore" }>): WriteResult {
    const { id, createdAt, updatedAt, readAcl, writeAcl, secret, doc } = write;
    prepare(
      `INSERT INTO ${quoteIdentifier(write.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at,
       updated_at = excluded.updated_at, read_acl = excluded.read_acl, write_acl = excluded.write_acl,
       secret = excluded.secret, doc = excluded.doc`,
    ).run(id, createdAt, updatedAt, readAcl, writeAcl, secret, doc);
    return NO_RESULT;
  }

  function update(write: Extract<EncodedWrite, { kind: "update" }>): WriteResult {
    const table = quoteIdentifier(write.table);
    const row = readForWrite(table, write.id, write.subjects);
    const current: JsonObject = JSON.parse(row.doc);
    if (write.pointers && !pointsToUser(current, write.pointers)) throw notFound();
    if (write.ifUpdatedAt !== undefined && current.updatedAt !== write.ifUpdatedAt) throw updateConflict();
    const operations: Record<string, Operation> = JSON.parse(write.operations);
    const object = changeObject(current, operations, write.lists);
    object.updatedAt = write.at;
    const doc = JSON.stringify(object);
    assertObjectSize(row.doc, doc);
    if (!("ACL" in operations) && !write.secret) {
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
    const table = quoteIdentifier(write.table);
    const row = readForWrite(table, write.id, write.subjects);
    if (write.pointers && !pointsToUser(JSON.parse(row.doc), write.pointers)) throw notFound();
    prepare(`DELETE FROM ${table} WHERE id = ?`).run(write.id);
    removeAllRelations.run(write.className, write.id);
    return { before: row.doc, after: null };
  }

  /** Objects that the client may not write are reported as not found, so that their existence is not revealed. */
  function readForWrite(table: string, id: string, subjects: readonly string[] | null): StoredRow {
    const row = prepare(`SELECT doc, secret, write_acl FROM ${table} WHERE id = ?`).get(id) as
      | StoredRow
      | undefined;
    if (!row || !isGrantedByColumn(row.write_acl, subjects)) throw notFound();
    return row;
  }
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
