import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf, NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { purseCommand, purseProgram } from "../support/purseCommand.ts";

const MASTER = { useMasterKey: true };
/** Timeout in ms for a key change to take effect, which takes five seconds, or more on a busy machine. */
const SEEN_WITHIN_MS = 30_000;

/** Runs the command; `key` is the first line of its output. */
async function keys(env: Record<string, string>, ...args: string[]) {
  const done = await purseCommand(["keys", ...args], env);
  return { ...done, key: done.output.split("\n")[0] ?? "" };
}

/** Calls an endpoint that needs no node. */
async function ask(purse: Purse, headers: Record<string, string> = {}) {
  const response = await fetch(`${purse.url}/api/v2/web3/version`, { headers });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const refused = (status: number, message: string) => ({
  status,
  body: { message: expect.stringContaining(message) },
});

/** Waits until a key has an effect. Returns the answer. */
async function untilStatus(purse: Purse, key: string, isWanted: (status: number) => boolean) {
  let answer = await ask(purse, { "X-API-Key": key });
  await expect
    .poll(
      async () => {
        answer = await ask(purse, { "X-API-Key": key });
        return isWanted(answer.status);
      },
      { timeout: SEEN_WITHIN_MS, interval: 100 },
    )
    .toBe(true);
  return answer;
}

describe.each(DATABASES)("API keys on %s", (database) => {
  let purse: Purse;
  let env: Record<string, string>;
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-keys-"));
    env = { ...(await databaseEnv(database)), PURSE_DATA_DIR: dataDir };
    purse = await hostPurse({ dataDir, env: { ...env, PURSE_REQUIRE_API_KEY: "1" } });
  });
  afterAll(() => purse?.remove());

  it("grant access to the data API in a header of any case", {
    tags: ["7.data.api-key-header"],
  }, async () => {
    expect(await ask(purse)).toMatchObject(refused(401, "npm run purse -- keys add"));
    const { key } = await keys(env, "add", "--name", "shop");
    expect(key).toMatch(/^[\w-]{43}$/);
    expect((await untilStatus(purse, key, (status) => status !== 401)).status).not.toBe(401);
    for (const name of ["x-api-key", "X-API-Key", "X-Api-KEY"])
      expect((await ask(purse, { [name]: key })).status).not.toBe(401);
  });

  it("are revoked by name or ID while the server runs", async () => {
    const { key } = await keys(env, "add", "--name", "short lived");
    expect((await untilStatus(purse, key, (status) => status !== 401)).status).not.toBe(401);
    expect((await keys(env, "revoke", "short lived")).code).toBe(0);
    expect((await untilStatus(purse, key, (status) => status === 401)).body.message).toBe("Invalid API key");
    const again = await keys(env, "revoke", "short lived");
    expect(again).toMatchObject({
      code: 1,
      output: expect.stringContaining('The key "short lived" does not exist'),
    });
    // The name can be reused.
    const next = await keys(env, "add", "--name", "short lived");
    expect(next.code).toBe(0);
    const id = /Its id is (\w+)/.exec(next.output)?.[1] ?? "";
    expect((await keys(env, "revoke", id)).code).toBe(0);
    expect((await keys(env, "revoke", id)).output).toContain("already revoked");
  });

  if (NIGHTLY)
    it("are part of an export and import", async () => {
      const { key } = await keys(env, "add", "--name", "moved");
      const file = join(mkdtempSync(join(tmpdir(), "purse-keys-")), "all.jsonl");
      await purseCommand(["export", "--out", file], env);
      const other = { PURSE_DATA_DIR: mkdtempSync(join(tmpdir(), "purse-keys-")) };
      expect((await purseCommand(["import", "--in", file], other)).code).toBe(0);
      expect((await keys(other, "add", "--key", key)).output).toContain("This key already exists");
      expect((await keys(other, "revoke", "moved")).code).toBe(0);
    });

  it("require a unique name, and are not stored if they are rejected", async () => {
    const count = async () =>
      (await rest(purse, "GET", "/classes/_ApiKey?count=1&limit=0", undefined, MASTER)).body.count;
    await keys(env, "add", "--name", "one of a kind");
    const before = await count();
    const second = await keys(env, "add", "--name", "one of a kind");
    expect(second.output).toContain("A key named");
    expect(await count()).toBe(before);
  });

  // The others do not depend on the database.
  if (!runsEveryCase(database)) return;

  it("are not required for NFT images on this server's own pages", async () => {
    const picture = async (headers: Record<string, string>) =>
      (await fetch(`${purse.url}/api/v2/nft/0x${"0".repeat(40)}/1/image`, { headers })).status;
    expect(await picture({ "Sec-Fetch-Site": "same-origin" })).not.toBe(401);
    expect(await picture({})).toBe(401);
    expect(await picture({ "Sec-Fetch-Site": "cross-site" })).toBe(401);
    expect(await picture({ "Sec-Fetch-Site": "same-origin", "X-API-Key": "wrong" })).toBe(401);
    expect(await ask(purse, { "Sec-Fetch-Site": "same-origin" })).toMatchObject({ status: 401 });
  });

  it("are rejected with 401 if they are unknown or malformed", async () => {
    await keys(env, "add");
    for (const key of ["wrong", "x".repeat(43), "%00", "a".repeat(5_000), "' OR 1=1 --", "constructor"])
      expect(await ask(purse, { "X-API-Key": key })).toMatchObject({
        status: 401,
        body: { message: "Invalid API key" },
      });
  });

  it("can be added with an existing value", async () => {
    const key = `old-key-${"k".repeat(20)}-${database}`;
    const added = await keys(env, "add", "--key", key);
    expect(added.code).toBe(0);
    expect(added.output).not.toContain(key);
    expect((await untilStatus(purse, key, (status) => status !== 401)).status).not.toBe(401);
    expect((await keys(env, "add", "--key", key)).output).toContain("This key already exists");
  });

  it("are listed with their last use and without their value", async () => {
    const { key } = await keys(env, "add", "--name", "listed", "--limit", "77");
    await untilStatus(purse, key, (status) => status !== 401);
    const seen = async () => (await keys(env, "list")).output;
    await expect.poll(seen).toMatch(/listed +77 +\S+Z +20\S+Z/);
    const output = await seen();
    expect(output).not.toContain(key);
    expect(output).toContain("revoked 20");
  });

  it("are not required with the master key", async () => {
    expect((await ask(purse, { "X-Parse-Master-Key": purse.masterKey })).status).not.toBe(401);
    expect((await ask(purse, { "X-Parse-Master-Key": "wrong" })).status).toBe(403);
  });

  it("are inaccessible to clients, and their hashes are hidden from the master key", async () => {
    await keys(env, "add", "--name", "hidden");
    const ann = await signUp(purse);
    for (const credentials of [{}, { sessionToken: ann.sessionToken }]) {
      const found = await rest(purse, "GET", "/classes/_ApiKey", undefined, credentials);
      expect(found.body.code).toBe(119);
      expect((await rest(purse, "POST", "/classes/_ApiKey", { name: "mine" }, credentials)).body.code).toBe(
        119,
      );
    }
    const where = { x: { $inQuery: { className: "_ApiKey", where: { name: "hidden" } } } };
    const { body } = await rest(purse, "GET", `/classes/Thing${query({ where })}`);
    expect(body.results ?? []).toEqual([]);
    const all = await rest(purse, "GET", "/classes/_ApiKey", undefined, MASTER);
    expect(JSON.stringify(all.body)).not.toMatch(/[0-9a-f]{64}/);
    const [first] = Object(all.body.results);
    for (const method of ["PUT", "DELETE"]) {
      const changed = await rest(
        purse,
        method,
        `/classes/_ApiKey/${first.objectId}`,
        method === "PUT" ? { limit: 1 } : undefined,
        MASTER,
      );
      expect(changed.body.code).toBe(119);
    }
    expect((await rest(purse, "POST", "/classes/_ApiKey", { name: "x" }, MASTER)).body.code).toBe(119);
  });

  it("work with the CORS headers of old clients", async () => {
    const response = await fetch(`${purse.url}/api/v2/web3/version`, { method: "OPTIONS" });
    const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining([
        "x-api-key",
        "x-moralis-platform",
        "x-moralis-platform-version",
        "x-moralis-build-target",
      ]),
    );
  });
});

describe("a data API without an API key", () => {
  it("is public in development, with any key, until one is created", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-keys-"));
    const purse = await hostPurse({ dataDir });
    try {
      expect((await ask(purse)).status).not.toBe(401);
      expect((await ask(purse, { "X-API-Key": "what the old app sends" })).status).not.toBe(401);
      await keys({ PURSE_DATA_DIR: dataDir }, "add");
      const answer = await untilStatus(purse, "what the old app sends", (status) => status === 401);
      expect(answer.body.message).toBe("Invalid API key");
      expect((await ask(purse)).status).not.toBe(401);
    } finally {
      await purse.remove();
    }
  });

  it("rejects requests in production", async () => {
    const purse = await hostPurse({ env: { PURSE_ENV: "production", PURSE_MASTER_KEY_IPS: "10.0.0.1" } });
    try {
      expect(await ask(purse)).toMatchObject(refused(401, "requires an API key"));
      expect(await ask(purse, { "X-API-Key": "x".repeat(30) })).toMatchObject(
        refused(401, "Invalid API key"),
      );
      // The master key is accepted only from permitted addresses.
      expect((await ask(purse, { "X-Parse-Master-Key": purse.masterKey })).status).toBe(403);
    } finally {
      await purse.remove();
    }
  });
});

describe("npm run purse -- keys", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "purse-keys-"));

  const rejected: [args: string[], message: string][] = [
    [["add", "--key", "too-short"], "20 to 512 printable ASCII characters"],
    [["add", "--key", "spaces are not for headers"], "20 to 512 printable ASCII characters"],
    [["add", "--limit", "0"], "whole number from 1"],
    [["add", "--limit", "many"], "whole number from 1"],
    [["add", "--name", ""], "1 to 100 characters"],
    [["add", "--name", "x".repeat(101)], "1 to 100 characters"],
    [["add", "stray"], "stray"],
    [["revoke"], "the id or the name"],
    [["revoke", "nobody's"], "does not exist"],
    [[], "add, list or revoke"],
  ];
  it.each(casesOf(rejected, (_, i) => i % 2 === 0))(
    "%j is rejected with a clear message",
    async (args, message) => {
      const done = await keys({ PURSE_DATA_DIR: dataDir }, ...args);
      expect(done.code).toBe(1);
      expect(done.output).toContain(message);
    },
  );

  if (NIGHTLY)
    it("prints a new key once, and the reason of a rejection", async () => {
      const env = { PURSE_DATA_DIR: mkdtempSync(join(tmpdir(), "purse-keys-")) };
      const added = await purseProgram(["keys", "add", "--name", "shop"], env);
      expect(added).toMatchObject({ code: 0, output: expect.stringMatching(/^[\w-]{43}\n/) });
      expect(await purseProgram(["keys", "add", "--name", "shop"], env)).toMatchObject({
        code: 1,
        output: expect.stringContaining("A key named"),
      });
    });

  it("reports that there are no keys", async () => {
    expect(await keys({ PURSE_DATA_DIR: dataDir }, "list")).toMatchObject({
      code: 0,
      key: "There are no keys.",
    });
  });
});
