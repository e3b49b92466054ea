import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
const MASTER = { useMasterKey: true };

describe.each(DATABASES)("cloud code on %s", (database) => {
  let purse: Purse;
  let ada: Awaited<ReturnType<typeof signUp>>;
  beforeAll(async () => {
    const env = await databaseEnv(database);
    purse = await hostPurse({ env: { ...env, PURSE_CLOUD: CODE, PURSE_FUNCTION_TIMEOUT_MS: "1500" } });
    ada = await signUp(purse);
  });
  afterAll(() => purse?.remove());

  const call = (name: string, params: object = {}, credentials = {}) =>
    rest(purse, "POST", `/functions/${name}`, params, credentials);
  const traces = async (where: object) => {
    const { body } = await rest(purse, "GET", `/classes/Trace${query({ where })}`, undefined, MASTER);
    return body.results;
  };

  describe("validators", () => {
    it.each<[string, object, object]>([
      ["fields", { size: 1 }, { code: 142, error: "Validation failed. Please specify data for name." }],
      [
        "fields",
        { name: 5 },
        { code: 142, error: "Validation failed. Invalid type for name. Expected: string" },
      ],
      ["fields", { name: "a", size: 12 }, { code: 142, error: "too large" }],
      [
        "fields",
        { name: "a", kind: "c" },
        { code: 142, error: "Validation failed. Invalid option for kind. Expected: a, b" },
      ],
      ["fields", { name: "a", list: {} }, { code: 142 }],
      ["fields", { name: "a", list: [1] }, { result: { name: "a", list: [1], size: 3 } }],
      ["needsRole", {}, { code: 142, error: "Validation failed. Please login to continue." }],
      ["needsKey", {}, { code: 142, error: "Please login to make this request." }],
      ["own", {}, { code: 142, error: "say the word" }],
      ["own", { word: "open" }, { result: "in" }],
    ])("of %s validate %j", { tags: ["8.code.142"] }, async (name, params, answer) => {
      expect((await call(name, params)).body).toMatchObject(answer);
    });

    it("require roles and user fields", async () => {
      const eve = await signUp(purse, { nickname: "Eve" });
      expect((await call("needsRole", {}, eve)).body).toEqual({
        code: 142,
        error: "Validation failed. User does not match the required roles.",
      });
      const users = { __op: "AddRelation", objects: [pointer("_User", eve.id)] };
      await rest(purse, "POST", "/roles", { name: "Editors", users, ACL: {} }, MASTER);
      expect((await call("needsRole", {}, eve)).body).toEqual({ result: "in" });
      expect((await call("needsRoles", {}, eve)).body).toEqual({
        code: 142,
        error: "Validation failed. User does not match all the required roles.",
      });
      expect((await call("needsKey", {}, eve)).body).toEqual({ result: "in" });
      expect((await call("needsKey", {}, ada)).body).toEqual({
        code: 142,
        error: "Validation failed. Please set data for nickname on your account.",
      });
    });

    it("do not apply to the master key, also if the trigger is skipped", async () => {
      expect((await call("needsRole", {}, MASTER)).body).toEqual({ result: "in" });
      expect((await call("skipsMaster", {}, ada)).body).toEqual({ result: "ran" });
      expect((await call("skipsMaster", {}, MASTER)).body).toEqual({ result: "ran" });
    });

    it("of triggers validate the object", async () => {
      const path = "/classes/Checked";
      expect((await rest(purse, "POST", path, {})).body).toMatchObject({ code: 142 });
      const { body } = await rest(purse, "POST", path, { title: "a", kind: "mine" });
      expect(body).toMatchObject({ kind: "plain" });
      await rest(purse, "PUT", `${path}/${body.objectId}`, { kind: "other" });
      expect((await rest(purse, "GET", `${path}/${body.objectId}`)).body).toMatchObject({ kind: "plain" });
    });
  });

  describe("functions", () => {
    it("with two parameters respond through the response object", async () => {
      const answer = await call("answers");
      expect(answer).toMatchObject({ status: 202, body: { result: { at: "once" } } });
      expect(answer.headers.get("x-answer")).toBe("yes");
      expect(await call("refuses")).toMatchObject({ status: 418, body: { code: 141, error: "teapot" } });
    });

    it("receive the request, but never the master key", async () => {
      const { body } = await call("seen", { _context: { a: 1 } }, MASTER);
      expect(body.result).toMatchObject({ agent: "node", master: true, context: { a: 1 } });
      expect(body.result).not.toHaveProperty("masterKey");
    });

    it("of Moralis v1 run unchanged", async () => {
      const { body } = await call("legacy", { x: 1 });
      expect(body).toEqual({ result: { strength: 1024, seen: 3, params: { x: 1 } } });
    });

    it("send HTTP requests", async () => {
      const server = createServer(async (request, response) => {
        const sent = [];
        for await (const chunk of request) sent.push(chunk);
        const type = request.headers["content-type"];
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ type, body: Buffer.concat(sent).toString() }));
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const { port } = server.address() as AddressInfo;
      const { body } = await call("fetchText", { url: `http://127.0.0.1:${port}/` });
      server.close();
      // As in Parse, a body is a form unless a header says otherwise.
      const data = { type: "application/x-www-form-urlencoded", body: "a=1" };
      expect(body).toEqual({ result: { status: 200, data } });
    });

    it("send mails", async () => {
      expect((await call("mail")).body).toEqual({});
      await expect.poll(() => purse.output()).toContain("ada@example.org");
    });
  });

  describe("triggers", () => {
    it("pass the context from before to after, and errors in after triggers are ignored", async () => {
      const { body } = await rest(purse, "POST", "/classes/Story", {
        text: "a b c",
        _context: { mark: "m" },
      });
      expect(await traces({ of: body.objectId })).toMatchObject([{ words: 3, mark: "m", wasNew: true }]);
    });

    it("restrict queries, also by ID", async () => {
      const mine = await rest(purse, "POST", "/classes/Private", { owner: ada.id });
      const path = `/classes/Private/${mine.body.objectId}`;
      expect((await rest(purse, "GET", path, undefined, ada)).body).toMatchObject({ owner: ada.id });
      expect((await rest(purse, "GET", path)).body).toMatchObject({ code: 101 });
      expect((await rest(purse, "GET", "/classes/Private")).body.results).toEqual([]);
    });

    it("change results, also of a single object", async () => {
      const { body } = await rest(purse, "POST", "/classes/Masked", { number: "1234" });
      const one = await rest(purse, "GET", `/classes/Masked/${body.objectId}`);
      expect(one.body).toMatchObject({ number: "***" });
    });

    it("run on login and logout", async () => {
      const { id, username } = await signUp(purse);
      const logIn = () => rest(purse, "POST", "/login", { username, password: "correct horse" });
      const { body } = await logIn();
      expect(await traces({ of: id })).toMatchObject([{ event: "login", user: id }]);
      await rest(purse, "POST", "/logout", {}, { sessionToken: String(body.sessionToken) });
      expect(await traces({ of: id })).toMatchObject([{ event: "login" }, { event: "logout _Session" }]);
      await rest(purse, "PUT", `/users/${id}`, { banned: true, email: `${id}@example.org` }, MASTER);
      expect((await logIn()).body).toEqual({ code: 119, error: "banned" });
      const reset = await rest(purse, "POST", "/requestPasswordReset", { email: `${id}@example.org` });
      expect(reset.body).toEqual({ code: 141, error: "no reset for the banned" });
    });
  });

  describe("jobs", () => {
    const start = (name: string, params = {}, credentials: object = MASTER) =>
      rest(purse, "POST", `/jobs/${name}`, params, credentials);
    const status = async (id: unknown) =>
      (await rest(purse, "GET", `/classes/_JobStatus/${id}`, undefined, MASTER)).body;

    it("run with the master key, which can read their status", async () => {
      const { status: code, body, headers } = await start("count", { n: 4 });
      const id = headers.get("x-parse-job-status-id");
      expect([code, body]).toEqual([200, {}]);
      await expect
        .poll(() => status(id), { timeout: 10_000 })
        .toMatchObject({
          jobName: "count",
          status: "succeeded",
          message: "counted 4",
          source: "api",
          params: { n: 4 },
          finishedAt: { __type: "Date" },
        });
      expect(await traces({ of: "job" })).toMatchObject([{ n: 4 }]);
    });

    it("are failed if they throw", async () => {
      const { headers } = await start("fails");
      const id = headers.get("x-parse-job-status-id");
      await expect.poll(() => status(id)).toMatchObject({ status: "failed", message: "it went wrong" });
    });

    it("are unavailable to clients", async () => {
      expect((await start("count", {}, ada)).body).toMatchObject({ code: 119 });
      expect((await start("nope")).body).toEqual({ code: 141, error: "Invalid job." });
      expect((await rest(purse, "GET", "/classes/_JobStatus", undefined, ada)).body.code).toBe(119);
      const made = await rest(purse, "POST", "/classes/_JobStatus", { status: "succeeded" }, MASTER);
      expect(made.body.code).toBe(119);
    });

    it("are listed by name", async () => {
      const { body } = await rest(purse, "GET", "/cloud_code/jobs/data", undefined, MASTER);
      expect(body.jobs).toEqual(["count", "fails", "endless", "tick"]);
    });

    it("run on a schedule until their deadline", async () => {
      const history = async (jobName: string, state: string) => {
        const where = { jobName, status: state, source: "schedule" };
        const { body } = await rest(
          purse,
          "GET",
          `/classes/_JobStatus${query({ where })}`,
          undefined,
          MASTER,
        );
        return body.results;
      };
      await expect
        .poll(async () => ((await traces({ of: "tick" })) as unknown[]).length, { timeout: 10_000 })
        .toBeGreaterThan(1);
      expect(await history("tick", "succeeded")).toContainEqual(expect.objectContaining({ jobName: "tick" }));
      await expect
        .poll(() => history("endless", "failed"), { timeout: 10_000 })
        .toContainEqual(expect.objectContaining({ message: "The job did not finish within 200 ms." }));
    });

    it("run on schedules stored as objects", async () => {
      const add = (row: object) => rest(purse, "POST", "/classes/_JobSchedule", row, MASTER);
      expect((await add({ jobName: "count", cron: "nonsense" })).body.code).toBe(142);
      const startAfter = new Date(Date.now() + 2_500).toISOString();
      const { body } = await add({ jobName: "count", params: '{"n":7}', startAfter });
      await expect.poll(() => traces({ of: "job", n: 7 }), { timeout: 10_000 }).toMatchObject([{ n: 7 }]);
      const row = await rest(purse, "GET", `/classes/_JobSchedule/${body.objectId}`, undefined, MASTER);
      expect(row.body.lastRun).toBeTypeOf("number");
    });
  });

  describe("config parameters", () => {
    const read = async (credentials = {}) =>
      (await rest(purse, "GET", "/config", undefined, credentials)).body;
    const change = (body: object, credentials: object = MASTER) =>
      rest(purse, "PUT", "/config", body, credentials);

    it("are readable, some only with the master key", {
      tags: ["7.config.get", "7.config.put-params", "7.config.put-master-key-only"],
    }, async () => {
      const params = { open: 1, shut: { a: [1] } };
      expect((await change({ params, masterKeyOnly: { shut: true } })).body).toEqual({ result: true });
      expect(await read()).toMatchObject({ params: { open: 1 } });
      expect((await read()).params).not.toHaveProperty("shut");
      expect(await read(MASTER)).toMatchObject({ params, masterKeyOnly: { open: false, shut: true } });
      await change({ params: { open: { __op: "Delete" }, other: 2 } });
      expect((await read(MASTER)).params).toMatchObject({ shut: { a: [1] }, other: 2 });
      expect((await read(MASTER)).params).not.toHaveProperty("open");
    });

    it("are changed with the master key only", { tags: ["6.master-key.config-saving"] }, async () => {
      expect((await change({ params: { a: 1 } }, ada)).body.code).toBe(119);
    });

    it.each([{ params: { "a.b": 1 } }, { params: { __proto__x: 1, "a b": 1 } }, { params: [1] }])(
      "with invalid names are rejected: %j",
      async (body) => {
        expect((await change(body)).status).toBe(400);
      },
    );

    it("are available in cloud code", async () => {
      expect((await call("setting")).body).toEqual({ result: 1 });
      expect((await read()).params).toMatchObject({ fromCode: 1 });
    });
  });

  it("counts analytics events of applications", async () => {
    const event = (name: string, body: object) => rest(purse, "POST", `/events/${name}`, body);
    expect(await event("Opened", { dimensions: { a: "b" } })).toMatchObject({ status: 200, body: {} });
    expect((await event("AppOpened", {})).status).toBe(200);
    expect((await event("Opened", { dimensions: 5 })).body.code).toBe(160);
    const metrics = await (await fetch(`${purse.url}/metrics`)).text();
    expect(metrics).toContain('purse_app_events_total{event="Opened"} 1');
  });

  // Its process knows nothing of the database.
  describe.runIf(runsEveryCase(database))("that misbehaves", () => {
    const works = async () => (await call("own", { word: "open" })).body;

    it.each(NIGHTLY ? ["spin", "leak", "leave"] : ["leave"])(
      "does not crash the server: %s",
      async (name) => {
        const [answer, health] = await Promise.all([call(name), fetch(`${purse.url}/health`)]);
        expect(health.status).toBe(200);
        expect([124, 141]).toContain(answer.body.code);
        await expect.poll(works, { timeout: 15_000 }).toEqual({ result: "in" });
      },
    );

    it("does not crash the server in a timer", async () => {
      await call("crash");
      await expect.poll(works, { timeout: 15_000 }).toEqual({ result: "in" });
    });
  });
});

describe("changed cloud code", () => {
  let folder: string;
  let purse: Purse;
  const save = (name: string, code: string) => writeFile(join(folder, name), code);
  const word = async () => (await rest(purse, "POST", "/functions/word", {})).body.result;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-code-"));
    await save("word.mjs", 'export const word = "one";');
    await save("main.mjs", 'import { word } from "./word.mjs"; Parse.Cloud.define("word", () => word);');
    purse = await hostPurse({ env: { PURSE_CLOUD: join(folder, "main.mjs") } });
  });
  afterAll(async () => {
    await purse?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it("is reloaded with its imports", async () => {
    expect(await word()).toBe("one");
    await save("word.mjs", 'export const word = "two";');
    await expect.poll(word, { timeout: 10_000 }).toBe("two");
  });

  it("keeps running in its old version when the new one is broken", async () => {
    await save("word.mjs", "export const word = ;");
    await expect.poll(() => purse.output(), { timeout: 10_000 }).toContain("cannot be loaded");
    expect(await word()).toBe("two");
    await save("word.mjs", 'export const word = "three";');
    await expect.poll(word, { timeout: 10_000 }).toBe("three");
  });
});

function pointer(className: string, objectId: string) {
  return { __type: "Pointer", className, objectId };
}
