import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ClassSchema } from "../database/classSchema.ts";
import { openStore } from "../database/openStore.ts";
import type { Store, Write } from "../database/store.ts";
import { backupPostgresToFile } from "./backupMethod.ts";
import { backupPostgres, type PostgresConfig } from "./postgresBackup.ts";
import { assertOnlyServer, checkPostgresBackup, restorePostgres } from "./postgresRestore.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server that the tests have started. */
    postgresUrl: string;
  }
}

const AT = "2026-01-01T00:00:00.000Z";
const NO_PROGRESS = { report: () => undefined, done: () => undefined };
const NEW = { force: false, keepsOperators: false, progress: NO_PROGRESS };
const REPLACE = { ...NEW, force: true };

const folder = mkdtempSync(join(tmpdir(), "purse-postgres-backup-"));
afterAll(() => rmSync(folder, { recursive: true }));

let databases = 0;
async function newDatabase(): Promise<PostgresConfig> {
  databases += 1;
  const name = `backup_${process.pid}_${Date.now().toString(36)}_${databases}`;
  const url = new URL(inject("postgresUrl"));
  const server = postgres(url.href, { max: 1, onnotice: () => undefined });
  await server.unsafe(`CREATE DATABASE ${name}`);
  await server.end();
  url.pathname = `/${name}`;
  return { kind: "postgres", url: url.href, connections: 3 };
}

async function withStore<T>(config: PostgresConfig, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** All rows of the tables of a database, as text. */
async function rowsOf(config: PostgresConfig): Promise<Record<string, string[]>> {
  const sql = postgres(config.url, { max: 1, onnotice: () => undefined });
  const tables = ["purse_classes", "purse_claims", "purse_relations", "purse_counts", "purse_requests"];
  try {
    const classes = await sql`SELECT schema::jsonb ->> 'table' AS name FROM purse_classes ORDER BY 1`;
    const rows: Record<string, string[]> = {};
    for (const name of [...tables, ...classes.map((row) => String(row.name))]) {
      const found = await sql`SELECT each::text AS text FROM ${sql(name)} AS each ORDER BY 1`;
      rows[name] = found.map(({ text }) => String(text));
    }
    return rows;
  } finally {
    await sql.end();
  }
}

const classOf = (className: string, more: Partial<ClassSchema> = {}): ClassSchema => ({
  className,
  table: className,
  fields: {},
  classLevelPermissions: {},
  indexes: {},
  ...more,
});

const NOTE = classOf("Note", {
  table: "Note~2",
  fields: { text: { type: "String" }, n: { type: "Number" }, at: { type: "GeoPoint" } },
  indexes: { byN: { n: -1 }, words: { text: "text" } },
});
const ODD = "tab\t newline\n backslash \\ \\. \u2028 € 𝄞";

const note = (id: string, text: string): Write => ({
  kind: "create",
  schema: NOTE,
  id,
  at: AT,
  object: {
    text,
    n: 1.5,
    ACL: { first: { read: true } },
    at: { __type: "GeoPoint", latitude: 1, longitude: 2 },
  },
  secret: { _hashed_password: ODD },
});

let from: PostgresConfig;
beforeAll(async () => {
  from = await newDatabase();
  await withStore(from, async (store) => {
    await store.changeClass("Note", () => NOTE);
    await store.changeClass("Empty", () => classOf("Empty"));
    await store.changeClass("_StudioAudit", () => classOf("_StudioAudit"));
    await store.write([note("first", ODD), note("second", "plain")]);
    await store.write([
      { kind: "create", schema: classOf("_StudioAudit"), id: "old", at: AT, object: { action: "then" } },
      { kind: "updateRelation", schema: NOTE, id: "first", key: "others", add: ["second"], remove: [] },
      { kind: "reserveUnique", scope: "username", value: "ann", owner: "first" },
      { kind: "reserveUnique", scope: "_Studio.session", value: "old", owner: "then" },
      { kind: "incrementCounter", scope: "lockout", value: "ann", max: 9, expiresAt: Date.now() + 1e9 },
    ]);
  });
}, 60_000);

let file: string;
beforeEach(async () => {
  file = join(folder, `${databases}.postgres.gz`);
  await backupPostgresToFile(from, file, NO_PROGRESS);
});
afterEach(() => rmSync(file, { force: true }));

describe("a backup of PostgreSQL", () => {
  it("restores every row into an empty database, which can be written afterwards", async () => {
    const into = await newDatabase();
    const counts = await restorePostgres(into, createReadStream(file), NEW);
    expect(counts).toMatchObject({ "Note~2": 2, Empty: 0, purse_relations: 1, purse_claims: 2 });
    expect(await rowsOf(into)).toEqual(await rowsOf(from));
    await withStore(into, async (store) => {
      const [schema] = await store.loadClasses("Note");
      if (!schema) throw new Error("there is no class");
      await store.write([note("third", "later")]);
      const rows = await store.scan(schema, 0, 10);
      expect(rows.map(({ seq, text }) => [seq, JSON.parse(text).text])).toEqual([
        [1, ODD],
        [2, "plain"],
        [3, "later"],
      ]);
    });
  });

  it("contains the database as of its beginning although others write meanwhile", async () => {
    const source = await newDatabase();
    await restorePostgres(source, createReadStream(file), NEW);
    const before = await rowsOf(source);
    const copy = join(folder, "busy.gz");
    await withStore(source, async (store) => {
      await backupPostgres(
        source,
        async (content) => {
          await store.write([note("meanwhile", "x")]);
          await store.changeClass("Newer", () => classOf("Newer"));
          await pipeline(content, createWriteStream(copy));
        },
        NO_PROGRESS,
      );
    });
    const into = await newDatabase();
    await restorePostgres(into, createReadStream(copy), NEW);
    expect(await rowsOf(into)).toEqual(before);
  });

  it("replaces the data of a database only if that is forced and no server uses it", async () => {
    const into = await newDatabase();
    await withStore(into, async (store) => {
      await store.changeClass("Other", () => classOf("Other"));
      await expect(assertOnlyServer(into)).resolves.toBeUndefined();
      await expect(restorePostgres(into, createReadStream(file), REPLACE)).rejects.toThrow(
        "stop all servers",
      );
      await withStore(into, () => expect(assertOnlyServer(into)).rejects.toThrow("other servers"));
    });
    const before = await rowsOf(into);
    await expect(restorePostgres(into, createReadStream(file), NEW)).rejects.toThrow("use --force");
    expect(await rowsOf(into)).toEqual(before);
    await restorePostgres(into, createReadStream(file), REPLACE);
    expect(await rowsOf(into)).toEqual(await rowsOf(from));
  });

  it("keeps operators and the audit log if it is restored by the studio", async () => {
    const into = await newDatabase();
    await withStore(into, async (store) => {
      const audit = await store.changeClass("_StudioAudit", () => classOf("_StudioAudit"));
      await store.write([
        { kind: "create", schema: audit, id: "new", at: AT, object: { action: "now" } },
        { kind: "reserveUnique", scope: "_Studio.session", value: "new", owner: "now" },
        { kind: "reserveUnique", scope: "username", value: "eve", owner: "now" },
      ]);
    });
    const { _StudioAudit: audit } = await rowsOf(into);
    await restorePostgres(into, createReadStream(file), { ...REPLACE, keepsOperators: true });
    const [restored, original] = [await rowsOf(into), await rowsOf(from)];
    expect(restored).toMatchObject({ "Note~2": original["Note~2"], _StudioAudit: audit });
    expect(restored.purse_claims).toEqual([
      expect.stringContaining("_Studio.session,new"),
      expect.stringContaining("username,ann"),
    ]);
  });

  it("is rejected if it is damaged, cut off or another file, and leaves the database unchanged", async () => {
    const into = await newDatabase();
    await withStore(into, (store) => store.changeClass("Kept", () => classOf("Kept")));
    const before = await rowsOf(into);
    const bytes = readFileSync(file);
    const changed = gunzipSync(bytes).toString().replace("plain", "PLAIN");
    const injected = gunzipSync(bytes).toString().replaceAll('"byN"', `"by'N"`);
    const contents = {
      "not a backup": Buffer.from("SQLite format 3\u0000"),
      "cut off": bytes.subarray(0, bytes.length - 20),
      changed: gzipSync(changed),
      uncompressed: gunzipSync(bytes),
      "other names": gzipSync(injected),
    };
    for (const content of Object.values(contents)) {
      await expect(checkPostgresBackup(Readable.from([content]))).rejects.toThrow("backup cannot be used");
      await expect(restorePostgres(into, Readable.from([content]), REPLACE)).rejects.toThrow();
    }
    expect(await rowsOf(into)).toEqual(before);
  });

  it("leaves no file if it fails", async () => {
    const empty = await newDatabase();
    const target = join(folder, "none.gz");
    await expect(backupPostgresToFile(empty, target, NO_PROGRESS)).rejects.toThrow("the database is empty");
    await expect(backupPostgresToFile(from, join(folder, "no/such/folder"), NO_PROGRESS)).rejects.toThrow(
      "ENOENT",
    );
    await expect(
      backupPostgres(from, () => Promise.reject(new Error("the disk is full")), NO_PROGRESS),
    ).rejects.toThrow("the disk is full");
  });
});
