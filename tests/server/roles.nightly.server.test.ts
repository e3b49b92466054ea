import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { connectLive, openSocket } from "../support/liveClient.ts";
import { type PurseProcess, query, rest, startPurse } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
/** A job and a function that return the ID of their process. */
const CODE = `
Parse.Cloud.job("where", () => String(process.pid));
Parse.Cloud.define("where", () => String(process.pid));
`;

describe("processes with different roles on one PostgreSQL", () => {
  let front: PurseProcess;
  let worker: PurseProcess;
  let observer: PurseProcess;
  beforeAll(async () => {
    const cloud = join(mkdtempSync(join(tmpdir(), "purse-")), "main.js");
    writeFileSync(cloud, CODE);
    const env = { ...(await databaseEnv("PostgreSQL")), PURSE_CLOUD: cloud };
    front = await startPurse({ env: { ...env, PURSE_ROLES: "api" } });
    observer = await startPurse({ env: { ...env, PURSE_ROLES: "live" } });
    worker = await startPurse({ env: { ...env, PURSE_ROLES: "worker, chain" } });
  }, 180_000);
  afterAll(async () => {
    await Promise.all([front, worker, observer].map((purse) => purse?.remove()));
  });

  it("answer API requests with the role api only, and health checks with any role", async () => {
    const status = async (purse: PurseProcess, path: string) => (await fetch(purse.url + path)).status;
    for (const purse of [front, worker, observer]) {
      expect(await status(purse, "/health")).toBe(200);
      await expect.poll(() => status(purse, "/ready")).toBe(200);
      expect(await status(purse, "/metrics")).toBe(200);
    }
    expect((await rest(front, "POST", "/classes/Note", { n: 1 })).status).toBe(201);
    for (const purse of [worker, observer]) {
      expect((await rest(purse, "POST", "/classes/Note", { n: 1 })).status).toBe(404);
      expect(await status(purse, "/studio/api/session")).toBe(404);
      expect(await status(purse, "/api/v2/info/endpointWeights")).toBe(404);
    }
  });

  it("serve live queries with the role live only", async () => {
    for (const purse of [front, worker]) await expect(openSocket(purse)).rejects.toThrow("404");
    const client = await connectLive(observer);
    await client.subscribe("Note");
    const { body } = await rest(front, "POST", "/classes/Note", { n: 2 });
    expect(await client.next()).toMatchObject({ op: "create", object: { objectId: body.objectId, n: 2 } });
    client.socket.terminate();
  });

  it("run scheduled jobs with the role worker only, and functions where they are called", async () => {
    const called = await rest(front, "POST", "/functions/where", {});
    expect(called.body.result).toBe(String(front.pid));
    // A schedule whose time has passed when it is read first is not run.
    const startAfter = new Date(Date.now() + 10_000).toISOString();
    await rest(front, "POST", "/classes/_JobSchedule", { jobName: "where", startAfter }, MASTER);
    const runs = async () => {
      const path = `/classes/_JobStatus${query({ where: { jobName: "where" } })}`;
      return (await rest(front, "GET", path, undefined, MASTER)).body.results;
    };
    await expect
      .poll(runs, { timeout: 60_000 })
      .toMatchObject([{ status: "succeeded", message: String(worker.pid) }]);
  });

  it("compete for leases with the role worker only", async () => {
    const lease = async (purse: PurseProcess) => {
      const text = await (await fetch(`${purse.url}/metrics`)).text();
      return /^purse_lease_held\{lease="chain-watch"\} (\d)$/m.exec(text)?.[1];
    };
    await expect.poll(() => lease(worker), { timeout: 30_000 }).toBe("1");
    expect([await lease(front), await lease(observer)]).toEqual(["0", "0"]);
  });
});
