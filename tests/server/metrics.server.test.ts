import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { WebSocket } from "ws";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { newDatabase, startPostgres } from "../support/postgresServer.ts";
import { hostPurse, type Purse, rest, startPurse } from "../support/purse.ts";

async function read(purse: Purse, headers: Record<string, string> = {}) {
  const response = await fetch(`${purse.url}/metrics`, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Returns the value of the sample `name{labels}`. */
async function sample(purse: Purse, name: string): Promise<number | undefined> {
  const { text } = await read(purse);
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

describe.each(DATABASES)("the metrics on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  it("use the Prometheus text format, and deny CORS", async () => {
    const { status, text, headers } = await read(purse);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_seconds"])
      expect(text).toMatch(new RegExp(`^${name} [\\d.e+-]+$`, "m"));
  });

  it("count requests by API, method and status class, with their duration", async () => {
    const name = (status: string) => `purse_http_requests_total{api="parse",method="GET",status="${status}"}`;
    const before = (await sample(purse, name("4xx"))) ?? 0;
    await rest(purse, "GET", "/classes/Nothing/none");
    await rest(purse, "GET", "/classes/Nothing");
    await fetch(`${purse.url}/api/v2/nothing`);
    await fetch(`${purse.serverUrl}/classes/Nothing`, { method: "PROPFIND" });
    expect(await sample(purse, name("4xx"))).toBe(before + 1);
    expect(await sample(purse, name("2xx"))).toBeGreaterThan(0);
    const { text } = await read(purse);
    expect(text).toContain('purse_http_requests_total{api="data",method="GET",status="4xx"}');
    expect(text).toContain('api="parse",method="other"');
    expect(text).toMatch(
      /purse_http_request_duration_seconds_bucket\{le="0\.5",api="parse",method="GET"\} [1-9]/,
    );
    expect(text).not.toContain("Nothing");
  });

  it("count open sockets and live queries", async () => {
    const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"));
    await new Promise((resolve) => socket.once("open", resolve));
    const delivered = () => new Promise((resolve) => socket.once("message", resolve));
    socket.send(JSON.stringify({ op: "connect", applicationId: purse.appId }));
    await delivered();
    const query = { className: "Thing", where: {} };
    socket.send(JSON.stringify({ op: "subscribe", requestId: 1, query }));
    await delivered();
    expect(await sample(purse, "purse_live_sockets")).toBe(1);
    expect(await sample(purse, "purse_live_subscriptions")).toBe(1);
    socket.close();
    await expect.poll(() => sample(purse, "purse_live_sockets")).toBe(0);
    expect(await sample(purse, "purse_live_subscriptions")).toBe(0);
  });

  it("are denied to proxied requests without the master key", async () => {
    const forwarded = { "X-Forwarded-For": "127.0.0.1" };
    expect(await read(purse, forwarded)).toMatchObject({ status: 403 });
    expect(await read(purse, { Forwarded: "for=127.0.0.1" })).toMatchObject({ status: 403 });
    expect(await read(purse, { Authorization: "Bearer wrong" })).toMatchObject({ status: 403 });
    expect(await read(purse, { "X-Parse-Master-Key": "wrong" })).toMatchObject({ status: 403 });
    const keys: Record<string, string>[] = [
      { Authorization: `Bearer ${purse.masterKey}` },
      { "X-Parse-Master-Key": purse.masterKey },
    ];
    for (const key of keys)
      expect(await read(purse, { ...forwarded, ...key })).toMatchObject({ status: 200 });
  });

  it("do not count errors that are intended responses", async () => {
    expect((await rest(purse, "GET", "/classes/_User/nobody")).body.code).toBe(101);
    expect((await read(purse)).text).not.toMatch(/^purse_store_errors_total\{/m);
  });

  it("are complemented by /ready with the state of the database and of each worker", async () => {
    const ask = async () => {
      const response = await fetch(`${purse.url}/ready`);
      const { status, workers } = await response.json();
      return { answer: [response.status, status], workers };
    };
    expect((await ask()).answer).toEqual([200, "ready"]);
    // Readers of the database start on demand.
    await expect
      .poll(async () => (await ask()).workers.some(({ state }: { state: string }) => state !== "ready"))
      .toBe(false);
    for (const worker of (await ask()).workers) {
      expect(worker).toEqual({ name: expect.any(String), state: "ready", restarts: 0 });
    }
  });
});

describe("access to the metrics", () => {
  it("is restricted to the configured addresses", async () => {
    const purse = await hostPurse({ env: { PURSE_METRICS_IPS: "10.0.0.1" } });
    try {
      expect(await read(purse)).toMatchObject({ status: 403, text: expect.not.stringContaining("purse_") });
      expect(await read(purse, { Authorization: `Bearer ${purse.masterKey}` })).toMatchObject({
        status: 200,
      });
    } finally {
      await purse.remove();
    }
  });

  it("includes the indexing progress of each chain", async () => {
    const purse = await hostPurse({ devChain: true });
    try {
      const response = await fetch(`${purse.url}/health`);
      const [chain] = (await response.json()).chains;
      const of = (figure: string) => sample(purse, `purse_chain_${figure}{chain="${chain.name}"}`);
      expect(await of("indexed_block")).toBe(chain.indexed);
      expect(await of("head_block")).toBe(chain.head);
      expect(await of("lag_blocks")).toBe(0);
    } finally {
      await purse.remove();
    }
  });
});

// databaseOutage.server.test.ts has the short form.
if (NIGHTLY)
  describe("a server whose PostgreSQL is down", () => {
    it("is alive but not ready, rejects with 503 and Retry-After, and counts the errors", async () => {
      const postgres = await startPostgres();
      const url = await newDatabase(postgres.url);
      const purse = await startPurse({ env: { PURSE_DATABASE_URL: url } });
      try {
        expect((await fetch(`${purse.url}/ready`)).status).toBe(200);
        // It responds before its start is complete.
        await expect.poll(() => purse.output(), { timeout: 30_000 }).toContain("Ctrl-C ends it");
        await postgres.stop();
        const reasonNotReady = async () => {
          const response = await fetch(`${purse.url}/ready`);
          return response.status === 503 && (await response.json()).error;
        };
        // It may know first that no notifications arrive.
        expect(await reasonNotReady()).not.toBe(false);
        await expect.poll(reasonNotReady).toBe("The database does not respond");
        expect((await fetch(`${purse.url}/health`)).status).toBe(200);
        const answer = await rest(purse, "POST", "/classes/Thing", { n: 1 });
        expect([answer.status, answer.body]).toEqual([
          503,
          { code: 100, error: "The database cannot be reached. Try again." },
        ]);
        const errors = () => sample(purse, 'purse_store_errors_total{call="getUniqueOwner"}');
        await expect.poll(errors, { timeout: 15_000 }).toBeGreaterThan(0);
      } finally {
        await purse.kill();
        await purse.remove();
      }
    });
  });

if (NIGHTLY)
  describe("a server whose PostgreSQL lost a table", () => {
    it("returns 500 without details, which are in the log", { tags: ["8.code.1"] }, async () => {
      const url = await newDatabase(inject("postgresUrl"));
      const purse = await hostPurse({ env: { PURSE_DATABASE_URL: url } });
      const client = new pg.Client(url);
      try {
        expect((await rest(purse, "POST", "/classes/Thing", { n: 1 })).status).toBe(201);
        await client.connect();
        await client.query('DROP TABLE "Thing"');
        const answer = await rest(purse, "GET", "/classes/Thing");
        expect([answer.status, answer.body]).toEqual([500, { code: 1, error: "Internal server error." }]);
        await expect.poll(() => purse.output()).toMatch(/relation .+Thing.+ does not exist/);
      } finally {
        await client.end();
        await purse.remove();
      }
    });
  });
