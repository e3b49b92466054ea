import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { DEFAULT_RESTART_POLICY } from "@purse/workers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ByteBudget } from "../../core/limits/byteBudget.ts";
import { createLogger } from "../../core/logger.ts";
import type { ClassSchema } from "../classSchema.ts";
import { openStore } from "../openStore.ts";
import { SCAN_START, type Store } from "../store.ts";
import { WriteOutcomeUnknownError } from "../writeOutcome.ts";
import { lockDatabase } from "./databaseLock.ts";
import type { DatabaseFault } from "./errors.ts";
import { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

const AT = "2026-01-01T00:00:00.000Z";
const schema: ClassSchema = {
  className: "Post",
  table: "Post",
  fields: { text: { type: "String" } },
  classLevelPermissions: {},
  indexes: {},
};
const logger = createLogger({ level: "silent", format: "text", write: () => undefined });

let folder: string;
let file: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-threads-"));
  file = join(folder, "purse.sqlite");
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function openTestStore(verifiesFile = false): Promise<Store> {
  const store = await openStore({ kind: "sqlite", path: file }, { logger, verifiesFile });
  closers.push(() => store.close());
  return store;
}

function createWrite(id: string, text = "x") {
  const object = { objectId: id, createdAt: AT, updatedAt: AT, text };
  return { kind: "create" as const, schema, id, at: AT, object };
}

/** Opens a writer on an existing database and returns it with its current thread. */
async function openWriter() {
  const store = await openStore({ kind: "sqlite", path: file }, { logger });
  await store.changeClass("Post", () => schema);
  await store.close();
  const threads: Worker[] = [];
  const faults: DatabaseFault[] = [];
  const failed: Error[] = [];
  const writer = await Writer.open(file, {
    logger,
    verifiesFile: false,
    onFault: ({ fault }) => faults.push(fault),
    onCommit: () => undefined,
    onFailed: (error) => failed.push(error),
    // The default number of restarts, but with shorter delays.
    restart: { ...DEFAULT_RESTART_POLICY, delaysMs: [0, 50] },
    spawn(workerData) {
      const thread = new Worker(new URL("./writerWorker.ts", import.meta.url), { workerData });
      threads.push(thread);
      return thread;
    },
  });
  closers.push(() => writer.close());
  return { writer, faults, failed, threads, kill: () => threads.at(-1)?.terminate() };
}

describe("the writer thread", () => {
  it("is restarted when it exits: pending writes have an unknown outcome, later ones succeed", async () => {
    const { writer, kill, threads } = await openWriter();
    await writer.write([createWrite("before")]);
    const held = writer.write([createWrite("held")]);
    await new Promise((resolve) => setImmediate(resolve));
    const ended = kill();
    await expect(
      held.then(
        () => "written",
        (error: unknown) => error,
      ),
    ).resolves.toSatisfy((outcome) => outcome === "written" || outcome instanceof WriteOutcomeUnknownError);
    await ended;
    await expect(writer.write([createWrite("after")])).resolves.toHaveLength(1);
    expect(threads.length).toBe(2);
    expect(writer.health()).toMatchObject([{ name: "database writer", state: "ready", restarts: 1 }]);
  });

  it("rejects writes and reports that it has failed when it exits repeatedly", async () => {
    const { writer, kill, failed } = await openWriter();
    for (let i = 0; i < 10 && failed.length === 0; i++) {
      await expect.poll(() => writer.health()[0]?.state, { timeout: 10_000 }).not.toBe("restarting");
      if (writer.health()[0]?.state === "ready") await kill();
    }
    expect(failed).toHaveLength(1);
    await expect(writer.write([createWrite("late")])).rejects.toMatchObject({ status: 503 });
    expect(writer.health()).toMatchObject([{ state: "failed" }]);
  });

  it("executes large and many small jobs in order", async () => {
    const { writer } = await openWriter();
    const large = "y".repeat(3_000_000);
    const jobs = Array.from({ length: 3_000 }, (_, i) =>
      writer.write([createWrite(`id${i}`, i % 500 === 0 ? large : "small")]),
    );
    const update = writer.write([
      {
        kind: "update",
        schema,
        id: "id2999",
        at: AT,
        operations: { text: { op: "Set", value: large } },
        subjects: null,
      },
    ]);
    expect(await Promise.all(jobs)).toHaveLength(3_000);
    expect((await update)[0]?.after?.length).toBeGreaterThan(large.length);
  });

  // It writes 360 MB.
  it.runIf(process.env.PURSE_TESTS)(
    "rejects writes beyond its capacity with status 503, and continues afterwards",
    async () => {
      const { writer } = await openWriter();
      const text = "z".repeat(30_000_000);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => writer.write([createWrite(`large${i}`, text)])),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(8);
      expect(outcomes.at(-1)).toMatchObject({ reason: { code: 124, status: 503 } });
      await writer.write([createWrite("small")]);
    },
  );
});

describe("the reader threads", () => {
  it("are restarted when they exit, and no read waits forever", async () => {
    const store = await openTestStore();
    await store.changeClass("Post", () => schema);
    await store.write([createWrite("a")]);
    const threads: Worker[] = [];
    const reader = await Reader.open(file, {
      logger,
      queryTimeoutMs: 2_000,
      maxResultBytes: 1_000_000,
      budget: new ByteBudget({ maxBytes: 10_000_000, maxWaitMs: 1_000 }),
      onFault: () => undefined,
      spawn(path) {
        const thread = new Worker(new URL("./readerWorker.ts", import.meta.url), {
          workerData: { file: path },
        });
        threads.push(thread);
        return thread;
      },
    });
    closers.push(() => reader.close());
    const slow =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e9 AND (i & 1023 OR purse_checkpoint(0))) SELECT max(i) + ? FROM n";
    const reads = [1, 2, 3, 4].map((n) => reader.readRows(slow, [n]));
    const outcomes = Promise.allSettled(reads);
    await expect.poll(() => reader.health().length).toBeGreaterThan(2);
    for (const thread of [...threads]) await thread.terminate();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: "rejected" });
    expect(await reader.readRows("SELECT id FROM Post", [])).toEqual(["a"]);
    await expect.poll(() => reader.health().every(({ state }) => state === "ready")).toBe(true);
  });

  it.each([
    { rows: 100, threads: 1 },
    { rows: 101, threads: 2 },
  ])("read a table of $rows rows with $threads thread(s)", async ({ rows, threads: expected }) => {
    const store = await openTestStore();
    await store.changeClass("Post", () => schema);
    await store.write(Array.from({ length: rows }, (_, i) => createWrite(`id${i}`)));
    let threads = 0;
    const reader = await Reader.open(file, {
      logger,
      queryTimeoutMs: 30_000,
      maxResultBytes: 1_000_000,
      budget: new ByteBudget({ maxBytes: 10_000_000, maxWaitMs: 1_000 }),
      onFault: () => undefined,
      spawn(path) {
        threads += 1;
        return new Worker(new URL("./readerWorker.ts", import.meta.url), { workerData: { file: path } });
      },
    });
    closers.push(() => reader.close());
    expect(await reader.readRows("SELECT doc FROM Post", [])).toHaveLength(rows);
    expect(threads).toBe(expected);
  });
});

describe("an SQLite file", () => {
  it("with another program's tables is rejected, with their names", async () => {
    const other = new Database(file);
    other.exec('CREATE TABLE "_User" (a); CREATE TABLE customers (b)');
    other.close();
    await expect(openTestStore()).rejects.toThrow(
      `${file} is the database of another program: it has the tables _User, customers, and none of Purse's.`,
    );
  });

  it("that is not a database is rejected with its path", async () => {
    writeFileSync(file, "no database at all, but long enough to be looked at ".repeat(100));
    await expect(openTestStore()).rejects.toThrow(`${file} is damaged, or not an SQLite database`);
  });

  it("with corrupted pages is not opened by a server, with advice to restore a backup", async () => {
    const store = await openStore({ kind: "sqlite", path: file }, { logger });
    await store.changeClass("Post", () => schema);
    for (let i = 0; i < 50; i++) await store.write([createWrite(`id${i}`, "x".repeat(500))]);
    await store.close();
    await overwrite(4_096, 3);
    await expect(openTestStore(true)).rejects.toThrow("Put a backup in its place: npm run purse -- restore");
  });

  it("that turns out to be corrupted rejects writes and reports the reason", async () => {
    const first = await openStore({ kind: "sqlite", path: file }, { logger });
    await first.changeClass("Post", () => schema);
    for (let i = 0; i < 500; i++) await first.write([createWrite(`id${i}`, "x".repeat(3_000))]);
    await first.close();
    const { size } = await stat();
    await overwrite(Math.floor(size / 8_192) * 4_096, 20);
    const store = await openTestStore(false);
    const rows = await store.scan(schema, SCAN_START, 1_000).catch((error: unknown) => error);
    expect(rows).toMatchObject({ status: 503 });
    expect(store.unavailableReason()).toContain("damaged");
    await expect(store.write([createWrite("new")])).rejects.toMatchObject({ status: 503 });
  });

  async function stat() {
    const handle = await open(file);
    const found = await handle.stat();
    await handle.close();
    return found;
  }

  async function overwrite(at: number, pages: number) {
    const handle = await open(file, "r+");
    await handle.write(Buffer.alloc(pages * 4_096, 0xa5), 0, pages * 4_096, at);
    await handle.close();
    for (const suffix of ["-wal", "-shm"]) if (existsSync(file + suffix)) truncateSync(file + suffix);
  }
});

describe("the lock of a database", () => {
  it("can be held by one process, which the error names", () => {
    const lock = lockDatabase(file);
    expect(() => lockDatabase(file)).toThrow(
      new RegExp(
        `The database ${file} is in use by another Purse: process ${process.pid}, since .*: stop it first`,
      ),
    );
    lock.release();
    lockDatabase(file).release();
  });
});
