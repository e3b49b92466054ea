import { changeObject, ErrorCode, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import { ownTurn } from "../../core/limits/timeSlicer.ts";
import { listsWithPaths } from "../classSchema.ts";
import { LeaseLostError } from "../lease.ts";
import { assertObjectSize } from "../objectSize.ts";
import { DuplicateRequestError } from "../requestRecords.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { mergeSecret } from "../sql/mergeSecret.ts";
import {
  CounterLimitError,
  UniqueConstraintError,
  updateConflict,
  type Write,
  type WriteResult,
} from "../store.ts";
import { postgresDialect } from "./dialect.ts";
import { ASSERT_LEASE } from "./leases.ts";
import type { Sql } from "./session.ts";
import { aclArrays, arrayLiteral, writeAccessSql } from "./writeAccess.ts";

/**
 * Objects of more characters, and operations with more values, may take seconds to parse, to change and to serialize. Each
 * of these steps has a turn of the event loop of its own, and the database does not take the process for a frozen one, whose
 * transactions it ends sooner.
 */
const LARGE_LENGTH = 64 * 1024;
const MANY_VALUES = 2_000;
const ALLOW_LONG_WORK = "SELECT set_config('idle_in_transaction_session_timeout', '30s', true)";

const NO_RESULT: WriteResult = { before: null, after: null };
const quoteIdentifier = postgresDialect.identifier;

const INCREMENT_COUNTER = `INSERT INTO purse_counts AS known (scope, value, n, until) VALUES (?, ?, 1, ?)
  ON CONFLICT (scope, value) DO UPDATE SET
    n = CASE WHEN known.until <= ? THEN 1 ELSE known.n + 1 END, until = excluded.until
  WHERE known.n < ? OR known.until <= ? RETURNING 1`;

const BEGIN_REQUEST = `INSERT INTO purse_requests AS known
    (key, content, owner, running_until, expires_at, repeatable) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET content = excluded.content, owner = excluded.owner,
    running_until = excluded.running_until, expires_at = excluded.expires_at,
    repeatable = excluded.repeatable, answer = NULL
  WHERE known.expires_at <= ? OR (known.answer IS NULL AND known.repeatable AND known.running_until <= ?)
  RETURNING 1`;

type Update = Extract<Write, { kind: "update" }>;
type Create = Extract<Write, { kind: "create" }>;

/** Whether a write has to read first, so that the writes of its transaction must run sequentially. */
export function requiresRead(write: Write): boolean {
  return (
    write.kind === "update" &&
    (hasSecret(write) || write.ifUpdatedAt !== undefined || !isSimpleUpdate(write.operations))
  );
}

/** Whether a write is a single statement that cannot deadlock with writes of other requests. */
export function isSingleStatement(write: Write): boolean {
  if (write.kind === "create" || write.kind === "delete" || write.kind === "restore") return true;
  if (write.kind === "beginRequest" || write.kind === "deleteRequest") return true;
  return write.kind === "update" && !requiresRead(write);
}

/** Returns the JSON text of what a single statement stores, which takes long for a large object; empty if it stores none. */
export function documentOf(write: Write): string {
  if (write.kind === "create") return JSON.stringify(write.object);
  return write.kind === "update" && !requiresRead(write) ? JSON.stringify(patchOf(write)) : "";
}

/** Executes a write, in a transaction if there are several. `document` is that of `documentOf`, if it is known already. */
export async function executeWrite(
  sql: Sql,
  write: Write,
  now: number,
  document?: string,
): Promise<WriteResult> {
  switch (write.kind) {
    case "create":
      return create(sql, write, document);
    case "restore":
      return restore(sql, write);
    case "update":
      return requiresRead(write) ? readAndUpdate(sql, write) : updateInPlace(sql, write, document);
    case "delete":
      return remove(sql, write);
    case "updateRelation":
      return relate(sql, write);
    case "reserveUnique":
      return reserveUnique(sql, write, now);
    case "releaseUnique":
      await sql.run(
        "DELETE FROM purse_claims WHERE scope = ? AND value = ? AND owner = coalesce(?::text, owner)",
        [write.scope, write.value, write.owner ?? null],
      );
      return NO_RESULT;
    case "incrementCounter": {
      const { scope, value, max, expiresAt } = write;
      const rows = await sql.run(INCREMENT_COUNTER, [scope, value, expiresAt, now, max, now]);
      if (rows.length === 0) throw new CounterLimitError(scope);
      return NO_RESULT;
    }
    case "removeFromRelations":
      await sql.run("DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND related_id = ?", [
        write.className,
        write.key,
        write.relatedId,
      ]);
      return NO_RESULT;
    case "resetCounter":
      await sql.run("DELETE FROM purse_counts WHERE scope = ? AND value = ?", [write.scope, write.value]);
      return NO_RESULT;
    case "beginRequest": {
      const { key, contentHash, owner, leaseExpiresAt, expiresAt, isRepeatable } = write;
      const parameters = [
        key,
        contentHash,
        owner,
        leaseExpiresAt,
        expiresAt,
        isRepeatable ? "t" : "f",
        now,
        now,
      ];
      const rows = await sql.run(BEGIN_REQUEST, parameters);
      if (rows.length === 0) throw new DuplicateRequestError();
      return NO_RESULT;
    }
    case "renewRequest":
      await sql.run("UPDATE purse_requests SET running_until = ? WHERE key = ? AND owner = ?", [
        write.leaseExpiresAt,
        write.key,
        write.owner,
      ]);
      return NO_RESULT;
    case "deleteRequest":
      await sql.run("DELETE FROM purse_requests WHERE key = ? AND owner = ? AND answer IS NULL", [
        write.key,
        write.owner,
      ]);
      return NO_RESULT;
    case "saveReplies":
      return saveReplies(sql, write, now);
    case "fence": {
      const rows = await sql.run(ASSERT_LEASE, [write.lease, write.holder, write.fence]);
      if (rows.length === 0) throw new LeaseLostError(write.lease);
      return NO_RESULT;
    }
    case "releaseAllUnique":
      await sql.run("DELETE FROM purse_claims WHERE scope = ? AND owner = ?", [write.scope, write.owner]);
      return NO_RESULT;
  }
}

async function saveReplies(
  sql: Sql,
  { key, contentHash, owner, expiresAt, replies, isSubrequest }: Extract<Write, { kind: "saveReplies" }>,
  now: number,
): Promise<WriteResult> {
  const parameters: string[] = [];
  const items = replies.map(({ text, echo }) => {
    parameters.push(text);
    if (!echo) return "jsonb_build_object('text', ?::text)";
    parameters.push(JSON.stringify(echo.fields), echo.id);
    return `jsonb_build_object('text', ?::text, 'echo', (
      SELECT coalesce(jsonb_object_agg(field, doc -> field), '{}') FROM ${quoteIdentifier(echo.schema.table)},
        jsonb_array_elements_text(?::text::jsonb) AS field WHERE id = ? AND jsonb_exists(doc, field)))`;
  });
  const answer = `jsonb_build_array(${items.join()})::text`;
  const done = isSubrequest
    ? await sql.run(
        `INSERT INTO purse_requests AS known (key, content, owner, running_until, expires_at, repeatable, answer)
         VALUES (?, ?, ?, 0, ?, false, ${answer})
         ON CONFLICT (key) DO UPDATE SET content = excluded.content, owner = excluded.owner,
           expires_at = excluded.expires_at, answer = excluded.answer
         WHERE known.expires_at <= ? RETURNING 1`,
        [key, contentHash, owner, expiresAt, ...parameters, now],
      )
    : await sql.run(
        `UPDATE purse_requests SET answer = ${answer} WHERE key = ? AND owner = ? AND answer IS NULL RETURNING 1`,
        [...parameters, key, owner],
      );
  if (done.length === 0) throw new DuplicateRequestError();
  return NO_RESULT;
}

async function create(
  sql: Sql,
  { schema, id, at, updatedAt = at, object, secret }: Create,
  doc = JSON.stringify(object),
): Promise<WriteResult> {
  const { readAcl, writeAcl } = aclArrays(object.ACL);
  const secretJson = secret && Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
  const rows = await sql.run(
    `INSERT INTO ${quoteIdentifier(schema.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
     VALUES (?, ?, ?, ?::text::text[], ?::text::text[], ?, ?::text::jsonb) ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [id, at, updatedAt, readAcl, writeAcl, secretJson, doc],
  );
  if (rows.length === 0) throw duplicateObjectId();
  return { before: null, after: doc };
}

async function restore(
  sql: Sql,
  { schema, id, object, secret }: Extract<Write, { kind: "restore" }>,
): Promise<WriteResult> {
  const { readAcl, writeAcl } = aclArrays(object.ACL);
  const secretJson = Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
  await sql.run(
    `INSERT INTO ${quoteIdentifier(schema.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
     VALUES (?, ?, ?, ?::text::text[], ?::text::text[], ?, ?::text::jsonb) ON CONFLICT (id) DO UPDATE SET
     created_at = excluded.created_at, updated_at = excluded.updated_at, read_acl = excluded.read_acl,
     write_acl = excluded.write_acl, secret = excluded.secret, doc = excluded.doc`,
    [
      id,
      String(object.createdAt),
      String(object.updatedAt),
      readAcl,
      writeAcl,
      secretJson,
      JSON.stringify(object),
    ],
  );
  return NO_RESULT;
}

/**
 * Creates many objects of one class with a single statement. The result is undefined for objects whose id exists
 * already; of two objects with the same id, the first is created.
 */
export async function createMany(
  sql: Sql,
  creates: readonly { write: Create; document: string }[],
): Promise<(WriteResult | undefined)[]> {
  const [first] = creates;
  if (!first) return [];
  const rows = creates.map(({ write: { id, at, updatedAt = at, object, secret }, document }) => {
    const { readAcl, writeAcl } = aclArrays(object.ACL);
    const secretJson = secret && Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
    const fields = [id, at, updatedAt, readAcl, writeAcl, secretJson].map((each) => JSON.stringify(each));
    return `[${fields.join()},${document}]`;
  });
  const inserted = await sql.run(
    `INSERT INTO ${quoteIdentifier(first.write.schema.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
     SELECT made ->> 0, made ->> 1, made ->> 2, (made ->> 3)::text[], (made ->> 4)::text[], made ->> 5, made -> 6
     FROM jsonb_array_elements(?::text::jsonb) WITH ORDINALITY AS row(made, place) ORDER BY place
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [`[${rows.join()}]`],
  );
  const ids = new Set(inserted.map(([id]) => String(id)));
  return creates.map(({ write, document }) =>
    ids.delete(write.id) ? { before: null, after: document } : undefined,
  );
}

export function duplicateObjectId(): ProtocolError {
  return new ProtocolError(ErrorCode.DUPLICATE_VALUE, "An object with this objectId exists");
}

/** Sets, deletes and increments of whole fields take a single statement that computes sums in the database. */
async function updateInPlace(
  sql: Sql,
  write: Update,
  patch = JSON.stringify(patchOf(write)),
): Promise<WriteResult> {
  const removedFields: string[] = [];
  const increments: [string, number][] = [];
  for (const [field, operation] of Object.entries(write.operations)) {
    if (operation.op === "Delete") removedFields.push(field);
    else if (operation.op === "Increment") increments.push([field, operation.amount]);
  }
  const parameters: (SqlParameter | null)[] = [];
  let doc = "was.doc";
  if (removedFields.length > 0) {
    doc = `(${doc} - ?::text::text[])`;
    parameters.push(arrayLiteral(removedFields));
  }
  doc = `(${doc} || ?::text::jsonb`;
  parameters.push(patch);
  for (const [field, amount] of increments) {
    doc += ` || jsonb_build_object('${field}', coalesce((was.doc ->> '${field}')::float8, 0) + ?::float8)`;
    parameters.push(amount);
  }
  let assignments = `doc = ${doc}), updated_at = ?`;
  parameters.push(write.at);
  const acl = write.operations.ACL;
  if (acl) {
    const { readAcl, writeAcl } = aclArrays(acl.op === "Set" ? acl.value : undefined);
    assignments += ", read_acl = ?::text::text[], write_acl = ?::text::text[]";
    parameters.push(readAcl, writeAcl);
  }
  const table = quoteIdentifier(write.schema.table);
  const access = writeAccessSql(write);
  const rows = await sql.run(
    `UPDATE ${table} AS stored SET ${assignments}
     FROM (SELECT id, doc FROM ${table} WHERE id = ?${access.sql} FOR UPDATE) AS was
     WHERE stored.id = was.id RETURNING was.doc::text, stored.doc::text`,
    [...parameters, write.id, ...access.parameters],
  );
  const [row] = rows;
  if (!row) throw notFound();
  return { before: String(row[0]), after: String(row[1]) };
}

/** The fields that an update sets. */
function patchOf({ at, operations }: Update): JsonObject {
  const patch: JsonObject = { updatedAt: at };
  for (const [field, operation] of Object.entries(operations)) {
    if (operation.op === "Set") patch[field] = operation.value;
  }
  return patch;
}

async function readAndUpdate(sql: Sql, write: Update): Promise<WriteResult> {
  const table = quoteIdentifier(write.schema.table);
  const access = writeAccessSql(write);
  const [row] = await sql.run(`SELECT doc::text, secret FROM ${table} WHERE id = ?${access.sql} FOR UPDATE`, [
    write.id,
    ...access.parameters,
  ]);
  if (!row) throw notFound();
  const before = String(row[0]);
  const isLarge = before.length > LARGE_LENGTH || countValues(write) > MANY_VALUES;
  if (isLarge) await sql.run(ALLOW_LONG_WORK, []);
  const pause = () => (isLarge ? ownTurn() : undefined);
  await pause();
  const current: JsonObject = JSON.parse(before);
  await pause();
  if (write.ifUpdatedAt !== undefined && current.updatedAt !== write.ifUpdatedAt) throw updateConflict();
  const object = changeObject(current, write.operations, listsWithPaths(write.schema, write.operations));
  object.updatedAt = write.at;
  await pause();
  const after = JSON.stringify(object);
  await pause();
  assertObjectSize(before, after);
  const { readAcl, writeAcl } = aclArrays(object.ACL);
  const secret = mergeSecret(row[1] === null ? null : String(row[1]), write.secret);
  await sql.run(
    `UPDATE ${table} SET doc = ?::text::jsonb, updated_at = ?, read_acl = ?::text::text[], write_acl = ?::text::text[], secret = ? WHERE id = ?`,
    [after, write.at, readAcl, writeAcl, secret, write.id],
  );
  return { before, after };
}

async function remove(sql: Sql, write: Extract<Write, { kind: "delete" }>): Promise<WriteResult> {
  const { schema, id } = write;
  const access = writeAccessSql(write);
  const [row] = await sql.run(
    `WITH gone AS (DELETE FROM ${quoteIdentifier(schema.table)} WHERE id = ?${access.sql} RETURNING id, doc::text AS doc),
     unrelated AS (DELETE FROM purse_relations WHERE class_name = ? AND owner_id IN (SELECT id FROM gone))
     SELECT doc FROM gone`,
    [id, ...access.parameters, schema.className],
  );
  if (!row) throw notFound();
  return { before: String(row[0]), after: null };
}

async function relate(
  sql: Sql,
  { schema, id, key, add, remove }: Extract<Write, { kind: "updateRelation" }>,
): Promise<WriteResult> {
  const ids = "(SELECT DISTINCT jsonb_array_elements_text(?::text::jsonb))";
  if (add.length > 0) {
    await sql.run(
      `INSERT INTO purse_relations (class_name, key, owner_id, related_id)
       SELECT ?, ?, ?, related FROM ${ids} AS added(related) ON CONFLICT DO NOTHING`,
      [schema.className, key, id, JSON.stringify(add)],
    );
  }
  if (remove.length > 0) {
    await sql.run(
      `DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND owner_id = ? AND related_id IN ${ids}`,
      [schema.className, key, id, JSON.stringify(remove)],
    );
  }
  return NO_RESULT;
}

async function reserveUnique(
  sql: Sql,
  { scope, value, owner, expiresAt }: Extract<Write, { kind: "reserveUnique" }>,
  now: number,
): Promise<WriteResult> {
  const rows = await sql.run(
    `INSERT INTO purse_claims AS known (scope, value, owner, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, value) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
     WHERE known.owner = excluded.owner OR known.expires_at <= ? RETURNING 1`,
    [scope, value, owner, expiresAt ?? null, now],
  );
  if (rows.length > 0) return NO_RESULT;
  const [existing] = await sql.run("SELECT owner FROM purse_claims WHERE scope = ? AND value = ?", [
    scope,
    value,
  ]);
  throw new UniqueConstraintError(scope, value, String(existing?.[0]));
}

/** Counts the values that an update adds to lists, or removes from them. */
function countValues({ operations }: Update): number {
  let count = 0;
  for (const operation of Object.values(operations)) {
    if (operation.op === "Batch") for (const { objects } of operation.changes) count += objects.length;
    else if ("objects" in operation) count += operation.objects.length;
  }
  return count;
}

function isSimpleUpdate(operations: Record<string, Operation>): boolean {
  return Object.entries(operations).every(
    ([path, { op }]) =>
      op === "Relation" || (!path.includes(".") && (op === "Set" || op === "Delete" || op === "Increment")),
  );
}

function hasSecret({ secret }: Update): boolean {
  return secret !== undefined && Object.keys(secret).length > 0;
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
