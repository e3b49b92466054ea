import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { envelope, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
const WEBHOOK_KEY = "the key of the webhooks";
const CODE = `
Parse.Cloud.define("greet", ({ params, user, log }) => {
  log.info("greets somebody", { name: params.name });
  return { hello: params.name, user: user?.id ?? null };
});
Parse.Cloud.define("fails", () => { throw new Error("as it should"); });
Parse.Cloud.job("count", ({ params, message }) => { message("counted to " + params.to); });
`;

describe.each(DATABASES)("the studio on %s", (database) => {
  let purse: Purse;
  let folder: string;
  let owner: StudioClient;
  let editor: StudioClient;
  let guest: StudioClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-studio-"));
    await writeFile(join(folder, "main.js"), CODE);
    const env = {
      ...(await databaseEnv(database)),
      PURSE_CLOUD: join(folder, "main.js"),
      PURSE_WEBHOOK_KEY: WEBHOOK_KEY,
    };
    purse = await hostPurse({ env });
    owner = await setUpStudio(purse);
    editor = await addOperator(owner, "edith", "editor");
    guest = await addOperator(owner, "lou", "readOnly");
  });
  afterAll(async () => {
    await purse?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const listOf = (value: unknown): JsonObject[] => JSON.parse(JSON.stringify(value ?? []));

  it("runs functions as the operator and as a user, with result, duration and log", async () => {
    const { id } = await signUp(purse);
    const { body } = await editor.request("GET", "/functions");
    expect(body.functions).toEqual(expect.arrayContaining(["greet", "fails"]));
    const run = await editor.request("POST", "/functions/greet", { params: { name: "Ada" }, as: id });
    expect(run.body).toMatchObject({ result: { hello: "Ada", user: id }, ms: expect.any(Number) });
    await expect
      .poll(
        async () =>
          (await editor.request("GET", `/logs${query({ requestId: run.body.requestId })}`)).body.results,
      )
      .toEqual([expect.objectContaining({ message: "greets somebody", level: "info" })]);
    const failed = await editor.request("POST", "/functions/fails", {});
    expect(failed).toMatchObject({ status: 200, body: { error: { code: 141, error: "as it should" } } });
    expect((await editor.request("POST", "/functions/nothing", {})).body.error).toMatchObject({ code: 141 });
  });

  it("sends REST and GraphQL requests as any user within the operator's role, and logs them", async () => {
    const { id, username } = await signUp(purse);
    const send = async (operator: StudioClient, fields: JsonObject) => {
      const { body } = await operator.request("POST", "/console/requests", fields);
      return { ...body, json: JSON.parse(String(body.body)) };
    };
    const run = async (operator: StudioClient, fields: JsonObject) =>
      JSON.parse(String((await operator.request("POST", "/console/graphql", fields)).body.body));
    await rest(purse, "POST", "/schemas/Cask", { fields: { label: { type: "String" } } }, MASTER);
    const made = await send(editor, {
      method: "POST",
      path: "/classes/Cask",
      body: { label: "oak", ACL: {} },
    });
    expect(made).toMatchObject({
      status: 201,
      headers: { "content-type": expect.stringContaining("json"), "x-request-id": expect.any(String) },
      bytes: expect.any(Number),
      json: { objectId: expect.any(String) },
    });
    const path = `/classes/Cask${query({ where: { label: "oak" } })}`;
    expect((await send(guest, { method: "GET", path })).json.results).toHaveLength(1);
    expect((await send(guest, { method: "GET", path, as: "anonymous" })).json.results).toEqual([]);
    expect((await send(guest, { method: "GET", path: "/users/me", as: id })).json).toMatchObject({
      username,
    });
    expect(await send(guest, { method: "GET", path: "/nothing" })).toMatchObject({ status: 404 });
    const forbidden = { status: 403, json: { code: 119 } };
    const write = { method: "PUT", path: `/users/${id}`, body: { nickname: "x" } };
    expect(await send(guest, write)).toMatchObject(forbidden);
    expect(await send(guest, { ...write, as: id })).toMatchObject(forbidden);
    expect(await send(editor, { method: "DELETE", path: "/schemas/Cask" })).toMatchObject(forbidden);
    const batch = [{ method: "DELETE", path: "/server/schemas/Cask", body: {} }];
    expect(await send(editor, { method: "POST", path: "/batch", body: { requests: batch } })).toMatchObject(
      forbidden,
    );
    const casks = "{ casks { edges { node { label } } } }";
    expect(await run(guest, { query: casks })).toMatchObject({
      data: { casks: { edges: [{ node: { label: "oak" } }] } },
    });
    const create = 'mutation { createCask(input: { fields: { label: "ash" } }) { cask { label } } }';
    expect(await run(guest, { query: create, as: id })).toMatchObject({
      errors: [{ extensions: { code: 119 } }],
    });
    const remove = 'mutation { deleteClass(input: { name: "Cask" }) { class { name } } }';
    expect(await run(editor, { query: remove })).toMatchObject({ errors: [{ extensions: { code: 119 } }] });
    expect(await run(editor, { query: create })).toMatchObject({ data: { createCask: {} } });
    const audit = await owner.request("GET", "/audit");
    expect(audit.body.results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          username: "edith",
          action: "POST /console/requests",
          target: "POST /classes/Cask",
          after: expect.stringContaining("oak"),
        }),
        expect.objectContaining({ username: "lou", action: "POST /console/graphql" }),
      ]),
    );
    expect(audit.text).not.toContain(purse.masterKey);
    await rest(purse, "DELETE", "/purge/Cask", {}, MASTER);
  });

  it("keeps passwords in console requests out of the audit log", async () => {
    const { username } = await signUp(purse);
    const password = "correct horse";
    await editor.request("POST", "/console/requests", {
      method: "GET",
      path: `/login${query({ username, password })}`,
    });
    const logIn = `mutation { logIn(input: { username: "${username}", password: "${password}" }) { viewer { sessionToken } } }`;
    await editor.request("POST", "/console/graphql", { query: logIn });
    const audit = await owner.request("GET", "/audit");
    expect(audit.text).toContain("GET /login");
    expect(audit.text).toContain("logIn(input");
    expect(audit.text).not.toMatch(/correct(?: |\+|%20)horse/);
  });

  it("runs jobs, lists their results, and schedules them", async () => {
    const { status, body } = await editor.request("POST", "/jobs/count/run", { params: { to: 3 } });
    expect(status).toBe(201);
    await expect
      .poll(async () => listOf((await editor.request("GET", "/jobs/history")).body.results)[0])
      .toMatchObject({ objectId: body.jobStatusId, jobName: "count", status: "succeeded" });
    expect((await editor.request("POST", "/jobs/nothing/run", {})).body.code).toBe(141);
    const made = await editor.request("POST", "/schedules", {
      fields: { jobName: "count", cron: "0 3 * * *" },
    });
    expect(made.status).toBe(201);
    const path = `/schedules/${made.body.objectId}`;
    expect((await editor.request("PUT", path, { fields: { cron: "never" } })).body.code).toBe(142);
    expect((await editor.request("PUT", path, { fields: { cron: "0 4 * * *" } })).status).toBe(200);
    expect(listOf((await editor.request("GET", "/jobs")).body.schedules)).toMatchObject([
      { cron: "0 4 * * *" },
    ]);
    expect((await editor.request("DELETE", path)).status).toBe(200);
    expect(
      (await editor.request("POST", "/schedules", { fields: { jobName: "nothing", cron: "0 3 * * *" } }))
        .status,
    ).toBe(400);
  });

  it("manages webhooks", async () => {
    const hook = { functionName: "elsewhere", url: "https://hooks.example/a" };
    expect(await editor.request("POST", "/hooks", hook)).toMatchObject({ status: 201, body: hook });
    expect((await editor.request("POST", "/hooks", hook)).body.code).toBe(143);
    expect(
      (await editor.request("POST", "/hooks", { functionName: "x", url: "file:///etc/passwd" })).body.code,
    ).toBe(143);
    await editor.request("PUT", "/hooks/functions/elsewhere", { url: "https://hooks.example/b" });
    expect((await editor.request("GET", "/hooks")).body.functions).toEqual([
      { ...hook, url: "https://hooks.example/b" },
    ]);
    const trigger = { className: "Note", triggerName: "beforeSave", url: "https://hooks.example/c" };
    expect((await editor.request("POST", "/hooks", trigger)).status).toBe(201);
    expect((await editor.request("DELETE", "/hooks/triggers/Note/beforeSave")).status).toBe(200);
    expect((await editor.request("DELETE", "/hooks/functions/elsewhere")).status).toBe(200);
    expect((await editor.request("GET", "/hooks")).body).toEqual({ functions: [], triggers: [] });
  });

  it("keeps views of each operator, and those that editors share", async () => {
    const view = { filter: [{ field: "n", operator: "is", value: 1 }], order: "-n" };
    const save = (operator: StudioClient, name: string, isShared = false, saved: JsonObject = view) =>
      operator.request("PUT", "/views/Note", { name, view: saved, isShared });
    const namesOf = async (operator: StudioClient) =>
      listOf((await operator.request("GET", "/views/Note")).body.results).map(({ name }) => name);
    expect((await save(guest, "mine")).body).toMatchObject({
      name: "mine",
      isOwn: true,
      isShared: false,
      view,
    });
    expect(await save(guest, "public", true)).toMatchObject({ status: 403, body: { code: 119 } });
    const shared = await save(editor, "open", true);
    await save(editor, "mine");
    expect(await namesOf(guest)).toEqual(["mine", "open"]);
    expect(await namesOf(owner)).toEqual(["open"]);
    expect((await owner.request("GET", "/views/Other")).body).toEqual({ results: [] });

    await save(guest, "mine", false, { filter: [] });
    const [own] = listOf((await guest.request("GET", "/views/Note")).body.results);
    expect(own).toMatchObject({ name: "mine", view: { filter: [] } });
    const removal = (operator: StudioClient, id: unknown) => operator.request("DELETE", `/views/Note/${id}`);
    expect((await removal(guest, shared.body.id)).status).toBe(404);
    expect((await removal(owner, own?.id)).status).toBe(404);
    expect((await removal(guest, own?.id)).status).toBe(200);
    expect((await removal(owner, shared.body.id)).status).toBe(200);
    expect(await namesOf(guest)).toEqual([]);
    const tooLarge = { filter: [], order: "x".repeat(20_000) };
    expect((await save(editor, "large", false, tooLarge)).body.code).toBe(142);
  });

  it("logs changes, but not previews of them", async () => {
    await rest(purse, "POST", "/schemas/Draft", { fields: { n: { type: "Number" } } }, MASTER);
    const actions = async () =>
      listOf((await owner.request("GET", "/audit")).body.results).map(({ action, target }) => [
        action,
        target,
      ]);
    const before = await actions();
    const edit = { fields: { m: { type: "Number" } } };
    await editor.request("POST", "/schema/classes/Draft/preview", { edit });
    await editor.request("POST", "/data/Draft/import", { format: "json", text: '[{"n":1}]', dryRun: true });
    await editor.request("POST", "/data/Draft/bulk", { action: "delete", where: {}, dryRun: true });
    expect(await actions()).toEqual(before);
    await editor.request("POST", "/data/Draft/import", { format: "json", text: '[{"n":1}]' });
    await editor.request("POST", "/data/Draft/bulk", { action: "delete", where: {} });
    expect((await actions()).slice(0, 2)).toEqual([
      ["POST /data/:className/bulk", "Draft"],
      ["POST /data/:className/import", "Draft"],
    ]);
    await rest(purse, "DELETE", "/schemas/Draft", undefined, MASTER);
  });

  it("lists webhook calls without secrets and replays them", async () => {
    await owner.request("POST", "/hooks", { functionName: "unreachable", url: "http://127.0.0.1:9/x" });
    const requested = await rest(purse, "POST", "/functions/unreachable", { password: "hunter2", a: 1 });
    expect(requested.body.code).toBe(141);
    const { body, text } = await editor.request("GET", "/hook-calls?outcome=failed");
    const [call] = listOf(body.results);
    expect(call).toMatchObject({ hook: "unreachable", isReplay: false, error: expect.any(String) });
    expect(String(call?.request)).toContain('"a":1');
    expect(text).not.toContain("hunter2");
    expect((await editor.request("GET", "/hook-calls?outcome=answered")).body.results).toEqual([]);
    const again = await editor.request("POST", `/hook-calls/${call?.id}/replay`);
    expect(again.body).toMatchObject({ hook: "unreachable", isReplay: true, error: expect.any(String) });
    const page = await editor.request("GET", "/hook-calls?limit=1");
    expect(listOf(page.body.results)).toMatchObject([{ isReplay: true }]);
    const rest2 = await editor.request("GET", `/hook-calls${query({ after: String(page.body.next) })}`);
    expect(listOf(rest2.body.results)).toMatchObject([{ id: call?.id }]);
    await editor.request("DELETE", "/hooks/functions/unreachable");
    expect((await editor.request("POST", `/hook-calls/${call?.id}/replay`)).status).toBe(404);
    expect((await editor.request("POST", "/hook-calls/nothing/replay")).status).toBe(404);
    expect((await editor.request("GET", "/hook-calls?outcome=other")).status).toBe(400);
  });

  it("tests webhooks, tells operators why one cannot be called, and shows the key only to owners", async () => {
    const hook = { functionName: "closed", url: "http://127.0.0.1:9/x" };
    const tested = await editor.request("POST", "/hooks/test", hook);
    expect(tested.body).toMatchObject({
      hook: "closed",
      isTest: true,
      isReplay: false,
      request: expect.stringContaining('"isTest":true'),
      error: expect.stringContaining("port"),
    });
    expect((await editor.request("GET", "/hooks")).body).toEqual({ functions: [], triggers: [] });
    expect((await guest.request("POST", "/hooks/test", hook)).status).toBe(403);
    const other = { ...hook, url: "file:///etc/passwd" };
    expect((await editor.request("POST", "/hooks/test", other)).body.code).toBe(143);

    await editor.request("POST", "/hooks", hook);
    const message = "The webhook could not be called.";
    const run = await editor.request("POST", "/functions/closed", {});
    expect(run.body.error).toEqual({ code: 141, error: message, reason: expect.stringContaining("port") });
    expect((await rest(purse, "POST", "/functions/closed", {})).body).toEqual({ code: 141, error: message });
    await editor.request("DELETE", "/hooks/functions/closed");

    expect((await guest.request("GET", "/hooks/settings")).body).toMatchObject({
      isSigned: true,
      timeoutMs: expect.any(Number),
      deliveries: { attempts: 45 },
    });
    expect((await editor.request("POST", "/hooks/key")).status).toBe(403);
    expect((await owner.request("POST", "/hooks/key")).body).toEqual({ webhookKey: WEBHOOK_KEY });
    expect((await owner.request("GET", "/audit")).text).not.toContain(WEBHOOK_KEY);
  });

  it("pins and unpins IPFS content", async () => {
    const saved = await envelope(purse, "/files/hello.txt", {
      base64: Buffer.from("hello").toString("base64"),
      _ContentType: "text/plain",
      _MasterKey: purse.masterKey,
      fileData: { ipfs: true },
    });
    const cid = String(saved.body.hash);
    expect(listOf((await editor.request("GET", "/pins")).body.results)).toMatchObject([{ cid }]);
    expect((await editor.request("DELETE", `/pins/${cid}`)).status).toBe(200);
    expect((await editor.request("DELETE", `/pins/${cid}`)).status).toBe(404);
    expect((await editor.request("POST", "/pins", { cid: "nothing" })).body.code).toBeGreaterThan(0);
  });

  it("counts the recipients of a push, and reports a missing push service", async () => {
    const install = (fields: JsonObject) => rest(purse, "POST", "/installations", fields, MASTER);
    await install({ installationId: "one", deviceType: "ios", deviceToken: "a".repeat(64) });
    await install({ installationId: "two", deviceType: "web" });
    expect((await editor.request("GET", "/push/audience")).body).toEqual({ installations: 2, reachable: 1 });
    const where = { deviceType: "web" };
    expect((await editor.request("GET", `/push/audience${query({ where })}`)).body).toEqual({
      installations: 1,
      reachable: 0,
    });
    expect((await editor.request("POST", "/push", { where: {}, data: { alert: "hi" } })).body.code).toBe(115);
  });

  it("changes config parameters with a history, and restores earlier values", async () => {
    await editor.request("PUT", "/config", { params: { a: 1, b: "x" }, masterKeyOnly: { b: true } });
    await editor.request("PUT", "/config", { params: { a: 2, c: [1] } });
    const { body } = await editor.request("GET", "/config");
    expect(body.results).toEqual(
      expect.arrayContaining([
        { name: "a", value: 2, type: "Number", isMasterKeyOnly: false },
        { name: "b", value: "x", type: "String", isMasterKeyOnly: true },
        { name: "c", value: [1], type: "Array", isMasterKeyOnly: false },
      ]),
    );
    const [last] = listOf((await editor.request("GET", "/config/history")).body.results);
    expect(last).toMatchObject({ username: "edith", params: { a: 1, b: "x" } });
    expect((await editor.request("POST", `/config/rollback/${last?.id}`, {})).status).toBe(200);
    expect((await rest(purse, "GET", "/config", undefined, MASTER)).body.params).toEqual({ a: 1, b: "x" });
    expect((await rest(purse, "GET", "/config")).body.params).toEqual({ a: 1 });
    expect((await editor.request("POST", "/config/rollback/nothing", {})).status).toBe(404);
  });

  it("says who changed the config in which way, also without the studio", async () => {
    await editor.request("PUT", "/config", { params: { tone: "low", pitch: 1 } });
    await rest(purse, "PUT", "/config", { params: { tone: "changed by an app" } }, MASTER);
    await editor.request("PUT", "/config", { params: { pitch: { __op: "Delete" } } });
    const { body } = await guest.request("GET", "/config/history");
    expect(listOf(body.results).slice(0, 3)).toMatchObject([
      {
        username: "edith",
        params: { tone: "changed by an app", pitch: 1 },
        change: { names: ["pitch"], params: {} },
      },
      {
        username: "master key",
        params: { tone: "low", pitch: 1 },
        change: { names: ["tone"], params: { tone: "changed by an app" } },
      },
      { params: {}, change: { names: ["tone", "pitch"], params: { tone: "low", pitch: 1 } } },
    ]);
  });

  it("shows mails of the outbox and no other files", async () => {
    expect((await editor.request("POST", "/mail/test", { to: "ada@example.org" })).status).toBe(200);
    const { body } = await editor.request("GET", "/mail");
    const [mail] = listOf(body.results);
    expect(mail).toMatchObject({ to: "ada@example.org", subject: "A test" });
    expect(String((await editor.request("GET", `/mail/outbox/${mail?.file}`)).body.text)).toContain(
      "Mails of the server",
    );
    for (const file of ["..%2Fpurse.sqlite", "..%2F..%2Fkeys.json", "x.eml", "%00.eml"]) {
      expect((await editor.request("GET", `/mail/outbox/${file}`)).status, file).toBe(404);
    }
    expect((await editor.request("POST", "/mail/test", { to: "a@b.c, d@e.f" })).body.code).toBe(125);
  });

  it("edits and resets mail templates, and rejects invalid ones", async () => {
    const path = "/mail/templates/passwordReset";
    const template = {
      subject: "A new password for {{username}}",
      text: "Here: {{link}}",
      html: '<a href="{{link}}">Here, {{username}}</a>',
    };
    expect((await guest.request("PUT", path, { template })).status).toBe(403);
    expect((await guest.request("DELETE", path)).status).toBe(403);
    for (const broken of [
      { ...template, text: "no link" },
      { ...template, subject: "two\r\nlines" },
      { ...template, html: "{{link}} {{sessionToken}}" },
    ]) {
      expect((await editor.request("PUT", path, { template: broken })).body.code).toBe(102);
    }
    expect((await editor.request("PUT", "/mail/templates/other", { template })).status).toBe(404);
    const { body } = await editor.request("PUT", path, { template });
    expect(body).toMatchObject({ name: "passwordReset", template, writtenBy: "edith" });
    expect(listOf((await guest.request("GET", "/mail/templates")).body.results)).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "passwordReset", template })]),
    );

    const email = `reset-${Date.now()}@example.org`;
    const { username } = await signUp(purse, { email });
    const mails = async () =>
      listOf((await editor.request("GET", "/mail")).body.results).filter(({ to }) => to === email);
    /** Waits for a number of mails and returns the newest, because a reset responds before its mail is sent. */
    const requestReset = async (n: number) => {
      await rest(purse, "POST", "/requestPasswordReset", { email });
      await expect.poll(async () => (await mails()).length).toBe(n);
      const [mail] = await mails();
      const whole = await editor.request("GET", `/mail/outbox/${mail?.file}`);
      const text = String(whole.body.text).replaceAll(/=\r?\n/g, "");
      return { ...mail, text };
    };
    const written = await requestReset(1);
    expect(written).toMatchObject({ subject: `A new password for ${username}` });
    expect(written.text).toContain(`Here, ${username}</a>`);
    expect((await editor.request("POST", `${path}/test`, { to: "me@example.org", template })).status).toBe(
      200,
    );
    expect((await editor.request("DELETE", path)).body.writtenBy).toBeUndefined();
    expect(await requestReset(2)).toMatchObject({ subject: expect.stringMatching(/^Password Reset/) });
    const trail = (await owner.request("GET", "/audit")).text;
    expect(trail).toContain("A new password for {{username}}");
  });

  it("creates and revokes API keys, which are shown once", async () => {
    const made = await owner.request("POST", "/keys", { name: "shop", limit: 100 });
    expect(made.status).toBe(201);
    const key = String(made.body.key);
    const { body, text } = await editor.request("GET", "/keys");
    expect(body.results).toMatchObject([{ name: "shop", limit: 100, usedThisMinute: 0 }]);
    expect(text).not.toContain(key);
    expect((await owner.request("GET", "/audit")).text).not.toContain(key);
    expect((await owner.request("POST", "/keys", { name: "shop" })).body.code).toBe(142);
    const ask = () => fetch(`${purse.url}/api/v2/info/endpointWeights`, { headers: { "x-api-key": key } });
    await Promise.all([ask(), ask(), ask()]);
    const hours = listOf((await editor.request("GET", "/keys/usage")).body.results);
    expect(hours).toHaveLength(48);
    await ask();
    const now = listOf((await editor.request("GET", "/keys/usage")).body.results).slice(-2);
    expect(
      now
        .flatMap(({ requests }) => Object.values(Object(requests)))
        .map(Number)
        .reduce((a, b) => a + b, 0),
    ).toBe(4);
    expect((await owner.request("DELETE", `/keys/${made.body.id}`)).body.revokedAt).toBeTruthy();
  });

  // It waits until the end of a session is noticed, for five seconds, and does not depend on the database.
  it.runIf(runsEveryCase(database))(
    "shows the status of the server, and streams its log while the session lasts",
    async () => {
      const { body } = await editor.request("GET", "/overview");
      expect(listOf(body.points).at(-1)).toMatchObject({
        requests: expect.any(Number),
        memoryBytes: expect.any(Number),
      });
      expect((await editor.request("GET", "/chains")).body).toEqual({ results: [] });
      expect((await editor.request("GET", "/slow-requests")).status).toBe(200);
      const path = "/server/classes/_ApiKey";
      await fetch(purse.url + path, { headers: { "x-parse-application-id": purse.appId } });
      await expect
        .poll(async () => listOf((await editor.request("GET", "/requests?kind=refused")).body.results))
        .toContainEqual(expect.objectContaining({ method: "GET", path, requestId: expect.any(String) }));
      const classes = listOf((await editor.request("GET", "/schema")).body.results);
      const internal = classes.flatMap((each) => (Object(each).isInternal ? [Object(each).className] : []));
      expect(internal).toContain("_ApiKey");
      expect(internal).not.toContain("_User");
      const guest = await addOperator(owner, "guest", "readOnly");
      const response = await fetch(`${purse.url}/studio/api/logs/tail?text=greets`, {
        headers: { cookie: guest.cookie ?? "" },
      });
      let delivered = "";
      const ended = (async () => {
        for await (const piece of response.body ?? []) delivered += new TextDecoder().decode(piece);
      })();
      await editor.request("POST", "/functions/greet", { params: { name: "Grace" } });
      await expect.poll(() => delivered).toContain('"name":"Grace"');
      await guest.request("DELETE", "/session");
      await ended;
    },
  );

  const backedUp = () =>
    expect
      .poll(async () => (await owner.request("GET", "/backups")).body.isRunning, { timeout: 20_000 })
      .toBe(false);

  /** How a backup begins. */
  const signature = database === "SQLite" ? Buffer.from("SQLite format 3") : Buffer.from([0x1f, 0x8b]);

  it("creates backups of a running database", async () => {
    const begun = await owner.request("POST", "/backups", {});
    expect(begun.status).toBe(202);
    await backedUp();
    const { body } = await owner.request("GET", "/backups");
    expect(body.backups).toMatchObject([{ file: begun.body.file, sizeBytes: expect.any(Number) }]);
    const delivered = await fetch(`${purse.url}/studio/api/backups/${begun.body.file}`, {
      headers: { cookie: owner.cookie ?? "" },
    });
    expect(Buffer.from(await delivered.arrayBuffer()).subarray(0, signature.length)).toEqual(signature);
    expect((await owner.request("GET", "/backups/..%2Fpurse.sqlite")).status).toBe(404);
    const copy = await readFile(join(purse.dataDir, "backups", String(begun.body.file)));
    expect(copy.subarray(0, signature.length)).toEqual(signature);
  });

  it("has a schedule of backups, which only owners change", async () => {
    const change = { cron: "0 3 * * *", keep: 7 };
    expect((await editor.request("PUT", "/backup-schedule", change)).status).toBe(403);
    expect((await owner.request("PUT", "/backup-schedule", { ...change, cron: "daily" })).body.code).toBe(
      142,
    );
    expect((await owner.request("PUT", "/backup-schedule", change)).body).toMatchObject(change);
    const { body } = await owner.request("GET", "/backups");
    expect(body).toMatchObject({ schedule: change, sendsAlerts: false });
    expect((await owner.request("DELETE", "/backup-schedule")).status).toBe(200);
    expect((await owner.request("GET", "/backups")).body.schedule).toBeUndefined();
  });

  /** Uploads a file in chunks, like the studio. */
  async function upload(bytes: Buffer, pieceBytes = 100_000) {
    const { body, status } = await owner.request("POST", "/backup-uploads", { sizeBytes: bytes.length });
    expect(status).toBe(201);
    for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
      const sent = await fetch(`${purse.url}/studio/api/backup-uploads/${body.id}?offset=${offset}`, {
        method: "PUT",
        headers: {
          cookie: owner.cookie ?? "",
          "x-purse-csrf": owner.csrf ?? "",
          "content-type": "application/octet-stream",
        },
        body: new Uint8Array(bytes.subarray(offset, offset + pieceBytes)),
      });
      expect(sent.status).toBe(200);
    }
    return owner.request("POST", `/backup-uploads/${body.id}/finish`, {});
  }

  const notes = async () =>
    listOf((await rest(purse, "GET", "/classes/Kept?order=at", undefined, MASTER)).body.results).map(
      ({ at }) => at,
    );
  /** Waits for a restore and returns its result. */
  const ended = async () => {
    try {
      const { body } = await owner.request("GET", "/backups");
      return body.restoring === undefined ? JSON.parse(JSON.stringify(body)) : undefined;
    } catch {
      // The server does not respond for some seconds.
      return undefined;
    }
  };
  const keep = (at: string) => rest(purse, "POST", "/classes/Kept", { at }, MASTER);

  it("restores a backup while it is in use, except for operators and the audit log", async () => {
    await keep("before");
    const then = await notes();
    const { body: made } = await owner.request("POST", "/backups", {});
    await backedUp();
    await keep("after");
    const newcomer = await addOperator(owner, `new-${Date.now()}`, "editor");
    const copy = await readFile(join(purse.dataDir, "backups", String(made.file)));

    expect((await upload(Buffer.from("no database at all"))).body.code).toBe(102);
    expect((await upload(Buffer.concat([copy.subarray(0, 5_000), Buffer.alloc(60_000, 7)]))).status).toBe(
      400,
    );
    const brought = await upload(copy);
    expect(brought.status).toBe(201);
    const file = String(brought.body.file);
    expect((await editor.request("POST", `/backups/${file}/restore`, {})).status).toBe(403);
    expect((await owner.request("POST", "/backups/purse-nothing/restore", {})).status).toBe(404);
    expect((await owner.request("POST", `/backups/${file}/restore`, {})).status).toBe(202);

    await expect
      .poll(ended, { timeout: 30_000 })
      .toMatchObject({ lastRestore: { file, username: "ada", outcome: "done" } });
    const { lastRestore, backups } = await ended();
    expect(listOf(backups)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file, origin: "uploaded" }),
        expect.objectContaining({ file: lastRestore.keptAs, origin: "beforeRestore" }),
      ]),
    );
    expect(await notes()).toEqual(then);
    // A restore keeps operators, their sessions and the audit log.
    expect((await newcomer.request("GET", "/state")).body.state).toBe("signedIn");
    // The audit log is available once the server has started completely.
    const trail = async () => listOf((await owner.request("GET", "/audit")).body.results);
    await expect.poll(trail, { timeout: 15_000 }).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "backup restored", target: file, outcome: "done" }),
        expect.objectContaining({
          action: "POST /backups/:file/restore",
          username: "ada",
          outcome: "done",
        }),
      ]),
    );
    expect((await keep("later")).status).toBe(201);
    expect((await owner.request("DELETE", `/backups/${file}`)).status).toBe(200);
    expect((await owner.request("GET", `/backups/${file}`)).status).toBe(404);
  });

  it("continues with the old database if the server does not start with a backup", async () => {
    // A file that breaks the start is easily made of SQLite only.
    if (database === "PostgreSQL") return;
    await keep("still here");
    const then = await notes();
    const { body: made } = await owner.request("POST", "/backups", {});
    await backedUp();
    const copy = join(folder, "broken.sqlite");
    await writeFile(copy, await readFile(join(purse.dataDir, "backups", String(made.file))));
    const broken = new Database(copy);
    broken.prepare("UPDATE purse_classes SET schema = '{' WHERE class_name = '_User'").run();
    broken.pragma("journal_mode = DELETE");
    broken.close();
    const brought = await upload(await readFile(copy));
    const file = String(brought.body.file);
    expect((await owner.request("POST", `/backups/${file}/restore`, {})).status).toBe(202);
    await expect.poll(ended, { timeout: 30_000 }).toMatchObject({
      lastRestore: { file, outcome: "failed", error: expect.stringContaining("failed to start") },
    });
    expect(await notes()).toEqual(then);
    expect((await keep("and writes")).status).toBe(201);
  });
});
