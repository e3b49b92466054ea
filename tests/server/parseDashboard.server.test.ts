import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, type Credentials, hostPurse, type Purse, rest } from "../support/purse.ts";
import { type PushServices, startPushServices } from "../support/pushServices.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("Parse Dashboard's requests on %s", (database) => {
  let purse: Purse;
  let world: PushServices;
  beforeAll(async () => {
    world = await startPushServices();
    const cloud = join(import.meta.dirname, "../fixtures/cloud/main.ts");
    purse = await hostPurse({
      env: { ...world.env, ...(await databaseEnv(database)), PURSE_CLOUD: cloud },
    });
  });
  afterAll(async () => {
    await purse?.remove();
    await world?.stop();
  });
  const ask = (
    method: string,
    path: string,
    body?: object,
    credentials: Credentials = MASTER,
  ): Promise<Answer> => rest(purse, method, path, body, credentials);

  it("return the features of the server", async () => {
    const { body } = await ask("GET", "/serverInfo");
    expect(body).toMatchObject({
      features: {
        push: { immediatePush: true, scheduledPush: true, pushAudiences: true },
        logs: { level: true, from: true },
        cloudCode: { jobs: true },
      },
      parseServerVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  it.each([
    ["GET", "/push_audiences"],
    ["POST", "/push_audiences"],
    ["PUT", "/push_audiences/x"],
    ["DELETE", "/push_audiences/x"],
    ["POST", "/cloud_code/jobs"],
    ["PUT", "/cloud_code/jobs/x"],
    ["DELETE", "/cloud_code/jobs/x"],
    ["GET", "/scriptlog"],
  ])("to %s %s require the master key", async (method, path) => {
    const answer = await ask(method, path, method === "GET" ? undefined : {}, {});
    expect(answer).toMatchObject({ status: 403, body: { error: "unauthorized: master key is required" } });
  });

  describe("an audience", () => {
    const query = JSON.stringify({ deviceType: "ios", badge: { $gt: 1 } });

    it("is stored as text and returned as a query", async () => {
      const { status, body } = await ask("POST", "/push_audiences", { name: "iPhones", query });
      expect(status).toBe(201);
      expect((await ask("GET", `/push_audiences/${body.objectId}`)).body).toMatchObject({
        name: "iPhones",
        query: JSON.parse(query),
      });
      const renamed = await ask("PUT", `/push_audiences/${body.objectId}`, { name: "Phones" });
      expect(renamed.status).toBe(200);
      const found = await ask("GET", `/push_audiences?where=${JSON.stringify({ name: "Phones" })}&count=1`);
      expect(found.body).toMatchObject({ results: [{ query: JSON.parse(query) }], count: 1 });
      expect((await ask("DELETE", `/push_audiences/${body.objectId}`)).status).toBe(200);
      expect((await ask("GET", `/push_audiences/${body.objectId}`)).body.code).toBe(101);
    });

    it.each([["{"], [JSON.stringify({ a: { $no: 1 } })], ["[1]"]])(
      "is rejected for the invalid query %j",
      async (query) => {
        expect((await ask("POST", "/push_audiences", { name: "x", query })).body).toMatchObject({
          code: 102,
          error: expect.stringContaining("query for installations"),
        });
      },
    );

    it("counts the pushes that use it", async () => {
      const { body } = await ask("POST", "/push_audiences", { name: "all", query: "{}" });
      const push = { where: {}, data: { alert: "x" }, audience_id: body.objectId };
      await ask("POST", "/push", push);
      await ask("POST", "/push", push);
      expect((await ask("GET", `/push_audiences/${body.objectId}`)).body).toMatchObject({
        timesUsed: 2,
        lastUsed: { __type: "Date", iso: expect.any(String) },
      });
      expect((await ask("POST", "/push", { ...push, audience_id: "none" })).body.code).toBe(101);
    });
  });

  describe("a job schedule", () => {
    it("is created, updated and deleted", async () => {
      const startAfter = "2099-01-01T00:00:00.000Z";
      const schedule = { jobName: "count", description: "by night", params: "{}", startAfter };
      const { status, body } = await ask("POST", "/cloud_code/jobs", { job_schedule: schedule });
      expect({ status, body }).toMatchObject({ status: 201, body: { objectId: expect.any(String) } });
      const repeated = { ...schedule, repeatMinutes: 30 };
      expect((await ask("PUT", `/cloud_code/jobs/${body.objectId}`, { job_schedule: repeated })).status).toBe(
        200,
      );
      const { results } = await list("/cloud_code/jobs");
      expect(results).toMatchObject([{ objectId: body.objectId, repeatMinutes: 30, startAfter }]);
      const { body: data } = await ask("GET", "/cloud_code/jobs/data");
      expect(data).toMatchObject({ in_use: ["count"], jobs: expect.arrayContaining(["count"]) });
      expect((await ask("DELETE", `/cloud_code/jobs/${body.objectId}`)).status).toBe(200);
      expect((await list("/cloud_code/jobs")).results).toEqual([]);
    });

    it("starts immediately without a start time", async () => {
      const { body } = await ask("POST", "/cloud_code/jobs", {
        job_schedule: { jobName: "count", repeatMinutes: 600 },
      });
      const { results } = await list("/cloud_code/jobs");
      expect(Date.parse(String(results[0]?.startAfter))).toBeLessThanOrEqual(Date.now());
      await ask("DELETE", `/cloud_code/jobs/${body.objectId}`);
    });

    it("is rejected without any time", async () => {
      const { body } = await ask("POST", "/classes/_JobSchedule", { jobName: "count" });
      expect(body).toEqual({
        code: 142,
        error: "A schedule needs cron, or startAfter, or daysOfWeek and timeOfDay",
      });
    });

    it("is rejected for an unknown job, and without a job", async () => {
      expect((await ask("POST", "/cloud_code/jobs", { job_schedule: { jobName: "none" } })).body).toEqual({
        code: 1,
        error: "Cannot Schedule a job that is not deployed",
      });
      expect((await ask("POST", "/cloud_code/jobs", {})).body.code).toBe(107);
    });
  });

  describe("the log", () => {
    it("returns the newest lines first up to the requested size", async () => {
      for (const text of ["one", "two", "three", "four"]) await ask("POST", "/functions/says", { text });
      // Logs of cloud code come from another thread.
      await expect.poll(async () => (await list("/scriptlog?size=3&level=info")).results).toHaveLength(3);
      const { results } = await list("/scriptlog?size=3&level=info");
      const times = results.map(({ timestamp }) => String(timestamp));
      expect(times).toEqual([...times].sort().reverse());
      expect(results[0]).toMatchObject({ level: expect.any(String), message: expect.any(String) });
      expect((await list(`/scriptlog?until=2020-01-01`)).results).toEqual([]);
    });

    it("contains requests with masked passwords at the log level debug", async () => {
      const env = { ...(await databaseEnv(database)), PURSE_LOG_LEVEL: "debug" };
      const verbose = await hostPurse({ env });
      const headers = {
        "x-parse-application-id": verbose.appId,
        "x-parse-master-key": verbose.masterKey,
        "content-type": "application/json",
      };
      try {
        await fetch(`${verbose.serverUrl}/login?username=ada&password=simple.com`, { headers });
        const body = JSON.stringify({ username: "ada", password: "simple.com" });
        await fetch(`${verbose.serverUrl}/login`, { method: "POST", headers, body });
        const response = await fetch(`${verbose.serverUrl}/scriptlog?size=50&level=verbose`, { headers });
        const lines = JSON.parse(await response.text());
        expect(lines).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              level: "debug",
              method: "GET",
              url: "/server/login?username=ada&password=********",
              message: "REQUEST for [GET] /server/login?username=ada&password=********: {}",
            }),
            expect.objectContaining({
              message:
                'REQUEST for [POST] /server/login: {\n  "username": "ada",\n  "password": "********"\n}',
            }),
            expect.objectContaining({
              message: "ERROR of [POST] /server/login: Invalid username/password.",
            }),
          ]),
        );
        expect(verbose.output() + JSON.stringify(lines)).not.toContain("simple.com");
      } finally {
        await verbose.remove();
      }
    });

    it.each(["level=loud", "order=up", "from=tomorrow", "size=many"])(
      "rejects the invalid parameter %s",
      async (requested) => {
        expect((await ask("GET", `/scriptlog?${requested}`)).body.code).toBe(102);
      },
    );
  });

  /** Requests a response that is an array. */
  async function list(path: string): Promise<{ results: Record<string, unknown>[] }> {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      headers: { "x-parse-application-id": purse.appId, "x-parse-master-key": purse.masterKey },
    });
    expect(response.status).toBe(200);
    return { results: await response.json() };
  }
});
