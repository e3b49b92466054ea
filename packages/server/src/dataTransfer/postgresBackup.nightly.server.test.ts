import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../test/postgresDatabase.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { openStore } from "../database/openStore.ts";
import { SCAN_START, type Store, type Write } from "../database/store.ts";
import { writeArchive } from "./archive.ts";
import { backupMethodOf, backupPostgresToFile } from "./backupMethod.ts";
import { backupPostgres, type PostgresConfig } from "./postgresBackup.ts";
import { checkPostgresBackup, isOnlyServer, restorePostgres } from "./postgresRestore.ts";
import { commitRestore, RestoreOutcomeUnknownError } from "./restoreCommit.ts";

const AT = "2026-01-01T00:00:00.000Z";
const NO_PROGRESS = { report: () => undefined, done: () => undefined };
const NEW = { force: false, keepsOperators: false, progress: NO_PROGRESS };
const REPLACE = { ...NEW, force: true };

const folder = mkdtempSync(join(tmpdir(), "purse-postgres-backup-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function newDatabase(): Promise<PostgresConfig> {
  return { kind: "postgres", url: await createDatabase(), connections: 3 };
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

/** The content of a backup of one class without objects, uncompressed. */
function archiveOf(schema: ClassSchema): AsyncIterable<Buffer> {
  async function* tables() {
    const rows = Readable.from([Buffer.from(`${schema.className}\t${JSON.stringify(schema)}\n`)]);
    yield { name: "purse_classes", columns: ["class_name", "schema"], rows };
  }
  const header = { layout: 1, server: "18", createdAt: AT };
  return writeArchive(header, tables(), {}, () => undefined);
}

/** Runs `work` with the URL of a proxy that closes the first connection that commits, or every connection. */
async function throughProxy(
  config: PostgresConfig,
  fault: "COMMIT is lost" | "the answer is lost" | "nothing answers",
  work: (proxied: PostgresConfig) => Promise<void>,
): Promise<void> {
  const { hostname, port: serverPort } = new URL(config.url);
  let hasFailed = false;
  const proxy = createServer((client) => {
    if (fault === "nothing answers") {
      client.destroy();
      return;
    }
    const upstream = connect(Number(serverPort), hostname);
    let isCommitting = false;
    client.on("data", (chunk) => {
      isCommitting = !hasFailed && chunk.includes("COMMIT\0");
      if (isCommitting) hasFailed = true;
      if (isCommitting && fault === "COMMIT is lost") client.destroy();
      else upstream.write(chunk);
    });
    upstream.on("data", (chunk) => (isCommitting ? client.destroy() : client.write(chunk)));
    client.on("close", () => upstream.destroy()).on("error", () => undefined);
    upstream.on("close", () => client.destroy()).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const url = new URL(config.url);
  url.host = `127.0.0.1:${port}`;
  try {
    await work({ ...config, url: url.href });
  } finally {
    proxy.close();
  }
}

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
});

let file: string;
beforeEach(async () => {
  file = join(folder, "database.postgres.gz");
  await backupPostgresToFile(from, file, NO_PROGRESS);
});
afterEach(() => rmSync(file, { force: true }));

describe("a backup of PostgreSQL", () => {
  it("restores every row into an empty database, which can be written afterwards", async () => {
    const into = await newDatabase();
    const counts = await restorePostgres(into, () => createReadStream(file), NEW);
    expect(counts).toMatchObject({ "Note~2": 2, Empty: 0, purse_relations: 1, purse_claims: 2 });
    expect(await rowsOf(into)).toEqual(await rowsOf(from));
    await withStore(into, async (store) => {
      const [schema] = await store.loadClasses("Note");
      if (!schema) throw new Error("there is no class");
      await store.write([note("third", "later")]);
      const rows = await store.scan(schema, SCAN_START, 10);
      expect(rows.map(({ position: [seq], text }) => [seq, JSON.parse(text).text])).toEqual([
        [1, ODD],
        [2, "plain"],
        [3, "later"],
      ]);
    });
  });

  it("does not contain the store in another schema of the search path", async () => {
    const shared = await newDatabase();
    await withStore(shared, (store) => store.changeClass("Other", () => classOf("Other")));
    const sql = postgres(shared.url, { max: 1 });
    await sql`CREATE SCHEMA app`;
    await sql.end();
    const own = { ...shared, url: `${shared.url}?search_path=app,public` };
    const copy = join(folder, "app.gz");
    await expect(backupPostgresToFile(own, copy, NO_PROGRESS)).rejects.toThrow("the database is empty");
  });

  it("contains the database as of its beginning although others write meanwhile", async () => {
    const source = await newDatabase();
    await restorePostgres(source, () => createReadStream(file), NEW);
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
    await restorePostgres(into, () => createReadStream(copy), NEW);
    expect(await rowsOf(into)).toEqual(before);
  });

  it("replaces the data of a database only if that is forced and no server uses it", async () => {
    const into = await newDatabase();
    await withStore(into, async (store) => {
      await store.changeClass("Other", () => classOf("Other"));
      expect(await isOnlyServer(into)).toBe(true);
      await withStore(into, async () => {
        const restoring = restorePostgres(into, () => createReadStream(file), REPLACE);
        await Promise.all([
          expect(restoring).rejects.toThrow("stop all servers"),
          expect(isOnlyServer(into)).resolves.toBe(false),
        ]);
      });
    });
    const before = await rowsOf(into);
    const open = () => {
      throw new Error("the backup was opened although it is not restored");
    };
    await expect(restorePostgres(into, open, NEW)).rejects.toThrow("use --force");
    expect(await rowsOf(into)).toEqual(before);
    // A pooler keeps connections of servers that have stopped.
    const pooled = postgres(into.url, { max: 1, connection: { application_name: "purse writes" } });
    await pooled`SELECT 1`;
    const direct = { ...into, directUrl: into.url };
    await restorePostgres(direct, () => createReadStream(file), REPLACE);
    await pooled.end();
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
    await restorePostgres(into, () => createReadStream(file), { ...REPLACE, keepsOperators: true });
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
    const contents = {
      "not a backup": Buffer.from("SQLite format 3\u0000"),
      "cut off": bytes.subarray(0, bytes.length - 20),
      changed: gzipSync(changed),
      uncompressed: gunzipSync(bytes),
    };
    for (const content of Object.values(contents)) {
      await expect(checkPostgresBackup(Readable.from([content]))).rejects.toThrow(
        /backup cannot be used|It is a backup of SQLite|It is an export/,
      );
      await expect(restorePostgres(into, () => Readable.from([content]), REPLACE)).rejects.toThrow();
    }
    expect(await rowsOf(into)).toEqual(before);
  });

  it("is rejected if it contains a name that would change its SQL, and leaves the database unchanged", async () => {
    const into = await newDatabase();
    await withStore(into, (store) => store.changeClass("Kept", () => classOf("Kept")));
    const before = await rowsOf(into);
    for (const schema of [
      classOf("Evil", { fields: { "it's": { type: "GeoPoint" } } }),
      classOf("Evil", { indexes: { byN: { "it's": 1 } } }),
    ]) {
      const open = () => Readable.from(archiveOf(schema)).pipe(createGzip());
      await expect(restorePostgres(into, open, REPLACE)).rejects.toThrow(`"it's" is not a valid name`);
    }
    expect(await rowsOf(into)).toEqual(before);
  });

  it("is looked up in the database whether it was restored, if the answer to the commit is lost", async () => {
    const into = await newDatabase();
    await withStore(into, (store) => store.changeClass("Kept", () => classOf("Kept")));
    const before = await rowsOf(into);
    const kept = join(folder, "kept.postgres.gz");
    const replaceThrough = async (proxied: PostgresConfig) => {
      const method = backupMethodOf(proxied, folder);
      copyFileSync(file, method.stagedFile);
      await method.replace(kept);
    };
    await throughProxy(into, "COMMIT is lost", (proxied) =>
      expect(replaceThrough(proxied)).rejects.toThrow("Connection terminated"),
    );
    expect(await rowsOf(into)).toEqual(before);
    expect(existsSync(kept)).toBe(false);
    await throughProxy(into, "the answer is lost", replaceThrough);
    expect((await rowsOf(into))["Note~2"]).toEqual((await rowsOf(from))["Note~2"]);
    await restorePostgres(into, () => createReadStream(kept), REPLACE);
    expect(await rowsOf(into)).toEqual(before);
  });

  it("has an unknown outcome if the database cannot be asked after a lost commit", async () => {
    const lost = {
      failure: undefined,
      run: () => Promise.reject(new Error("Connection terminated")),
      copyIn: expect.unreachable,
      copyOut: expect.unreachable,
      close: () => undefined,
    };
    await throughProxy(from, "nothing answers", async ({ url }) => {
      await expect(commitRestore(lost, url, "epoch", 0)).rejects.toThrow(RestoreOutcomeUnknownError);
    });
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
