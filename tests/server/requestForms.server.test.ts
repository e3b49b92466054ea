import { mkdtempSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const basic = (credentials: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
});

interface Reply {
  status: number;
  body: JsonObject;
}

async function send(
  purse: Purse,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Reply> {
  const response = await fetch(`${purse.serverUrl}${path}`, { method, headers, ...(body && { body }) });
  return { status: response.status, body: await response.json() };
}

describe("HTTP Basic credentials", () => {
  let purse: Purse;
  beforeAll(async () => {
    const cloud = `Parse.Cloud.define("headers", ({ headers, master }) => ({ ...headers, isMaster: master }));`;
    const folder = mkdtempSync(join(tmpdir(), "purse-forms-"));
    writeFileSync(join(folder, "cloud.mjs"), cloud);
    purse = await hostPurse({
      env: { PURSE_CLOUD: join(folder, "cloud.mjs") },
    });
    await rest(purse, "POST", "/classes/Thing", { n: 1 });
  });
  afterAll(() => purse.remove());

  it.each(["javascript-key=abc", ""])("with appId:%s identify the application only", async (key) => {
    const credentials = basic(`${purse.appId}:${key}`);
    expect((await send(purse, "GET", "/classes/Thing", credentials)).status).toBe(200);
    expect((await send(purse, "POST", "/classes/Thing", credentials, '{"n":2}')).status).toBe(201);
    expect((await send(purse, "GET", "/schemas", credentials)).status).toBe(403);
    const uploaded = await send(purse, "POST", "/files/a.txt", credentials, "text");
    expect(uploaded.status).not.toBe(403);
  });

  it("with appId:masterKey grant the master key on every route, for any case of the scheme", async () => {
    const credentials = basic(`${purse.appId}:${purse.masterKey}`);
    for (const path of ["/schemas", "/classes/_Installation", "/serverInfo"]) {
      expect((await send(purse, "GET", path, credentials)).status).toBe(200);
      const lower = { authorization: String(credentials.Authorization).replace("Basic", "bAsIc") };
      expect((await send(purse, "GET", path, lower)).status).toBe(200);
    }
    expect((await send(purse, "POST", "/files/b.txt", credentials, "text")).status).toBe(201);
  });

  it("with appId:masterKey are hidden from cloud code", async () => {
    const credentials = basic(`${purse.appId}:${purse.masterKey}`);
    const { body } = await send(purse, "POST", "/functions/headers", credentials, "{}");
    expect(body.result).toMatchObject({ isMaster: true });
    expect(JSON.stringify(body)).not.toContain(String(credentials.Authorization).slice(6));
    expect(JSON.stringify(body)).not.toContain(purse.masterKey);
  });

  it.each([
    ["a wrong key", (appId: string) => `${appId}:wrong`],
    ["another application", () => "other:test-master-key"],
    ["a third part", (appId: string) => `${appId}:test-master-key:x`],
    ["no colon", (appId: string) => appId],
  ])("with %s are rejected with 403", async (_what, credentialsOf) => {
    const { status, body } = await send(purse, "GET", "/schemas", basic(credentialsOf(purse.appId)));
    const hint = expect.stringMatching(/master key|application id/);
    expect([status, body]).toEqual([403, { code: 119, error: "unauthorized", hint }]);
  });

  it("with the master key are ignored in cross-site requests of browsers", async () => {
    for (const site of ["cross-site", "same-site"]) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { ...basic(`${purse.appId}:${purse.masterKey}`), "Sec-Fetch-Site": site };
        httpRequest(`${purse.serverUrl}/schemas`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
      expect(status).toBe(403);
    }
  });
});

describe("HTTP Basic credentials from an address that may not use the master key", () => {
  it("are rejected with 403 like the header", async () => {
    const purse = await hostPurse({ env: { PURSE_MASTER_KEY_IPS: "192.0.2.1" } });
    const reply = await send(purse, "GET", "/schemas", basic(`${purse.appId}:${purse.masterKey}`));
    expect([reply.status, reply.body.code]).toEqual([403, 119]);
    await purse.remove();
  });
});

describe("a server with client keys", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({
      env: {
        PURSE_CLIENT_KEY: "client",
        PURSE_JAVASCRIPT_KEY: "javascript",
        PURSE_REST_API_KEY: "rest",
        PURSE_DOT_NET_KEY: "windows",
      },
    });
  });
  afterAll(() => purse.remove());

  const HEADERS = {
    "X-Parse-Client-Key": "client",
    "X-Parse-Javascript-Key": "javascript",
    "X-Parse-REST-API-Key": "rest",
    "X-Parse-Windows-Key": "windows",
  };

  it.each(Object.entries(HEADERS))("accepts %s: %s", async (name, key) => {
    const headers = { "X-Parse-Application-Id": purse.appId, [name]: key };
    expect((await send(purse, "GET", "/classes/Thing", headers)).status).toBe(200);
    const wrong = { ...headers, [name]: `${key}x` };
    expect((await send(purse, "GET", "/classes/Thing", wrong)).status).toBe(403);
  });

  it("accepts a key in the body, with HTTP Basic, and the master key alone", async () => {
    const body = JSON.stringify({
      _ApplicationId: purse.appId,
      _JavaScriptKey: "javascript",
      _method: "GET",
    });
    expect((await send(purse, "POST", "/classes/Thing", {}, body)).status).toBe(200);
    const credentials = basic(`${purse.appId}:javascript-key=javascript`);
    expect((await send(purse, "GET", "/classes/Thing", credentials)).status).toBe(200);
    const master = basic(`${purse.appId}:${purse.masterKey}`);
    expect((await send(purse, "GET", "/classes/Thing", master)).status).toBe(200);
  });

  it.each([
    ["GET", "/classes/Thing"],
    ["POST", "/classes/Thing"],
    ["POST", "/users"],
    ["POST", "/batch"],
    ["POST", "/functions/hello"],
    ["POST", "/files/a.txt"],
    ["DELETE", "/files/a.txt"],
  ])("rejects %s %s without a key or with a key of another kind", async (method, path) => {
    const wrong: Record<string, string>[] = [{}, { "X-Parse-Client-Key": "rest" }];
    for (const headers of wrong) {
      const all = { "X-Parse-Application-Id": purse.appId, ...headers };
      const reply = await send(purse, method, path, all, method === "POST" ? "{}" : undefined);
      const hint = expect.stringContaining("PURSE_CLIENT_KEY");
      expect([reply.status, reply.body]).toEqual([403, { code: 119, error: "unauthorized", hint }]);
    }
  });
});

describe("a compressed body", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({
      env: { PURSE_MAX_BODY_BYTES: "2000000", PURSE_MAX_ANONYMOUS_BODY_BYTES: "1000000" },
    });
  });
  afterAll(() => purse.remove());

  const ENCODINGS: [string, (text: string) => Buffer][] = [
    ["gzip", gzipSync],
    ["GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", Buffer.from],
  ];
  const sendEncoded = (path: string, encoding: string, body: Buffer, headers = {}): Promise<Reply> =>
    send(
      purse,
      "POST",
      path,
      { "X-Parse-Application-Id": purse.appId, "Content-Encoding": encoding, ...headers },
      new Uint8Array(body),
    );

  it.each(ENCODINGS)("is decompressed with Content-Encoding: %s", async (encoding, compress) => {
    const created = await sendEncoded("/classes/Thing", encoding, compress('{"n":9}'));
    expect(created.status).toBe(201);
    const { body } = await rest(purse, "GET", `/classes/Thing/${created.body.objectId}`);
    expect(body.n).toBe(9);
    const upload = await sendEncoded("/files/a.txt", encoding, compress("the text"), {
      "X-Parse-Master-Key": purse.masterKey,
      "Content-Type": "text/plain",
    });
    expect(upload.status).toBe(201);
    expect(await (await fetch(String(upload.body.url))).text()).toBe("the text");
  });

  it.each(["zip", "gzip, br", "compress"])(
    "is rejected with 415 with Content-Encoding: %s",
    async (encoding) => {
      for (const path of ["/classes/Thing", "/users", "/files/a.txt"]) {
        const credentials = { "X-Parse-Master-Key": purse.masterKey };
        const reply = await sendEncoded(path, encoding, gzipSync("{}"), credentials);
        expect([reply.status, reply.body.code]).toEqual([415, 107]);
      }
    },
  );

  it("is rejected with 400 if it is corrupt or truncated", async () => {
    for (const body of [Buffer.from('{"n":9}'), gzipSync(`{"n":"${"9".repeat(1_000)}"}`).subarray(0, -12)]) {
      const reply = await sendEncoded("/classes/Thing", "gzip", body);
      expect([reply.status, reply.body]).toEqual([
        400,
        { code: 107, error: "The body could not be decompressed" },
      ]);
    }
  });

  it("is rejected with 413 above the decompressed size limit of its sender", async () => {
    const text = (bytes: number) => gzipSync(`{"t":"${" ".repeat(bytes)}"}`);
    const master = { "X-Parse-Master-Key": purse.masterKey };
    const wrongToken = { "X-Parse-Session-Token": "r:wrong" };
    const statuses = await Promise.all([
      sendEncoded("/classes/Thing", "gzip", text(1_500_000), master),
      sendEncoded("/classes/Thing", "gzip", text(2_500_000), master),
      sendEncoded("/classes/Thing", "gzip", text(1_500_000)),
      sendEncoded("/classes/Thing", "gzip", text(1_500_000), wrongToken),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([201, 413, 413, 413]);
  });

  it("that would exhaust the memory is rejected before it is fully decompressed", async () => {
    const bomb = brotliCompressSync(Buffer.alloc(512 * 1024 * 1024, " "), {
      params: { 1: 1 },
    });
    const master = { "X-Parse-Master-Key": purse.masterKey };
    for (const path of ["/classes/Thing", "/batch"]) {
      expect((await sendEncoded(path, "br", bomb, master)).status).toBe(413);
    }
    expect((await fetch(`${purse.url}/health`)).status).toBe(200);
  });
});

describe("empty arrays instead of objects, as PHP encodes them,", () => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-empty-"));
    writeFileSync(
      join(folder, "cloud.mjs"),
      `Parse.Cloud.define("params", ({ params }) => Object.keys(params));`,
    );
    purse = await hostPurse({
      env: { PURSE_CLOUD: join(folder, "cloud.mjs") },
    });
  });
  afterAll(() => purse.remove());

  const asMaster = async (method: string, path: string, body: unknown) =>
    send(
      purse,
      method,
      path,
      { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey },
      JSON.stringify(body),
    );

  it("are accepted as bodies, alone and in batches", async () => {
    expect((await asMaster("POST", "/classes/Empty", [])).status).toBe(201);
    expect((await asMaster("POST", "/functions/params", [])).body).toEqual({ result: [] });
    const batch = await asMaster("POST", "/batch", {
      requests: [{ method: "POST", path: "/server/classes/Empty", body: [] }],
    });
    expect(batch.body).toMatchObject([{ success: { objectId: expect.any(String) } }]);
  });

  it("are accepted as fields, indexes and class-level permissions", async () => {
    const created = await asMaster("POST", "/schemas/Drawn", {
      className: "Drawn",
      fields: [],
      indexes: [],
      classLevelPermissions: { find: [], get: { "*": true }, protectedFields: [] },
    });
    expect(created.status).toBe(200);
    expect(created.body.classLevelPermissions).toMatchObject({
      find: {},
      get: { "*": true },
      protectedFields: {},
    });
    expect(
      (await asMaster("PUT", "/schemas/Drawn", { className: "Drawn", fields: [], indexes: [] })).status,
    ).toBe(200);
  });

  it("are accepted as conditions", async () => {
    const found = await asMaster("GET", "/classes/Empty?where=[]&limit=0&count=1", undefined);
    expect(found).toMatchObject({ status: 200, body: { count: 2 } });
  });

  it("are rejected if they have items", async () => {
    expect(await asMaster("POST", "/classes/Empty", [1])).toMatchObject({ status: 400, body: { code: 107 } });
    expect(await asMaster("GET", "/classes/Empty?where=[1]", undefined)).toMatchObject({
      body: { code: 102 },
    });
  });
});

it("job response headers have the spelling of Parse Server, which some SDKs require", async () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-names-"));
  writeFileSync(join(folder, "cloud.mjs"), `Parse.Cloud.job("rest", () => undefined);`);
  const purse = await hostPurse({ env: { PURSE_CLOUD: join(folder, "cloud.mjs") } });
  try {
    const names = await new Promise<string[]>((resolve, reject) => {
      const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey };
      httpRequest(`${purse.serverUrl}/jobs/rest`, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.rawHeaders);
      })
        .on("error", reject)
        .end("{}");
    });
    expect(names).toContain("X-Parse-Job-Status-Id");
  } finally {
    await purse.remove();
  }
});

it("errors of a server in development have a hint, which is logged once", async () => {
  const purse = await hostPurse();
  try {
    const headers = { "X-Parse-Application-Id": purse.appId };
    const withoutServer = { ...purse, serverUrl: purse.url };
    const hint = `The URL of the Parse API is ${purse.serverUrl}.`;
    for (const path of ["/functions/hello", "/classes/Post"])
      expect((await send(withoutServer, "POST", path, headers, "{}")).body).toMatchObject({
        code: 101,
        hint,
      });
    expect(purse.output().split(hint)).toHaveLength(2);
  } finally {
    await purse.remove();
  }
});
