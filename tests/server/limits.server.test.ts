import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiKeys, loadConfig, openSchemas, openStore } from "@purse/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { envelope, hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

/** An endpoint that needs no node. */
async function ask(purse: Purse, headers: Record<string, string> = {}) {
  const response = await fetch(`${purse.url}/api/v2/web3/version`, { headers });
  const limits = Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith("x-rate-limit")),
  );
  return { status: response.status, body: await response.json(), limits, headers: response.headers };
}

/** Creates API keys in the database of a server that is not running yet. */
async function newKeys(dataDir: string, limits: (number | undefined)[]): Promise<string[]> {
  const store = await openStore({ kind: "sqlite", path: join(dataDir, "purse.sqlite") });
  const { modules } = await loadConfig({ argv: [], env: { PURSE_DATA_DIR: dataDir }, cwd: dataDir });
  const schemas = await openSchemas(store, modules);
  const schemaOf = () => schemas.require("_ApiKey");
  const onError = (error: unknown) => {
    throw error;
  };
  const keys = new ApiKeys({ store, schemaOf, clock: Date.now, onError });
  const made: string[] = [];
  for (const limit of limits) made.push((await keys.create({ limit })).key);
  await store.close();
  return made;
}

const newFolder = () => mkdtempSync(join(tmpdir(), "purse-limits-"));

describe("the rate limits of the data API", () => {
  let purse: Purse;
  let ofThree: string;
  let ofServer: string;
  beforeAll(async () => {
    const dataDir = newFolder();
    [ofThree = "", ofServer = ""] = await newKeys(dataDir, [3, undefined]);
    purse = await hostPurse({
      dataDir,
      env: {
        PURSE_ENV: "production",
        PURSE_REQUIRE_API_KEY: "0",
        PURSE_API_KEY_LIMIT: "20",
        PURSE_ADDRESS_LIMIT: "5",
      },
    });
  });
  afterAll(() => purse?.remove());

  it("are reported in headers of every response, including errors", {
    tags: [
      "9.rate-limit-header.limit",
      "9.rate-limit-header.remaining-ttl",
      "9.rate-limit-header.used",
      "9.rate-limit-header.remaining-ip-ttl",
      "9.rate-limit-header.ip-used",
    ],
  }, async () => {
    const first = await ask(purse, { "X-API-Key": ofServer });
    expect(first.limits).toEqual({
      "x-rate-limit-limit": "20",
      "x-rate-limit-remaining-ttl": expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
      "x-rate-limit-used": "1",
      "x-rate-limit-remaining-ip-ttl": expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
      "x-rate-limit-ip-used": "0",
    });
    const missing = await fetch(`${purse.url}/api/v2/no/such/endpoint`, {
      headers: { "X-API-Key": ofServer },
    });
    expect(missing.status).toBe(404);
    expect(missing.headers.get("x-rate-limit-used")).toBe("2");
    expect(missing.headers.get("access-control-expose-headers")?.toLowerCase()).toContain(
      "x-rate-limit-used",
    );
  });

  it("apply to a key with its own limit, with Retry-After", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(purse, { "X-API-Key": ofThree })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const { body, headers } of refused) {
      expect(body.message).toMatch(/^Too many requests: 3 per minute are allowed/);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    }
    // Another key at the same address is not affected.
    expect((await ask(purse, { "X-API-Key": ofServer })).status).not.toBe(429);
  });

  it("apply per address to requests without a valid key, but not to keys and the master key", async () => {
    const wrong = await Promise.all(
      Array.from({ length: 5 }, (_, i) => ask(purse, { "X-API-Key": `a-key-that-nobody-has-${i}` })),
    );
    expect(wrong.every(({ status }) => status === 401)).toBe(true);
    const after = await ask(purse);
    expect(after.status).toBe(429);
    expect(after.limits["x-rate-limit-ip-used"]).toBe("6");
    // Forwarded headers of a client are ignored.
    expect((await ask(purse, { "X-Forwarded-For": "10.9.8.7" })).status).toBe(429);
    expect((await ask(purse, { "X-API-Key": ofServer })).status).not.toBe(429);
    expect((await ask(purse, { "X-Parse-Master-Key": purse.masterKey })).status).not.toBe(429);
  });

  it("do not apply to localhost in development", async () => {
    const development = await hostPurse({ env: { PURSE_ADDRESS_LIMIT: "2" } });
    try {
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(development)));
      expect(answers.some(({ status }) => status === 429)).toBe(false);
    } finally {
      await development.remove();
    }
  });
});

describe("the rate limits of the Parse protocol", () => {
  let purse: Purse;
  beforeAll(async () => {
    const dataDir = newFolder();
    const config = join(dataDir, "limits.config.ts");
    const limits = [
      { path: "/login", windowSeconds: 60, count: 3 },
      { path: "/classes/Counted", windowSeconds: 60, count: 4, by: "user", methods: ["POST"] },
      { path: "/functions/*", windowSeconds: 60, count: 2, by: "session" },
      { path: "/requestPasswordReset", windowSeconds: 1, count: 1 },
      { path: "/roles/*", windowSeconds: 60, count: 1, includeMasterKey: true },
      { path: "/classes/Worded", windowSeconds: 60, count: 1, message: "Slow down, please." },
      { path: "/classes/Inner", windowSeconds: 60, count: 1, includeInternalRequests: true },
    ];
    writeFileSync(config, `export default { rateLimits: ${JSON.stringify(limits)} };`);
    const cloud = join(dataDir, "limits.cloud.mjs");
    writeFileSync(
      cloud,
      `Parse.Cloud.define("inner", async () => { for (let n = 0; n < 2; n++) await new Parse.Query("Inner").find(); });`,
    );
    purse = await hostPurse({ dataDir, env: { PURSE_CONFIG: config, PURSE_CLOUD: cloud } });
  });
  afterAll(() => purse?.remove());

  const MASTER = { useMasterKey: true };

  it("reject with 155 and HTTP 429 for every spelling of the path", async () => {
    const body = { username: "nobody", password: "wrong" };
    const tries = [
      await rest(purse, "POST", "/login", body),
      await rest(purse, "POST", "//login/", body),
      await envelope(purse, "/login", { ...body, _method: "GET" }),
    ];
    expect(tries.map(({ status }) => status)).not.toContain(429);
    const refused = await rest(purse, "POST", "/login", body);
    expect(refused).toMatchObject({ status: 429, body: { code: 155, error: "Too many requests." } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Other paths and the master key are not counted.
    expect((await rest(purse, "GET", "/classes/Counted")).status).not.toBe(429);
    expect((await rest(purse, "POST", "/login", body, MASTER)).status).not.toBe(429);
  });

  it("count each user separately, and each batch entry", async () => {
    const [ann, bob] = [await signUp(purse), await signUp(purse)];
    const requests = Array.from({ length: 6 }, (_, n) => ({
      method: "POST",
      path: "/server/classes/Counted",
      body: { n },
    }));
    const { body } = await rest(purse, "POST", "/batch", { requests }, ann);
    const errors = Object.values(body).filter((each) => "error" in Object(each));
    expect(errors).toEqual(
      Array.from({ length: 2 }, () => ({ error: { code: 155, error: "Too many requests." } })),
    );
    expect((await rest(purse, "POST", "/classes/Counted", { n: 1 }, ann)).status).toBe(429);
    expect((await rest(purse, "POST", "/classes/%43ounted", { n: 1 }, ann)).status).toBe(429);
    expect((await rest(purse, "GET", "/classes/Counted", undefined, ann)).status).toBe(200);
    expect((await rest(purse, "POST", "/classes/Counted", { n: 1 }, bob)).status).toBe(201);
    const { results } = (await rest(purse, "GET", "/classes/Counted", undefined, ann)).body;
    expect(results).toHaveLength(5);
  });

  it("return their own message, and count requests of cloud code if configured", async () => {
    const worded = () => rest(purse, "GET", "/classes/Worded");
    expect((await worded()).status).toBe(200);
    expect((await worded()).body).toEqual({ code: 155, error: "Slow down, please." });
    const inner = await rest(purse, "POST", "/functions/inner", {}, await signUp(purse));
    expect(inner.body).toMatchObject({ error: "Too many requests." });
  });

  it("match all paths below a prefix and all aliases of a class", async () => {
    const ann = await signUp(purse);
    const call = () => rest(purse, "POST", "/functions/whatever", {}, ann);
    expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([400, 400, 429]);
    expect((await rest(purse, "GET", "/roles", undefined, MASTER)).status).toBe(200);
    expect((await rest(purse, "GET", "/classes/_Role", undefined, MASTER)).status).toBe(429);
  });

  it("reset after their window", async () => {
    const reset = () => rest(purse, "POST", "/requestPasswordReset", { email: "nobody@example.com" });
    await reset();
    expect((await reset()).status).toBe(429);
    await expect.poll(async () => (await reset()).status, { interval: 200 }).not.toBe(429);
  });
});

describe.each(DATABASES)("the rate limits in cloud code, on %s", (database) => {
  const CODE = `
    Parse.Cloud.define("rare", () => "in", { rateLimit: { requestTimeWindow: 60_000, requestCount: 2 } });
    Parse.Cloud.define("own", () => "in", {
      rateLimit: { requestTimeWindow: 60_000, requestCount: 1, zone: "user", errorResponseMessage: "slowly" },
    });
    Parse.Cloud.define("all", () => "in", {
      rateLimit: { requestTimeWindow: 60_000, requestCount: 1, zone: "global", includeMasterKey: true },
    });
    Parse.Cloud.beforeSave("Post", () => {}, { rateLimit: { requestTimeWindow: 60_000, requestCount: 1 } });
  `;
  let purse: Purse;
  beforeAll(async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "main.mjs"), CODE);
    const env = { ...(await databaseEnv(database)), PURSE_CLOUD: join(folder, "main.mjs") };
    purse = await hostPurse({ env });
  });
  afterAll(() => purse?.remove());

  const call = async (name: string, credentials = {}) =>
    rest(purse, "POST", `/functions/${name}`, {}, credentials);

  it("apply to functions, except with the master key", { tags: ["8.code.155"] }, async () => {
    for (const _ of [1, 2]) expect((await call("rare")).body).toEqual({ result: "in" });
    const refused = await call("rare");
    expect([refused.status, refused.body]).toEqual([429, { code: 155, error: "Too many requests." }]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await call("rare", { useMasterKey: true })).status).toBe(200);
  });

  it("count each user separately or all together, and return the configured message", async () => {
    const [ann, bob] = [await signUp(purse), await signUp(purse)];
    expect((await call("own", ann)).status).toBe(200);
    expect((await call("own", bob)).status).toBe(200);
    expect((await call("own", ann)).body).toEqual({ code: 155, error: "slowly" });
    expect((await call("all", ann)).status).toBe(200);
    expect((await call("all", { useMasterKey: true })).status).toBe(429);
  });

  it("of triggers count the requests that run them", async () => {
    const first = await rest(purse, "POST", "/classes/Post", { n: 1 });
    expect(first.status).toBe(201);
    expect((await rest(purse, "PUT", `/classes/Post/${first.body.objectId}`, { n: 2 })).status).toBe(429);
    expect((await rest(purse, "GET", "/classes/Post")).status).toBe(200);
  });

  it.each([
    "{ requestCount: 1 }",
    "{ requestTimeWindow: 0, requestCount: 1 }",
    "{ requestTimeWindow: 1000, requestCount: 1, zone: 'planet' }",
    "{ requestTimeWindow: 1000, requestCount: 1, redisUrl: 'redis://x' }",
  ])("are rejected at the start if invalid: %s", async (rule) => {
    const folder = newFolder();
    writeFileSync(join(folder, "main.mjs"), `Parse.Cloud.define("f", () => 1, { rateLimit: ${rule} });`);
    const started = hostPurse({ env: { PURSE_CLOUD: join(folder, "main.mjs") } });
    await expect(started).rejects.toThrow(/rateLimit|rate limit option/);
  });
});
