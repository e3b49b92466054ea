import { ENDPOINTS } from "@purse/chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

const SECRET = "a secret of the operator";
const API_KEY = "an-api-key-of-the-data-service";

interface ProviderAnswer {
  status: number;
  body: { result?: unknown; code?: number } & Record<string, unknown>;
  headers: Headers;
}

async function ask(purse: Purse, path: string, init: RequestInit = {}): Promise<ProviderAnswer> {
  const response = await fetch(`${purse.url}${path}`, init);
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const fetchKeys = (purse: Purse, secret?: string) =>
  ask(purse, "/api/publics/apiKeys", secret === undefined ? {} : { headers: { "moralis-secret": secret } });

const track = (purse: Purse, body: unknown) =>
  ask(purse, "/api/functions/trackEvent", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

async function eventsCounted(purse: Purse): Promise<string[]> {
  const text = await (await fetch(`${purse.url}/metrics`)).text();
  return text.split("\n").filter((line) => line.startsWith("purse_app_events_total{"));
}

describe("endpoints of the hosted service", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({
      env: { PURSE_KEY_FETCH_SECRET: SECRET, PURSE_KEY_FETCH_API_KEY: API_KEY, PURSE_TRACKING: "1" },
    });
  });
  afterAll(() => purse?.remove());

  it("return the API key for the right secret", {
    tags: ["7.key-fetch.get", "7.key-fetch.secret-header"],
  }, async () => {
    expect(await fetchKeys(purse, SECRET)).toMatchObject({
      status: 200,
      body: { result: { web3ApiKey: API_KEY, speedyNodeApiKey: "" } },
    });
  });

  it("reject a missing or wrong secret, and limit guesses", async () => {
    for (const secret of [undefined, "", "wrong", `${SECRET} `.repeat(2), SECRET.slice(1), purse.masterKey]) {
      const { status, body } = await fetchKeys(purse, secret);
      expect([status, body]).toEqual([403, { code: 119, error: "unauthorized" }]);
    }
    const guesses = await Promise.all(Array.from({ length: 40 }, (_, i) => fetchKeys(purse, `guess ${i}`)));
    expect(guesses.map(({ status }) => status)).toContain(429);
    expect((await fetchKeys(purse, SECRET)).status).toBe(429);
    expect(purse.output()).not.toContain(API_KEY);
    expect(purse.output()).not.toContain(SECRET);
  });

  it("list the endpoints by tag", { tags: ["7.other.api-docs", "7.other.api-docs-by-tag"] }, async () => {
    const { status, body } = await ask(purse, "/api-docs/v2/swagger.json");
    expect(status).toBe(200);
    const paths = body.paths as Record<string, Record<string, { tags: string[]; operationId: string }>>;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const byTag = Map.groupBy(operations, ({ tags }) => tags[0]);
    expect([...byTag.keys()]).toEqual(
      expect.arrayContaining(["native", "account", "token", "resolve", "defi", "storage", "info"]),
    );
    expect(operations).toHaveLength(Object.keys(ENDPOINTS).length);
    expect(byTag.get("account")?.map(({ operationId }) => operationId)).toContain("getNativeBalance");
  });

  it.each([
    ["moralis", "1.7.0"],
    ["moralis-v1", "1.13.0"],
  ])(
    "report to %s %s that it is up to date",
    {
      tags: ["7.other.package-version", "9.version-check-reference"],
    },
    async (name, version) => {
      expect(await ask(purse, `/${name}/package.json`)).toMatchObject({
        status: 200,
        body: { name, version, "dist-tags": { latest: version } },
      });
      expect((await ask(purse, `/${name}/other.json`)).status).toBe(404);
    },
  );

  it("count tracking events", {
    tags: [
      "7.other.tracking",
      "7.other.tracking-subdomain",
      "7.other.tracking-event",
      "7.other.tracking-options",
    ],
  }, async () => {
    const event = "Moralis SDK start";
    expect(
      await track(purse, { subdomain: "abc.example.org", event, options: { appId: "x" } }),
    ).toMatchObject({
      status: 200,
      body: { result: {} },
    });
    expect((await track(purse, { subdomain: null, event })).status).toBe(200);
    expect(await eventsCounted(purse)).toEqual([`purse_app_events_total{event="${event}"} 2`]);
  });

  it.each<[string, unknown, number]>([
    ["invalid JSON", "{", 400],
    ["an array", [], 400],
    ["a missing name", { subdomain: "a" }, 400],
    ["a name that is not a string", { event: { $ne: 1 } }, 400],
    ["a name with a line break", { event: "a\nb" }, 400],
    ["a subdomain that is not a string", { event: "a", subdomain: 1 }, 400],
    ["invalid options", { event: "a", options: "b" }, 400],
    ["a body that is too large", { event: "a", options: { text: "x".repeat(20_000) } }, 413],
  ])("do not count %s", async (_, body, status) => {
    const before = await eventsCounted(purse);
    expect((await track(purse, body)).status).toBe(status);
    expect(await eventsCounted(purse)).toEqual(before);
  });

  it("allow CORS from any origin", async () => {
    for (const path of ["/api-docs/v2/swagger.json", "/moralis/package.json", "/api/functions/trackEvent"]) {
      const response = await fetch(`${purse.url}${path}`, { method: "OPTIONS" });
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    }
  });
});

describe("endpoints of the hosted service without settings", () => {
  it("return 404 and count nothing", async () => {
    const purse = await hostPurse();
    try {
      expect((await fetchKeys(purse, SECRET)).status).toBe(404);
      expect((await fetchKeys(purse, "")).status).toBe(404);
      expect((await track(purse, { event: "Moralis SDK start" })).status).toBe(404);
      expect(await eventsCounted(purse)).toEqual([]);
    } finally {
      await purse.remove();
    }
  });

  it("reject a secret without a key at the start", async () => {
    await expect(hostPurse({ env: { PURSE_KEY_FETCH_SECRET: SECRET } })).rejects.toThrow(
      "PURSE_KEY_FETCH_SECRET and PURSE_KEY_FETCH_API_KEY must be set together",
    );
  });
});
