import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { isJsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testCliFile } from "../../scripts/build.mjs";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, emptyDatabaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { purseCommand, purseProgram } from "../support/purseCommand.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const NODE = join(ROOT, "node_modules/.bin/node");
const DUMP = join(ROOT, "tests/fixtures/parse-dump");
const MASTER = { useMasterKey: true };

const newFolder = () => mkdtempSync(join(tmpdir(), "purse-moving-"));

/** Settings of a new server for both the commands and the start. */
async function newDatabase(database: (typeof DATABASES)[number]) {
  const dataDir = newFolder();
  return { dataDir, env: { ...(await emptyDatabaseEnv(database)), PURSE_DATA_DIR: dataDir } };
}

describe.each(DATABASES)("data transfer on %s", (database) => {
  describe("a Parse database import", () => {
    let purse: Purse;
    let printed: string;
    let exported: string;
    beforeAll(async () => {
      const { dataDir, env } = await newDatabase(database);
      const first = await purseProgram(["import", "--parse", DUMP], env);
      expect(first).toMatchObject({ code: 0 });
      printed = first.output;
      // A second import changes nothing.
      expect(await purseCommand(["import", "--parse", DUMP], env)).toMatchObject({ code: 0 });
      const file = join(newFolder(), "export.jsonl");
      expect(await purseCommand(["export", "--out", file], env)).toMatchObject({ code: 0 });
      exported = readFileSync(file, "utf8");
      purse = await hostPurse({ dataDir, env });
    });
    afterAll(() => purse?.remove());

    it("reports what it skipped, and how many documents it imported of each collection", () => {
      expect(printed).toContain("_User._weird_column");
      expect(printed).toContain("_JobStatus");
      expect(printed).toMatch(/^Game +2$/m);
      expect(printed).toMatch(/^_Join:players:Game +\d+$/m);
    });

    it("keeps config parameters, hooks, job schedules and audiences", async () => {
      expect((await rest(purse, "GET", "/config")).body.params).toEqual({ greeting: "hi" });
      expect((await rest(purse, "GET", "/config", undefined, MASTER)).body).toEqual({
        params: { greeting: "hi", most: 5 },
        masterKeyOnly: { most: true },
      });
      const hook = { functionName: "far", url: "https://hooks.example.org/far" };
      expect((await rest(purse, "GET", "/hooks/functions", undefined, MASTER)).body).toEqual([hook]);
      expect(
        (await rest(purse, "GET", "/hooks/triggers/Game/afterSave", undefined, MASTER)).body,
      ).toMatchObject({
        url: "https://hooks.example.org/game",
      });
      const again = await rest(purse, "POST", "/hooks/functions", hook, MASTER);
      expect(again.body.error).toBe("function name: far already exists");
      const schedules = await rest(purse, "GET", "/classes/_JobSchedule", undefined, MASTER);
      expect(schedules.body.results).toMatchObject([{ jobName: "clean", timeOfDay: "02:00" }]);
      const audiences = await rest(purse, "GET", "/push_audiences", undefined, MASTER);
      expect(audiences.body.results).toMatchObject([
        { name: "iPhones", query: { deviceType: "ios" }, timesUsed: 2 },
      ]);
    });

    it("lets users log in with their old passwords, and renews the hashes", async () => {
      const logIn = () => rest(purse, "POST", "/login", { username: "Ann", password: "old secret" });
      const { body } = await logIn();
      expect(body).toMatchObject({
        objectId: "annann0001",
        nickname: "A",
        accounts: [
          "0x1111111111111111111111111111111111111111",
          "0x2222222222222222222222222222222222222222",
        ],
      });
      expect((await logIn()).status).toBe(200);
      const wrong = await rest(purse, "POST", "/login", { username: "Ann", password: "wrong" });
      expect(wrong.body.code).toBe(101);
      const taken = await rest(purse, "POST", "/users", { username: "ann", password: "x" });
      expect(taken.body.code).toBe(202);
    });

    it("records what the hashes of its users cost, so that wrong passwords take as long for everybody else", () => {
      const records = exported.split("\n").filter((line) => line.includes("_User.importedHashes"));
      expect(records.map((record) => JSON.parse(record))).toEqual([
        { kind: "claim", scope: "_User.importedHashes", value: "bcrypt", owner: "10" },
      ]);
    });

    it("keeps sessions, wallets and other sign-in methods", async () => {
      const old = { sessionToken: "r:0123456789abcdef0123456789abcdef" };
      expect((await rest(purse, "GET", "/users/me", undefined, old)).body.objectId).toBe("annann0001");
      const addresses = await rest(purse, "GET", "/classes/_EthAddress", undefined, old);
      expect(addresses.body.results).toHaveLength(2);
      const anonymous = { id: "11111111-2222-3333-4444-555555555555" };
      const bob = await rest(purse, "POST", "/users", { authData: { anonymous } });
      expect([bob.status, bob.body.objectId]).toEqual([200, "bobbob0002"]);
    });

    it("keeps all types of values, times, ACLs, roles and relations", async () => {
      expect((await rest(purse, "GET", "/classes/Game/game000001")).body.code).toBe(101);
      const ann = { sessionToken: "r:0123456789abcdef0123456789abcdef" };
      const { body } = await rest(purse, "GET", "/classes/Game/game000001", undefined, ann);
      expect(body).toEqual({
        objectId: "game000001",
        createdAt: "2021-05-01T10:00:00.000Z",
        updatedAt: "2021-06-01T10:00:00.000Z",
        title: "chess",
        score: 7,
        place: { __type: "GeoPoint", latitude: 52.5, longitude: 13.4 },
        area: {
          __type: "Polygon",
          coordinates: [
            [0, 0],
            [2, 0],
            [2, 2],
            [0, 2],
            [0, 0],
          ],
        },
        cover: {
          __type: "File",
          name: "abc_cover.png",
          url: `${purse.serverUrl}/files/test-app/abc_cover.png`,
        },
        blob: { __type: "Bytes", base64: "AAEC" },
        played: { __type: "Date", iso: "2021-06-01T10:00:00.000Z" },
        owner: { __type: "Pointer", className: "_User", objectId: "annann0001" },
        players: { __type: "Relation", className: "_User" },
        tags: ["a", { at: { __type: "Date", iso: "2021-05-01T10:00:00.000Z" } }],
        meta: { deep: { n: 9 } },
        ACL: { "role:crew": { read: true }, annann0001: { write: true } },
      });
      const object = { __type: "Pointer", className: "Game", objectId: "game000001" };
      const where = { $relatedTo: { object, key: "players" } };
      const players = await rest(purse, "GET", `/users${query({ where })}`, undefined, MASTER);
      expect(players.body.results).toHaveLength(2);
      const schema = await rest(purse, "GET", "/schemas/Game", undefined, MASTER);
      expect(schema.body).toMatchObject({
        indexes: { byScore: { score: -1 }, title_text: { title: "text" } },
        classLevelPermissions: { delete: {} },
      });
    });
  });

  describe("an export", () => {
    it("transfers everything to another server, also repeatedly and after an interruption", async () => {
      const from = await newDatabase(database);
      const source = await hostPurse(from);
      const ann = await signUp(source, { email: "ann@example.org" });
      const user = { __type: "Pointer", className: "_User", objectId: ann.id };
      const fields = {
        text: "ä € \u2028",
        list: [1, { a: null }],
        when: { __type: "Date", iso: "2026-01-02T03:04:05.678Z" },
        owner: user,
        fans: { __op: "AddRelation", objects: [user] },
        ACL: { [ann.id]: { read: true, write: true } },
      };
      const saved = await rest(source, "POST", "/classes/Thing", fields, MASTER);
      for (let i = 0; i < 6; i++) {
        const requests = Array.from({ length: 300 }, (_, n) => ({
          method: "POST",
          path: "/server/classes/Many",
          body: { n: i * 300 + n },
        }));
        await rest(source, "POST", "/batch", { requests });
      }
      const before = await rest(source, "GET", `/classes/Thing/${saved.body.objectId}`, undefined, MASTER);
      const file = join(newFolder(), "all.jsonl");
      const written = await purseCommand(["export", "--out", file], from.env);
      expect(written.code).toBe(0);
      await source.remove();

      const to = await newDatabase(database);
      // After an interruption: written objects remain, and the rest follows.
      const cut = spawn(NODE, [testCliFile, "import", "--in", file], {
        env: { ...process.env, ...to.env },
        cwd: ROOT,
        stdio: "ignore",
      });
      const exited = new Promise((done) => cut.once("exit", done));
      const hasBegun = () => existsSync(`${file}.checkpoint`) || cut.exitCode !== null;
      await expect.poll(hasBegun, { interval: 2, timeout: 60_000 }).toBe(true);
      cut.kill("SIGKILL");
      await exited;
      for (let i = 0; i < 2; i++) {
        const { code, output } = await purseCommand(["import", "--in", file], to.env);
        expect([code, output]).toEqual([0, expect.stringContaining("0 damaged ones skipped")]);
      }
      const target = await hostPurse(to);
      try {
        const after = await rest(target, "GET", `/classes/Thing/${saved.body.objectId}`, undefined, MASTER);
        expect(after.body).toEqual(before.body);
        const count = await rest(target, "GET", "/classes/Many?count=1&limit=0");
        expect(count.body.count).toBe(1_800);
        const me = await rest(target, "GET", "/users/me", undefined, ann);
        expect(me.body.email).toBe("ann@example.org");
        const logIn = await rest(target, "POST", "/login", {
          username: ann.username,
          password: "correct horse",
        });
        expect(logIn.status).toBe(200);
        const where = { fans: user };
        const fans = await rest(target, "GET", `/classes/Thing${query({ where })}`, undefined, MASTER);
        expect(fans.body.results).toHaveLength(1);
        const taken = await rest(target, "POST", "/users", {
          username: "other",
          password: "x",
          email: "ANN@example.org",
        });
        expect(taken.body.code).toBe(203);
      } finally {
        await target.remove();
      }
    });

    it("reports damaged lines, or skips them into a file", async () => {
      const { env } = await newDatabase(database);
      const file = join(newFolder(), "damaged.jsonl");
      const lines = [
        '{"kind":"header","version":1,"exportedAt":"2026-01-01T00:00:00.000Z"}',
        '{"kind":"class","schema":{"className":"A","fields":{"n":{"type":"Number"}},"classLevelPermissions":{},"indexes":{}}}',
        '{"kind":"object","className":"A","object":{"objectId":"good000001","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","n":1}}',
        '{"kind":"object","className":"A","object":{"objectId":"bad"',
        '{"kind":"object","className":"Nowhere","object":{"objectId":"b","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}}',
      ];
      writeFileSync(file, `${lines.join("\n")}\n`);
      const refused = await purseCommand(["import", "--in", file], env);
      expect(refused.code).toBe(1);
      expect(refused.output).toContain("Nothing was imported: 2 damaged. --skip-bad FILE");
      expect(refused.output).toContain("Line 4: it is not JSON");
      expect(refused.output).toContain("Line 5: class Nowhere must come before its objects");
      const before = await purseCommand(["permissions", "list"], env);
      expect(before.output).not.toMatch(/^A\b/m);
      const bad = join(newFolder(), "bad.jsonl");
      const done = await purseCommand(["import", "--in", file, "--skip-bad", bad], env);
      expect(done.output).toContain("5 lines, 2 damaged ones skipped");
      expect(readFileSync(bad, "utf8").trim().split("\n")).toHaveLength(2);
      expect(done.output).toMatch(/^A +1$/m);
    });

    if (NIGHTLY)
      it("imports nothing of a Parse database with damaged documents, or skips them into a file", async () => {
        const { env } = await newDatabase(database);
        const folder = newFolder();
        const write = (name: string, ...lines: string[]) =>
          writeFileSync(join(folder, `${name}.json`), lines.join("\n"));
        write("_SCHEMA", '{"_id":"Post","title":"string","likes":"number"}');
        write(
          "Post",
          '{"_id":"a","title":"first"}',
          '{"_id":"b","title":"cut',
          '{"_id":"c","likes":"many"}',
          '{"_id":"d","mood":"new"}',
        );
        // As mongoexport --jsonArray writes it.
        write("Tag", '[{"_id":"x"},{"_id":"y"}]');
        const refused = await purseCommand(["import", "--parse", folder], env);
        expect(refused.code).toBe(1);
        expect(refused.output).toContain("Nothing was imported: 2 damaged. --skip-bad FILE");
        expect(refused.output).toContain("Post, document 2: it is not JSON");
        expect(refused.output).toContain("Post, document 3: schema mismatch for Post.likes");
        expect((await purseCommand(["permissions", "list"], env)).output).not.toMatch(/^Post\b/m);
        const bad = join(newFolder(), "bad.jsonl");
        const done = await purseCommand(["import", "--parse", folder, "--skip-bad", bad], env);
        expect(done).toMatchObject({
          code: 0,
          output: expect.stringContaining("6 documents, 2 damaged ones skipped"),
        });
        expect(done.output).toMatch(/^Post +2$/m);
        expect(done.output).toMatch(/^Tag +2$/m);
        expect(done.output).toContain("added, not in _SCHEMA: Post.mood");
        expect(readFileSync(bad, "utf8")).toContain('"text":"{\\"_id\\":\\"b\\",\\"title\\":\\"cut"');
      });
  });
});

describe("a backup", () => {
  it("is consistent although it was created during writes, and can be restored", async () => {
    const purse = await hostPurse();
    const env = { PURSE_DATA_DIR: purse.dataDir };
    let writing = true;
    const written: string[] = [];
    const writer = (async () => {
      while (writing) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => rest(purse, "POST", "/classes/Row", { text: "x".repeat(500) })),
        );
        for (const { status, body } of answers) {
          expect(status).toBe(201);
          written.push(String(body.objectId));
        }
      }
    })();
    await expect.poll(() => written.length, { timeout: 20_000 }).toBeGreaterThan(200);
    const before = [...written];
    const file = join(newFolder(), "copy.sqlite");
    expect(await purseCommand(["backup", "--out", file], env)).toMatchObject({ code: 0 });
    // Later writes are not in the backup.
    const until = written.length;
    await expect.poll(() => written.length).toBeGreaterThan(until + 20);
    writing = false;
    await writer;
    const commands = [
      ["restore", "--in", file, "--force"],
      ["import", "--parse", DUMP],
    ];
    for (const command of commands) {
      const busy = await purseCommand(command, env);
      expect(busy).toMatchObject({ code: 1, output: expect.stringContaining("stop it first") });
    }
    await purse.stop();
    const refused = await purseCommand(["restore", "--in", file], env);
    expect(refused.output).toContain("--force");
    expect(await purseCommand(["restore", "--in", file, "--force"], env)).toMatchObject({ code: 0 });
    const again = await hostPurse({ dataDir: purse.dataDir });
    const { body } = await rest(again, "GET", "/classes/Row?limit=1000000");
    const rows = Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
    const kept = new Set(rows.map(({ objectId }) => objectId));
    expect(before.filter((id) => !kept.has(id))).toEqual([]);
    expect(kept.size).toBeLessThan(written.length);
    expect(rows.filter(({ objectId }) => !written.includes(String(objectId)))).toEqual([]);
    expect(rows.filter(({ text }) => text !== "x".repeat(500))).toEqual([]);
    await again.remove();
  });

  if (NIGHTLY)
    it("replaces a damaged database with --force", async () => {
      const env = { PURSE_DATA_DIR: newFolder() };
      const database = join(env.PURSE_DATA_DIR, "purse.sqlite");
      expect(await purseCommand(["import", "--parse", DUMP], env)).toMatchObject({ code: 0 });
      const file = join(newFolder(), "copy.sqlite");
      expect(await purseCommand(["backup", "--out", file], env)).toMatchObject({ code: 0 });
      writeFileSync(database, "x".repeat(20_000));
      expect(await purseCommand(["restore", "--in", file, "--force"], env)).toMatchObject({ code: 0 });
      // The copy has a checksum at its end.
      const restored = readFileSync(database);
      expect(restored.equals(readFileSync(file).subarray(0, restored.length))).toBe(true);
    });

  it("is not restored if it is damaged", async () => {
    const env = { PURSE_DATA_DIR: newFolder() };
    const file = join(newFolder(), "broken.sqlite");
    writeFileSync(file, "SQLite format 3\u0000");
    appendFileSync(file, "x".repeat(5_000));
    const refused = await purseCommand(["restore", "--in", file], env);
    expect(refused.code).toBe(1);
    expect(existsSync(join(env.PURSE_DATA_DIR, "purse.sqlite"))).toBe(false);
  });

  it("of another kind, or an export, is refused with what reads it", async () => {
    const folder = newFolder();
    const file = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const postgres = file("a.postgres.gz", gzipSync("x"));
    const exported = file(
      "b.jsonl",
      '{"kind":"header","version":1,"exportedAt":"2026-01-01T00:00:00.000Z"}\n',
    );
    const sqlite = file("c.sqlite", "SQLite format 3\u0000");
    const outputs = await Promise.all(
      [
        ["restore", postgres],
        ["restore", exported],
        ["import", postgres],
        ["import", sqlite],
      ].map(async ([command = "", path = ""]) =>
        purseCommand([command, "--in", path], { PURSE_DATA_DIR: newFolder() }),
      ),
    );
    expect(outputs.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    expect(outputs.map(({ output }) => output)).toEqual([
      expect.stringContaining("It is a backup of PostgreSQL, and this database is SQLite"),
      expect.stringContaining("It is an export, not a backup: import reads it"),
      expect.stringContaining("is a backup of PostgreSQL, not an export: restore reads it"),
      expect.stringContaining("is a backup of SQLite, not an export: restore reads it"),
    ]);
  });

  if (!NIGHTLY) return;

  it("of SQLite is refused by PostgreSQL with what reads it", async () => {
    const { env } = await newDatabase("PostgreSQL");
    const file = join(newFolder(), "copy.sqlite");
    writeFileSync(file, "SQLite format 3\u0000");
    expect(await purseCommand(["restore", "--in", file], env)).toMatchObject({
      code: 1,
      output: expect.stringContaining("It is a backup of SQLite, and this database is PostgreSQL"),
    });
  });

  if (NIGHTLY)
    it("of PostgreSQL is created while it is in use, and restored by commands", async () => {
      const [from, into] = [await newDatabase("PostgreSQL"), await newDatabase("PostgreSQL")];
      expect(await purseCommand(["import", "--parse", DUMP], from.env)).toMatchObject({ code: 0 });
      const file = join(newFolder(), "copy.postgres.gz");
      const made = await purseCommand(["backup", "--out", file], from.env);
      expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/\d+ rows of \d+ tables/) });
      expect(await purseCommand(["restore", "--in", file], into.env)).toMatchObject({ code: 0 });
      const refused = await purseCommand(["restore", "--in", file], into.env);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("--force") });
      const forced = await purseCommand(["restore", "--in", file, "--force", "--json"], into.env);
      expect(JSON.parse(forced.output)).toMatchObject({ rows: { Game: 2 } });
      const exports = await Promise.all(
        [from, into].map(async ({ dataDir, env }) => {
          const out = join(dataDir, "all.jsonl");
          await purseCommand(["export", "--out", out], env);
          // The first line has the time of the export, and the classes have no order.
          return readFileSync(out, "utf8").split("\n").slice(1).toSorted();
        }),
      );
      expect(exports[1]).toEqual(exports[0]);
    });
});
