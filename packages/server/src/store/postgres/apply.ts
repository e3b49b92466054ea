import {
  applyOperations,
  ErrorCode,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseAcl,
  principalsWith,
} from "@purse/protocol";
import { assertObjectSize } from "../objectSize.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import { mergeSecret } from "../sql/secret.ts";
import { ClaimTaken, LimitReached, outdated, type Write, type WriteResult } from "../store.ts";
import { run, type Sql, type Transaction } from "./connection.ts";
import { postgresDialect } from "./dialect.ts";

const NOTHING: WriteResult = { before: null, after: null };
const quoted = postgresDialect.identifier;

const COUNT = `INSERT INTO purse_counts AS known (scope, value, n, until) VALUES (?, ?, 1, ?)
  ON CONFLICT (scope, value) DO UPDATE SET
    n = CASE WHEN known.until <= ? THEN 1 ELSE known.n + 1 END, until = excluded.until
  WHERE known.n < ? OR known.until <= ? RETURNING 1`;

type Update = Extract<Write, { kind: "update" }>;

/** Whether a step reads before it writes, so that the steps of its group must go one after the other. */
export function readsFirst(write: Write): boolean {
  return (
    write.kind === "update" &&
    (hasSecret(write) || write.ifUpdatedAt !== undefined || !isPlain(write.operations))
  );
}

/** Whether a step is one statement that no other step of other requests can stand in the way of. */
export function isOneStatement(write: Write): boolean {
  if (write.kind === "create" || write.kind === "delete" || write.kind === "restore") return true;
  return write.kind === "update" && !readsFirst(write);
}

/** Carries out one step, in a transaction where it is one of several. */
export async function apply(sql: Sql | Transaction, write: Write, now: number): Promise<WriteResult> {
  switch (write.kind) {
    case "create":
      return create(sql, write);
    case "restore":
      return restore(sql, write);
    case "update":
      return readsFirst(write) ? readAndUpdate(sql, write) : updatePlainly(sql, write);
    case "delete":
      return remove(sql, write);
    case "relate":
      return relate(sql, write);
    case "claim":
      return claim(sql, write, now);
    case "release":
      await run(
        sql,
        "DELETE FROM purse_claims WHERE scope = ? AND value = ? AND owner = coalesce(?::text, owner)",
        [write.scope, write.value, write.owner ?? null],
      );
      return NOTHING;
    case "count": {
      const { scope, value, most, until } = write;
      const rows = await run(sql, COUNT, [scope, value, until, now, most, now]);
      if (rows.length === 0) throw new LimitReached(scope);
      return NOTHING;
    }
    case "leave":
      await run(sql, "DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND related_id = ?", [
        write.className,
        write.key,
        write.relatedId,
      ]);
      return NOTHING;
    case "uncount":
      await run(sql, "DELETE FROM purse_counts WHERE scope = ? AND value = ?", [write.scope, write.value]);
      return NOTHING;
    case "releaseAll":
      await run(sql, "DELETE FROM purse_claims WHERE scope = ? AND owner = ?", [write.scope, write.owner]);
      return NOTHING;
  }
}

async function create(
  sql: Sql | Transaction,
  { schema, id, at, object, secret }: Extract<Write, { kind: "create" }>,
): Promise<WriteResult> {
  const doc = JSON.stringify(object);
  const { readAcl, writeAcl } = aclArrays(object.ACL);
  const hidden = secret && Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
  const rows = await run(
    sql,
    `INSERT INTO ${quoted(schema.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
     VALUES (?, ?, ?, ?::text::text[], ?::text::text[], ?, ?::text::jsonb) ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [id, at, at, readAcl, writeAcl, hidden, doc],
  );
  if (rows.length === 0) throw alreadyThere();
  return { before: null, after: doc };
}

async function restore(
  sql: Sql | Transaction,
  { schema, id, object, secret }: Extract<Write, { kind: "restore" }>,
): Promise<WriteResult> {
  const { readAcl, writeAcl } = aclArrays(object.ACL);
  const hidden = Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
  await run(
    sql,
    `INSERT INTO ${quoted(schema.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
     VALUES (?, ?, ?, ?::text::text[], ?::text::text[], ?, ?::text::jsonb) ON CONFLICT (id) DO UPDATE SET
     created_at = excluded.created_at, updated_at = excluded.updated_at, read_acl = excluded.read_acl,
     write_acl = excluded.write_acl, secret = excluded.secret, doc = excluded.doc`,
    [
      id,
      String(object.createdAt),
      String(object.updatedAt),
      readAcl,
      writeAcl,
      hidden,
      JSON.stringify(object),
    ],
  );
  return NOTHING;
}

/**
 * Creates many objects of one class by one statement. Answers, for each, whether it was made: of two with one id the
 * first is.
 */
export async function createMany(
  sql: Sql | Transaction,
  creates: readonly Extract<Write, { kind: "create" }>[],
): Promise<(WriteResult | undefined)[]> {
  const [first] = creates;
  if (!first) return [];
  const docs = creates.map(({ object }) => JSON.stringify(object));
  const rows = creates.map(({ id, at, object, secret }, i) => {
    const { readAcl, writeAcl } = aclArrays(object.ACL);
    const hidden = secret && Object.keys(secret).length > 0 ? JSON.stringify(secret) : null;
    const fields = [id, at, readAcl, writeAcl, hidden].map((each) => JSON.stringify(each));
    return `[${fields.join()},${docs[i]}]`;
  });
  const made = await run(
    sql,
    `INSERT INTO ${quoted(first.schema.table)} (id, created_at, updated_at, read_acl, write_acl, secret, doc)
     SELECT made ->> 0, made ->> 1, made ->> 1, (made ->> 2)::text[], (made ->> 3)::text[], made ->> 4, made -> 5
     FROM jsonb_array_elements(?::text::jsonb) WITH ORDINALITY AS row(made, place) ORDER BY place
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [`[${rows.join()}]`],
  );
  const ids = new Set(made.map(([id]) => String(id)));
  return creates.map(({ id }, i) => (ids.delete(id) ? { before: null, after: docs[i] ?? null } : undefined));
}

export function alreadyThere(): ProtocolError {
  return new ProtocolError(ErrorCode.DUPLICATE_VALUE, "An object with this objectId exists");
}

/** Sets, deletes and increments of whole fields are one statement: the database does the sums. */
async function updatePlainly(sql: Sql | Transaction, write: Update): Promise<WriteResult> {
  const patch: JsonObject = { updatedAt: write.at };
  const dropped: string[] = [];
  const increments: [string, number][] = [];
  for (const [field, operation] of Object.entries(write.operations)) {
    if (operation.op === "Set") patch[field] = operation.value;
    else if (operation.op === "Delete") dropped.push(field);
    else if (operation.op === "Increment") increments.push([field, operation.amount]);
  }
  const parameters: (SqlParameter | null)[] = [];
  let doc = "was.doc";
  if (dropped.length > 0) {
    doc = `(${doc} - ?::text::text[])`;
    parameters.push(arrayText(dropped));
  }
  doc = `(${doc} || ?::text::jsonb`;
  parameters.push(JSON.stringify(patch));
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
  const table = quoted(write.schema.table);
  const access = accessTo(write);
  const rows = await run(
    sql,
    `UPDATE ${table} AS stored SET ${assignments}
     FROM (SELECT seq, doc FROM ${table} WHERE id = ?${access.sql} FOR UPDATE) AS was
     WHERE stored.seq = was.seq RETURNING was.doc::text, stored.doc::text`,
    [...parameters, write.id, ...access.parameters],
  );
  const [row] = rows;
  if (!row) throw notFound();
  return { before: String(row[0]), after: String(row[1]) };
}

async function readAndUpdate(sql: Sql | Transaction, write: Update): Promise<WriteResult> {
  const table = quoted(write.schema.table);
  const access = accessTo(write);
  const [row] = await run(
    sql,
    `SELECT doc::text, secret FROM ${table} WHERE id = ?${access.sql} FOR UPDATE`,
    [write.id, ...access.parameters],
  );
  if (!row) throw notFound();
  const before = String(row[0]);
  const current: JsonObject = JSON.parse(before);
  if (write.ifUpdatedAt !== undefined && current.updatedAt !== write.ifUpdatedAt) throw outdated();
  const object = applyOperations(current, write.operations);
  object.updatedAt = write.at;
  const after = JSON.stringify(object);
  assertObjectSize(before, after);
  const { readAcl, writeAcl } = aclArrays(object.ACL);
  const secret = mergeSecret(row[1] === null ? null : String(row[1]), write.secret);
  await run(
    sql,
    `UPDATE ${table} SET doc = ?::text::jsonb, updated_at = ?, read_acl = ?::text::text[], write_acl = ?::text::text[], secret = ? WHERE id = ?`,
    [after, write.at, readAcl, writeAcl, secret, write.id],
  );
  return { before, after };
}

async function remove(
  sql: Sql | Transaction,
  write: Extract<Write, { kind: "delete" }>,
): Promise<WriteResult> {
  const { schema, id } = write;
  const access = accessTo(write);
  const [row] = await run(
    sql,
    `WITH gone AS (DELETE FROM ${quoted(schema.table)} WHERE id = ?${access.sql} RETURNING id, doc::text AS doc),
     unrelated AS (DELETE FROM purse_relations WHERE class_name = ? AND owner_id IN (SELECT id FROM gone))
     SELECT doc FROM gone`,
    [id, ...access.parameters, schema.className],
  );
  if (!row) throw notFound();
  return { before: String(row[0]), after: null };
}

async function relate(
  sql: Sql | Transaction,
  { schema, id, key, add, remove }: Extract<Write, { kind: "relate" }>,
): Promise<WriteResult> {
  const ids = "(SELECT DISTINCT jsonb_array_elements_text(?::text::jsonb))";
  if (add.length > 0) {
    await run(
      sql,
      `INSERT INTO purse_relations (class_name, key, owner_id, related_id)
       SELECT ?, ?, ?, related FROM ${ids} AS added(related) ON CONFLICT DO NOTHING`,
      [schema.className, key, id, JSON.stringify(add)],
    );
  }
  if (remove.length > 0) {
    await run(
      sql,
      `DELETE FROM purse_relations WHERE class_name = ? AND key = ? AND owner_id = ? AND related_id IN ${ids}`,
      [schema.className, key, id, JSON.stringify(remove)],
    );
  }
  return NOTHING;
}

async function claim(
  sql: Sql | Transaction,
  { scope, value, owner, expiresAt }: Extract<Write, { kind: "claim" }>,
  now: number,
): Promise<WriteResult> {
  const rows = await run(
    sql,
    `INSERT INTO purse_claims AS known (scope, value, owner, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, value) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
     WHERE known.owner = excluded.owner OR known.expires_at <= ? RETURNING 1`,
    [scope, value, owner, expiresAt ?? null, now],
  );
  if (rows.length > 0) return NOTHING;
  const [taken] = await run(sql, "SELECT owner FROM purse_claims WHERE scope = ? AND value = ?", [
    scope,
    value,
  ]);
  throw new ClaimTaken(scope, value, String(taken?.[0]));
}

function isPlain(operations: Record<string, Operation>): boolean {
  return Object.entries(operations).every(
    ([path, { op }]) =>
      op === "Relation" || (!path.includes(".") && (op === "Set" || op === "Delete" || op === "Increment")),
  );
}

function hasSecret({ secret }: Update): boolean {
  return secret !== undefined && Object.keys(secret).length > 0;
}

/** An object that the caller may not write is not found: its existence is not told. */
function accessTo({ principals, pointers }: Pick<Update, "principals" | "pointers">): {
  sql: string;
  parameters: SqlParameter[];
} {
  let sql = "";
  const parameters: SqlParameter[] = [];
  if (principals !== null) {
    sql += " AND (write_acl IS NULL OR write_acl && ?::text::text[])";
    parameters.push(arrayText(principals));
  }
  if (pointers) {
    const pointer = { __type: "Pointer", className: "_User", objectId: pointers.userId };
    const tests = pointers.fields.map(
      () => "(doc -> ?::text) @> ?::text::jsonb OR (doc -> ?::text) @> ?::text::jsonb",
    );
    sql += ` AND (${tests.join(" OR ") || "FALSE"})`;
    for (const field of pointers.fields) {
      parameters.push(field, JSON.stringify(pointer), field, JSON.stringify([pointer]));
    }
  }
  return { sql, parameters };
}

function aclArrays(acl: JsonObject[string] | undefined): { readAcl: string | null; writeAcl: string | null } {
  if (acl === undefined) return { readAcl: null, writeAcl: null };
  const parsed = parseAcl(acl);
  const column = (permission: "read" | "write") => {
    const principals = principalsWith(parsed, permission);
    return principals && arrayText(principals);
  };
  return { readAcl: column("read"), writeAcl: column("write") };
}

/** An array of texts as PostgreSQL writes it. */
function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join()}}`;
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
