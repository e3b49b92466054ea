import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const KEY = "webhook-key";

interface Heard {
  headers: IncomingHttpHeaders;
  text: string;
  body: JsonObject;
}

/** Starts a webhook server that responds with `reply` and records the requests. */
async function hookServer(): Promise<{
  url: string;
  heard: Heard[];
  reply: { status: number; body: string; headers: Record<string, string>; isSilent: boolean };
  server: Server;
}> {
  const heard: Heard[] = [];
  const reply = { status: 200, body: "{}", headers: {}, isSilent: false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    const body: unknown = JSON.parse(text);
    heard.push({ headers: request.headers, text, body: isJsonObject(body) ? body : {} });
    if (reply.isSilent) return;
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, heard, reply, server };
}

describe.each(DATABASES)("webhooks on %s", (database) => {
  let purse: Purse;
  let other: Awaited<ReturnType<typeof hookServer>>;
  beforeAll(async () => {
    other = await hookServer();
    const env = {
      ...(await databaseEnv(database)),
      PURSE_WEBHOOK_KEY: KEY,
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
      PURSE_FUNCTION_TIMEOUT_MS: "500",
    };
    purse = await hostPurse({ env });
  });
  afterEach(() => {
    other.heard.splice(0);
    Object.assign(other.reply, { status: 200, body: "{}", headers: {}, isSilent: false });
  });
  afterAll(async () => {
    other?.server.closeAllConnections();
    other?.server.close();
    await purse?.remove();
  });

  const hooks = (method: string, path: string, body?: object, credentials: object = MASTER) =>
    rest(purse, method, `/hooks/${path}`, body, credentials);
  const call = async (name: string, params = {}, credentials = {}) =>
    (await rest(purse, "POST", `/functions/${name}`, params, credentials)).body;

  it("are created, updated and deleted with the master key", async () => {
    const { url } = other;
    const declared = { functionName: "far", url };
    expect((await hooks("POST", "functions", declared)).body).toEqual(declared);
    expect((await hooks("POST", "functions", declared)).body).toEqual({
      code: 143,
      error: "function name: far already exists",
    });
    expect((await hooks("GET", "functions/far")).body).toEqual(declared);
    expect((await hooks("GET", "functions")).body).toEqual([declared]);
    const changed = { functionName: "far", url: `${url}/2` };
    expect((await hooks("PUT", "functions/far", { url: changed.url })).body).toEqual(changed);
    expect((await hooks("PUT", "functions/far", { __op: "Delete" })).body).toEqual({});
    expect((await hooks("GET", "functions/far")).body).toEqual({
      code: 143,
      error: "no function named: far is defined",
    });
    expect((await hooks("PUT", "functions/far", { url })).body.code).toBe(143);
    const trigger = { className: "Thing", triggerName: "beforeSave", url };
    expect((await hooks("POST", "triggers", trigger)).body).toEqual(trigger);
    expect((await hooks("POST", "triggers", trigger)).body).toEqual({
      code: 143,
      error: "class Thing already has trigger beforeSave",
    });
    expect((await hooks("GET", "triggers")).body).toEqual([trigger]);
    expect((await hooks("GET", "triggers/Thing/beforeSave")).body).toEqual(trigger);
    expect((await hooks("DELETE", "triggers/Thing/beforeSave")).body).toEqual({});
    expect((await hooks("GET", "triggers/Thing/beforeSave")).body).toEqual({
      code: 143,
      error: "class Thing does not exist",
    });
  });

  it.each([
    {},
    { functionName: "a" },
    { functionName: "a", url: "ftp://example.org" },
    { functionName: "a b", url: "http://example.org" },
    { className: "Thing", triggerName: "beforeLunch", url: "http://example.org" },
    { className: "_Nope", triggerName: "beforeSave", url: "http://example.org" },
  ])("reject the invalid declaration %j", async (hook) => {
    expect((await hooks("POST", "functions", hook)).body).toEqual({
      code: 143,
      error: "invalid hook declaration",
    });
  });

  it("are inaccessible without the master key", async () => {
    const ada = await signUp(purse);
    expect((await hooks("GET", "functions", undefined, ada)).status).toBe(403);
    expect((await hooks("POST", "functions", { functionName: "x", url: other.url }, ada)).status).toBe(403);
  });

  describe("of functions", () => {
    beforeAll(() => hooks("POST", "functions", { functionName: "far", url: other.url }));

    it("receive signed requests without the session token", async () => {
      const ada = await signUp(purse);
      other.reply.body = '{"success":{"sum":3}}';
      expect(await call("far", { a: 1, b: 2 }, ada)).toEqual({ result: { sum: 3 } });
      const [{ headers, text, body } = { headers: {}, text: "", body: {} }] = other.heard;
      expect(body).toMatchObject({
        master: false,
        functionName: "far",
        params: { a: 1, b: 2 },
        user: { objectId: ada.id, className: "_User" },
      });
      expect(text).not.toContain(ada.sessionToken);
      expect(headers["x-parse-webhook-key"]).toBe(KEY);
      const [, time = "", signature] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-purse-signature"])) ?? [];
      expect(Math.abs(Number(time) * 1000 - Date.now())).toBeLessThan(60_000);
      expect(createHmac("sha256", KEY).update(`${time}.${text}`).digest("hex")).toBe(signature);
    });

    it.each<[string, Partial<typeof other.reply>, object]>([
      ["an error", { body: '{"error":"too late"}' }, { code: 141, error: "too late" }],
      [
        "an error with a code",
        { body: '{"error":{"code":101,"error":"gone"}}' },
        { code: 101, error: "gone" },
      ],
      ["invalid JSON", { body: "<html>" }, { code: 141, error: "Malformed response" }],
      ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1" } }, { code: 141 }],
      [
        "nothing until the timeout",
        { isSilent: true },
        { code: 141, error: "The webhook could not be called." },
      ],
      ["an oversized body", { body: `{"success":"${"x".repeat(25_000_000)}"}` }, { code: 141 }],
    ])("that respond with %s fail", { tags: ["8.code.141"] }, async (_, reply, answer) => {
      Object.assign(other.reply, reply);
      expect(await call("far")).toMatchObject(answer);
    });
  });

  it("of triggers change or reject saved objects", async () => {
    await hooks("POST", "triggers", { className: "Post", triggerName: "beforeSave", url: other.url });
    other.reply.body = '{"success":{"title":"new","n":2,"objectId":"forged"}}';
    const { body } = await rest(purse, "POST", "/classes/Post", { title: "old", kept: 1 });
    expect(body).toMatchObject({ title: "new", n: 2 });
    expect((await rest(purse, "GET", `/classes/Post/${body.objectId}`)).body).toMatchObject({
      title: "new",
      n: 2,
      kept: 1,
    });
    expect(other.heard[0]?.body).toMatchObject({
      triggerName: "beforeSave",
      object: { className: "Post", title: "old", kept: 1 },
    });
    other.reply.body = '{"error":"not now"}';
    const refused = await rest(purse, "POST", "/classes/Post", { title: "old" });
    expect(refused.body).toEqual({ code: 141, error: "not now" });
  });
});

describe("webhooks to the internal network (case 31)", () => {
  let purse: Purse;
  let names = 0;
  beforeAll(async () => {
    purse = await hostPurse();
  });
  afterAll(() => purse?.remove());

  it.each([
    "http://127.0.0.1:1337/",
    "http://localhost:1337/",
    "http://[::1]:1337/",
    "http://[::ffff:127.0.0.1]/",
    "http://0/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://user:secret@127.0.0.1/",
  ])("are not called: %s", async (url) => {
    const name = `f${++names}`;
    await rest(purse, "POST", "/hooks/functions", { functionName: name, url }, MASTER);
    const { body } = await rest(purse, "POST", `/functions/${name}`, {});
    expect(body).toEqual({ code: 141, error: "The webhook could not be called." });
    expect(purse.output()).not.toContain("ECONNREFUSED");
  });
});
