import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, signUp } from "../support/purse.ts";
import { purseCommand } from "../support/purseCommand.ts";

type Headers = Record<string, string>;

/** An endpoint that needs no node. */
const ENDPOINT = "web3ApiVersion";
const ADDRESS = `0x${"0".repeat(40)}`;

async function post(purse: Purse, path: string, body: JsonObject, headers: Headers = {}) {
  const response = await fetch(`${purse.serverUrl}${path}`, {
    method: "POST",
    headers: { "Content-Type": "text/plain", ...headers },
    body: JSON.stringify(body),
  });
  const answer: JsonObject = await response.json();
  return { status: response.status, body: answer, headers: response.headers };
}

const codeOf = (body: unknown): number | null => Object(body).code ?? null;

/** Every route to the data API with parameters; each returns the error code of a rejection. */
const WAYS: Record<string, (purse: Purse, headers: Headers, who?: JsonObject) => Promise<number | null>> = {
  "a function": async (purse, headers, who = {}) =>
    codeOf(
      (await post(purse, `/functions/${ENDPOINT}`, { _ApplicationId: purse.appId, ...who }, headers)).body,
    ),
  "a function without an application": async (purse, headers, who = {}) =>
    codeOf((await post(purse, `/functions/${ENDPOINT}`, { ...who }, headers)).body),
  "a function by another spelling of its path": async (purse, headers, who = {}) =>
    codeOf(
      (await post(purse, `//functions//${ENDPOINT}/`, { _ApplicationId: purse.appId, ...who }, headers)).body,
    ),
  "a batch of functions": async (purse, headers, who = {}) => {
    const requests = [{ method: "POST", path: `/server/functions/${ENDPOINT}`, body: {} }];
    const { body } = await post(purse, "/batch", { _ApplicationId: purse.appId, requests, ...who }, headers);
    return codeOf(Object(body)[0]?.error ?? body);
  },
};

describe.each(DATABASES)("the data API that requires a key, on %s", (database) => {
  let purse: Purse;
  let key: string;
  let sessionToken: string;
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-data-"));
    const env = { ...(await databaseEnv(database)), PURSE_DATA_DIR: dataDir };
    const made = await purseCommand(["keys", "add", "--name", "shop"], env);
    key = made.output.split("\n")[0] ?? "";
    writeFileSync(
      join(dataDir, "main.mjs"),
      `Parse.Cloud.define("ask", () => Parse.Cloud.run("${ENDPOINT}"));`,
    );
    purse = await hostPurse({
      dataDir,
      env: {
        ...env,
        PURSE_ENV: "production",
        PURSE_SIWE_DOMAINS: "shop.example,localhost:*",
        PURSE_CLOUD: join(dataDir, "main.mjs"),
      },
    });
    ({ sessionToken } = await signUp(purse));
  });
  afterAll(() => purse?.remove());

  describe.each(Object.entries(WAYS))("called by %s", (_name, ask) => {
    it("rejects a missing key and a wrong key", async () => {
      expect(await ask(purse, {})).toBe(119);
      expect(await ask(purse, { "X-API-Key": "x".repeat(43) })).toBe(119);
      // A wrong key is rejected on the server's own pages too.
      expect(await ask(purse, { "X-API-Key": "x".repeat(43), "Sec-Fetch-Site": "same-origin" })).toBe(119);
    });

    it("accepts an API key, signed-in users and the master key", async () => {
      expect(await ask(purse, { "X-API-Key": key })).toBeNull();
      expect(await ask(purse, {}, { _ApplicationId: purse.appId, _SessionToken: sessionToken })).toBeNull();
      expect(await ask(purse, {}, { _ApplicationId: purse.appId, _MasterKey: purse.masterKey })).toBeNull();
    });

    it("accepts pages of this server and of configured sites only", async () => {
      const own: Headers[] = [
        { "Sec-Fetch-Site": "same-origin" },
        { Origin: purse.url },
        { Origin: "https://shop.example", "Sec-Fetch-Site": "cross-site" },
        { Origin: "http://localhost:5173", "Sec-Fetch-Site": "cross-site" },
      ];
      for (const headers of own) expect(await ask(purse, headers)).toBeNull();
      const foreign: Headers[] = [
        { "Sec-Fetch-Site": "cross-site" },
        { "Sec-Fetch-Site": "same-site" },
        { "Sec-Fetch-Site": "none" },
        { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
        { Origin: "https://shop.example.evil.example" },
        { Origin: "https://shop.example:8443" },
        { Origin: "null" },
        { Origin: "shop.example" },
        { Referer: "https://shop.example/" },
      ];
      for (const headers of foreign) expect(await ask(purse, headers)).toBe(119);
    });
  });

  it("rejects with 401 and explains how to create a key", async () => {
    const { status, body } = await post(purse, `/functions/${ENDPOINT}`, {});
    expect([status, body.error]).toEqual([401, expect.stringContaining("npm run purse -- keys add")]);
  });

  it("accepts calls of cloud code", async () => {
    const { body } = await post(purse, "/functions/ask", { _ApplicationId: purse.appId });
    expect(body.result).toBeDefined();
  });

  it("requires a key over REST for any page", async () => {
    const rest = async (headers: Headers) =>
      (await fetch(`${purse.url}/api/v2/web3/version`, { headers })).status;
    expect(await rest({ "Sec-Fetch-Site": "same-origin", Origin: purse.url })).toBe(401);
    expect(await rest({ "X-API-Key": key })).toBe(200);
  });

  it("requires a key for every name of every endpoint", async () => {
    const api: JsonObject = await (await fetch(`${purse.url}/api-docs/v2/swagger.json`)).json();
    const names = Object.values(Object(api.paths)).flatMap((methods) =>
      Object.values(Object(methods)).map((operation) => String(Object(operation).operationId)),
    );
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const answer = await post(purse, `/functions/${name}`, { address: ADDRESS, chain: "eth" });
      expect([name, answer.status, answer.body.code]).toEqual([name, 401, 119]);
    }
  });
});

describe("the rate limits of the data API", () => {
  let purse: Purse;
  let ofThree: string;
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-data-"));
    const env = { PURSE_DATA_DIR: dataDir };
    const made = await purseCommand(["keys", "add", "--limit", "3"], env);
    ofThree = made.output.split("\n")[0] ?? "";
    purse = await hostPurse({
      dataDir,
      env: {
        PURSE_ENV: "production",
        PURSE_REQUIRE_API_KEY: "0",
        PURSE_ADDRESS_LIMIT: "4",
        PURSE_TRUSTED_PROXIES: "loopback",
      },
    });
  });
  afterAll(() => purse?.remove());

  const batchOf = (count: number) => ({
    _ApplicationId: purse.appId,
    requests: Array.from({ length: count }, () => ({
      method: "POST",
      path: `/server/functions/${ENDPOINT}`,
      body: {},
    })),
  });

  it("count functions, batch entries and REST requests of an address together", async () => {
    const headers = { "X-Forwarded-For": "198.51.100.1" };
    expect((await post(purse, `/functions/${ENDPOINT}`, {}, headers)).status).toBe(200);
    expect((await fetch(`${purse.url}/api/v2/web3/version`, { headers })).status).toBe(200);
    const { body } = await post(purse, "/batch", batchOf(5), headers);
    const parts = Object.values(body).map((part) => codeOf(Object(part).error));
    expect(parts.sort()).toEqual([155, 155, 155, null, null]);
    const refused = await post(purse, `/functions/${ENDPOINT}`, {}, headers);
    expect([refused.status, refused.body.code]).toEqual([429, 155]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await fetch(`${purse.url}/api/v2/web3/version`, { headers })).status).toBe(429);
    // Other clients are not affected.
    expect(
      (await post(purse, `/functions/${ENDPOINT}`, {}, { "X-Forwarded-For": "198.51.100.2" })).status,
    ).toBe(200);
  });

  it("count signed-in users by address too", async () => {
    const { sessionToken } = await signUp(purse);
    const headers = { "X-Forwarded-For": "198.51.100.3", "X-Parse-Session-Token": sessionToken };
    const { body } = await post(purse, "/batch", batchOf(6), headers);
    expect(Object.values(body).filter((part) => codeOf(Object(part).error) === 155)).toHaveLength(2);
  });

  it("count functions by their API key", async () => {
    const headers = { "X-Forwarded-For": "198.51.100.4", "X-API-Key": ofThree };
    const { body } = await post(purse, "/batch", batchOf(5), headers);
    expect(Object.values(body).filter((part) => codeOf(Object(part).error) === 155)).toHaveLength(2);
    const other = { "X-Forwarded-For": "198.51.100.5", "X-API-Key": ofThree };
    expect((await post(purse, `/functions/${ENDPOINT}`, {}, other)).status).toBe(429);
    const without = { "X-Forwarded-For": "198.51.100.4" };
    expect((await post(purse, `/functions/${ENDPOINT}`, {}, without)).status).toBe(200);
  });
});
