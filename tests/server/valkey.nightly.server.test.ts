import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram, VALKEY } from "../../scripts/programs.mjs";
import { startTcpBalancer } from "../support/balancer.ts";
import { databaseEnv } from "../support/databases.ts";
import { MASTER_KEY, type Nodes, send, startNodes } from "../support/nodes.ts";
import { startValkey, type ValkeyServer } from "../support/valkeyServer.ts";

const LIMIT = 20;
const MASTER = { "X-Parse-Master-Key": MASTER_KEY };

describe.skipIf(!hasProgram(VALKEY))("three nodes with Valkey and PostgreSQL", () => {
  let folder: string;
  let valkey: ValkeyServer;
  let nodes: Nodes;
  let sql: postgres.Sql;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "purse-valkey-"));
    const config = join(folder, "purse.config.ts");
    const paths = ["/classes/Counted", "/classes/Away", "/classes/Refused", "/classes/Silent"];
    const limits = paths.map((path) => ({ path, windowSeconds: 600, count: LIMIT }));
    writeFileSync(config, `export default { rateLimits: ${JSON.stringify(limits)} };`);
    const cloud = join(folder, "main.js");
    writeFileSync(
      cloud,
      `Parse.Cloud.define("long", () => require("node:crypto").randomUUID() + "x".repeat(100_000));`,
    );
    valkey = await startValkey();
    const database = await databaseEnv("PostgreSQL");
    sql = postgres(String(database.PURSE_DATABASE_URL), { max: 1 });
    nodes = await startNodes(3, {
      ...database,
      PURSE_CONFIG: config,
      PURSE_CLOUD: cloud,
      PURSE_VALKEY_URL: valkey.url,
    });
  });
  afterAll(async () => {
    await nodes.remove();
    await valkey.kill();
    await sql.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const url = (i: number) => String(nodes.urls[i % nodes.urls.length]);
  const readiness = async (i: number): Promise<{ code: number; degraded?: string[] }> => {
    const response = await fetch(`${url(i)}/ready`);
    return { code: response.status, ...(await response.json()) };
  };
  /** Sends requests to all nodes, and returns how many are within the limit. */
  const countAllowed = async (path: string, requests: number) => {
    const all = Array.from({ length: requests }, (_, i) => send(url(i), "GET", path));
    return (await Promise.all(all)).filter(({ status }) => status === 200).length;
  };
  const untilUsed = async () => {
    for (const i of [0, 1, 2]) await expect.poll(async () => (await readiness(i)).degraded).toBeUndefined();
  };

  it("allow exactly the configured rate behind a balancer without counting in PostgreSQL", async () => {
    const balancer = await startTcpBalancer(nodes.ports);
    const requests = Array.from({ length: 3 * LIMIT }, () =>
      send(`http://127.0.0.1:${balancer.port}`, "GET", "/classes/Counted"),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    await balancer.close();
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2 * LIMIT);
    expect(await sql`SELECT 1 FROM purse_rate_limits`).toHaveLength(0);
  });

  it("receive messages of other nodes through Valkey", async () => {
    const user = { username: "ended", password: "correct horse" };
    const { body } = await send(url(0), "POST", "/users", user);
    const session = { "X-Parse-Session-Token": String(body.sessionToken) };
    const statusAt = async (i: number) => (await send(url(i), "GET", "/users/me", undefined, session)).status;
    expect(await statusAt(1)).toBe(200);
    // PostgreSQL does not notify the node, which has cached the session.
    await sql`DELETE FROM "_Session"`;
    expect(await statusAt(1)).toBe(200);
    const { createClient } = await import("@redis/client");
    const client = createClient({ url: valkey.url.replace("valkey", "redis") });
    await client.connect();
    await client.publish("purse:test-app:messages", "sessions:{}");
    await expect.poll(() => statusAt(1), { timeout: 5_000 }).toBe(400);
    client.destroy();
  });

  it("return the first result of a repeated function although it is too long for PostgreSQL", async () => {
    const id = { "X-Parse-Request-Id": "0a9f0b6e-long" };
    const first = await send(url(0), "POST", "/functions/long", {}, id);
    const repeated = { ...id, "Content-Type": "application/json; attempt=1" };
    const again = await send(url(1), "POST", "/functions/long", {}, repeated);
    expect(String(first.body.result).length).toBeGreaterThan(100_000);
    expect(again).toEqual(first);
    expect((await send(url(2), "POST", "/functions/long", {}, id)).body.code).toBe(159);
  });

  it("count in PostgreSQL and report it while Valkey is down, and use Valkey again afterwards", async () => {
    await valkey.kill();
    await expect.poll(async () => (await readiness(0)).degraded?.[0]).toMatch(/^Valkey cannot be reached/);
    expect(await countAllowed("/classes/Away", 3 * LIMIT)).toBe(LIMIT);
    expect((await readiness(0)).code).toBe(200);
    const metrics = await fetch(`${url(0)}/metrics`, { headers: { authorization: `Bearer ${MASTER_KEY}` } });
    expect(await metrics.text()).toContain("purse_valkey_available 0");
    expect(nodes.log.join("")).toContain("Valkey is away: the database is used instead");
    // Messages still arrive through PostgreSQL.
    await send(url(0), "POST", "/classes/Later", { n: 1 });
    expect((await send(url(1), "POST", "/classes/Later", { n: "text" })).body.code).toBe(111);
    await valkey.restart();
    await untilUsed();
    expect(nodes.log.join("")).toContain("Valkey is used again");
    expect(await countAllowed("/classes/Away", 3 * LIMIT)).toBe(LIMIT);
  });

  it("count in PostgreSQL and report it while Valkey answers, but refuses to write", async () => {
    await untilUsed();
    const { createClient } = await import("@redis/client");
    const admin = createClient({ url: valkey.url.replace("valkey", "redis") });
    await admin.connect();
    // As after a failover: the address is that of a replica now.
    await admin.sendCommand(["REPLICAOF", "127.0.0.1", "1"]);
    for (const i of [0, 1, 2])
      await expect
        .poll(async () => (await readiness(i)).degraded?.[0])
        .toMatch(/^Valkey rejects commands: READONLY/);
    expect(await countAllowed("/classes/Refused", 3 * LIMIT)).toBe(LIMIT);
    await admin.sendCommand(["REPLICAOF", "NO", "ONE"]);
    await untilUsed();
    admin.destroy();
  });

  it("respond and enforce the limits while Valkey hangs", async () => {
    await untilUsed();
    valkey.freeze();
    const allowed = await countAllowed("/classes/Silent", 3 * LIMIT);
    expect(allowed).toBe(LIMIT);
    await expect.poll(async () => (await readiness(0)).degraded?.[0]).toMatch(/^Valkey/);
    valkey.thaw();
    await untilUsed();
    await send(url(0), "DELETE", "/schemas/Later", undefined, MASTER);
  });
});
