import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import {
  type Answer,
  type Credentials,
  hostPurse,
  type Purse,
  query,
  rest,
  signUp,
  startPurse,
} from "../support/purse.ts";
import { type PushServices, startPushServices } from "../support/pushServices.ts";

const MASTER = { useMasterKey: true };
const READ_ONLY_KEY = "only-for-looking";

let installations = 0;

async function install(purse: Purse, fields: JsonObject): Promise<string> {
  const installationId = `installation-${++installations}`;
  const { body } = await rest(purse, "POST", "/installations", { installationId, ...fields }, MASTER);
  expect(body).toMatchObject({ objectId: expect.any(String) });
  return String(body.objectId);
}

const installation = async (purse: Purse, id: string) =>
  (await rest(purse, "GET", `/installations/${id}`, undefined, MASTER)).body;

const push = (purse: Purse, body: unknown, credentials: Credentials = MASTER): Promise<Answer> =>
  rest(purse, "POST", "/push", body, credentials);

async function statusOf(purse: Purse, answer: Answer): Promise<JsonObject> {
  const id = String(answer.headers.get("x-parse-push-status-id"));
  return (await rest(purse, "GET", `/classes/_PushStatus/${id}`, undefined, MASTER)).body;
}

/** Sends a push and waits until it is finished. */
async function pushed(purse: Purse, body: unknown): Promise<JsonObject> {
  const answer = await push(purse, body);
  expect(answer.body).toEqual({ result: true });
  await expect.poll(async () => (await statusOf(purse, answer)).status).toMatch(/succeeded|failed/);
  return statusOf(purse, answer);
}

describe.each(DATABASES)("push on %s", (database) => {
  let purse: Purse;
  let world: PushServices;
  beforeAll(async () => {
    world = await startPushServices();
    const env = { ...world.env, ...(await databaseEnv(database)), PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY };
    purse = await hostPurse({ env });
  });
  afterAll(async () => {
    await purse?.remove();
    await world?.stop();
  });
  beforeEach(() => {
    for (const { received, refuse } of [world.browsers, world.fcm, world.apns]) {
      received.length = 0;
      refuse.clear();
    }
  });

  describe("a push request", () => {
    it("accepts its query as JSON text, as the PHP SDK sends it", async () => {
      const answer = await push(purse, { where: "{}", data: { alert: "hi" } });
      expect(answer.status).toBe(200);
    });

    it("requires the master key, and not the read-only key", { tags: ["6.master-key.push"] }, async () => {
      const body = { channels: ["nobody-listens"], data: { alert: "hi" } };
      const orders = async () => {
        const counted = await rest(purse, "GET", "/classes/_PushStatus?count=1&limit=0", undefined, MASTER);
        return Number(counted.body.count);
      };
      const before = await orders();
      const { sessionToken } = await signUp(purse);
      const refused = [
        await push(purse, body, {}),
        await push(purse, body, { sessionToken }),
        await push({ ...purse, masterKey: "wrong" }, body),
        await push({ ...purse, masterKey: READ_ONLY_KEY }, body),
      ];
      for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 119]);
      expect(await orders()).toBe(before);
      expect(await pushed(purse, body)).toMatchObject({ numSent: 0 });
      expect(await orders()).toBe(before + 1);
    });

    it.each<[string, object, string]>([
      ["neither where nor channels", {}, 'Sending a push requires either "channels" or a "where" query.'],
      ["both", { where: {}, channels: [] }, "Channels and query can not be set at the same time."],
      [
        "both expirations",
        { where: {}, expiration_time: "2099-01-01T00:00:00Z", expiration_interval: 5 },
        "Both expiration_time and expiration_interval cannot be set",
      ],
      ["a bad expiration_time", { where: {}, expiration_time: "soon" }, "soon is not valid time."],
      ["an expiration_time of another type", { where: {}, expiration_time: true }, "true is not valid time."],
      ["a bad push_time", { where: {}, push_time: "later" }, "later is not valid time."],
      ["an endless push_time", { where: {}, push_time: 1e300 }, "1e+300 is not valid time."],
      [
        "a negative interval",
        { where: {}, expiration_interval: -1 },
        "expiration_interval must be a number greater than 0",
      ],
      [
        "an invalid badge",
        { where: {}, data: { badge: "many" } },
        "Invalid value for badge, expected number or 'Increment' or {increment: number}",
      ],
      ["invalid data", { where: {}, data: "hi" }, "data must be an object"],
    ])("is rejected with 115: %s", async (_, body, error) => {
      const { status, body: answer } = await push(purse, body);
      expect(status).toBe(400);
      expect(answer).toEqual({ code: 115, error });
    });

    it.each([[{ a: { $where: "1" } }], [[1]], ["text"], [{ "a b": 1 }]])(
      "is rejected with an invalid query: %j",
      async (where) => {
        expect((await push(purse, { where, data: {} })).status).toBe(400);
      },
    );

    it("is recorded in _PushStatus, which only the master key can read", { tags: ["7.push"] }, async () => {
      const answer = await push(purse, { channels: ["nobody"], data: { alert: "hi" } });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ result: true });
      await expect.poll(async () => (await statusOf(purse, answer)).status).toBe("succeeded");
      expect(await statusOf(purse, answer)).toMatchObject({
        query: '{"channels":{"$in":["nobody"]}}',
        payload: '{"alert":"hi"}',
        pushHash: "49f68a5c8493ec2c0bf489821c21fc3b",
        source: "rest",
        numSent: 0,
      });
      const { sessionToken } = await signUp(purse);
      for (const credentials of [{}, { sessionToken }]) {
        expect((await rest(purse, "GET", "/classes/_PushStatus", undefined, credentials)).body.code).toBe(
          119,
        );
      }
      const found = await rest(purse, "GET", `/classes/_PushStatus${query({ limit: 1 })}`, undefined, MASTER);
      expect(found.body.results).toHaveLength(1);
    });
  });

  it("reaches browsers, Android and Apple devices through their services", async () => {
    const channels = ["all"];
    await install(purse, { channels, deviceType: "web", deviceToken: world.browsers.subscribe("one") });
    await install(purse, { channels, deviceType: "android", deviceToken: "android-one" });
    await install(purse, { channels, deviceType: "ios", deviceToken: "ab".repeat(32) });
    await install(purse, { channels, deviceType: "winrt", deviceToken: "win" });
    await install(purse, { channels: ["other"], deviceType: "android", deviceToken: "android-other" });
    const status = await pushed(purse, {
      channels,
      data: { alert: "Hello", title: "Purse", sound: "ping", link: "/a" },
      expiration_interval: 600,
    });
    expect(status).toMatchObject({
      status: "succeeded",
      numSent: 3,
      numFailed: 1,
      sentPerType: { web: 1, android: 1, ios: 1 },
      failedPerType: { winrt: 1 },
    });
    expect(world.browsers.received).toHaveLength(1);
    const [browser] = world.browsers.received;
    expect(browser?.body).toEqual({ alert: "Hello", title: "Purse", sound: "ping", link: "/a" });
    expect(Number(browser?.headers.ttl)).toBeGreaterThan(590);
    const [android] = world.fcm.received;
    expect(android).toMatchObject({
      token: "android-one",
      body: { data: { push_id: status.objectId }, android: { priority: "high" } },
    });
    expect(JSON.parse(String(Object(android?.body.data).data))).toMatchObject({ alert: "Hello", link: "/a" });
    const [apple] = world.apns.received;
    expect(apple).toMatchObject({
      token: "ab".repeat(32),
      headers: { "apns-push-type": "alert", "apns-priority": "10" },
      body: { aps: { alert: { title: "Purse", body: "Hello" }, sound: "ping" }, link: "/a" },
    });
    expect(Number(apple?.headers["apns-expiration"])).toBeGreaterThan(Date.now() / 1_000);
  });

  it("is sent to all matching installations, also in several batches", async () => {
    const ids = await Promise.all(
      Array.from({ length: 130 }, (_, i) =>
        install(purse, { deviceType: "android", deviceToken: `many-${i}`, appVersion: i < 125 ? "9" : "8" }),
      ),
    );
    expect(ids).toHaveLength(130);
    const status = await pushed(purse, { where: { appVersion: "9" }, data: { alert: "x" } });
    expect(status.numSent).toBe(125);
    expect(new Set(world.fcm.received.map(({ token }) => token)).size).toBe(125);
    expect(world.fcm.tokens()).toBe(1);
  });

  it("increments badges by the requested amount for each device", async () => {
    const channels = ["badges"];
    const [one, two] = [
      await install(purse, { channels, deviceType: "ios", deviceToken: "cd".repeat(32), badge: 4 }),
      await install(purse, { channels, deviceType: "ios", deviceToken: "ef".repeat(32) }),
    ];
    await pushed(purse, { channels, data: { alert: "x", badge: "Increment" } });
    expect((await installation(purse, one)).badge).toBe(5);
    expect((await installation(purse, two)).badge).toBe(1);
    const badges = world.apns.received.map(({ token, body }) => [token.slice(0, 2), Object(body.aps).badge]);
    expect(badges.sort()).toEqual([
      ["cd", 5],
      ["ef", 1],
    ]);
    await pushed(purse, { channels, data: { badge: { __op: "Increment", amount: 3 } } });
    expect((await installation(purse, one)).badge).toBe(8);
    await pushed(purse, { channels, data: { badge: 7 } });
    expect((await installation(purse, two)).badge).toBe(7);
  });

  it("uses the language of the device", async () => {
    const channels = ["languages"];
    await install(purse, { channels, deviceType: "android", deviceToken: "de", localeIdentifier: "de-AT" });
    await install(purse, { channels, deviceType: "android", deviceToken: "fr", localeIdentifier: "fr-FR" });
    await pushed(purse, { channels, data: { alert: "Hello", "alert-de": "Hallo" } });
    const texts = world.fcm.received.map(({ token, body }) => [
      token,
      JSON.parse(String(Object(body.data).data)),
    ]);
    expect(Object.fromEntries(texts)).toEqual({ de: { alert: "Hallo" }, fr: { alert: "Hello" } });
  });

  it("without an alert is sent as silent", async () => {
    const channels = ["silent"];
    await install(purse, { channels, deviceType: "ios", deviceToken: "12".repeat(32) });
    await pushed(purse, { channels, data: { "content-available": 1, job: "sync" } });
    expect(world.apns.received[0]).toMatchObject({
      headers: { "apns-push-type": "background", "apns-priority": "5" },
      body: { aps: { "content-available": 1 }, job: "sync" },
    });
  });

  it("removes expired tokens from installations, and keeps others", async () => {
    const channels = ["gone"];
    const gone = [
      await install(purse, { channels, deviceType: "web", deviceToken: world.browsers.subscribe("gone") }),
      await install(purse, { channels, deviceType: "android", deviceToken: "gone" }),
      await install(purse, { channels, deviceType: "ios", deviceToken: "99".repeat(32) }),
      await install(purse, { channels, deviceType: "web", deviceToken: "no subscription" }),
    ];
    const busy = [
      await install(purse, { channels, deviceType: "android", deviceToken: "busy" }),
      await install(purse, { channels, deviceType: "ios", deviceToken: "88".repeat(32) }),
    ];
    world.browsers.refuse.set("gone", { status: 410 });
    world.fcm.refuse.set("gone", {
      status: 404,
      handleRequest: {
        error: {
          code: 404,
          status: "NOT_FOUND",
          details: [
            { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: "UNREGISTERED" },
          ],
        },
      },
    });
    world.apns.refuse.set("99".repeat(32), { status: 410, handleRequest: { reason: "Unregistered" } });
    world.fcm.refuse.set("busy", { status: 503 });
    world.apns.refuse.set("88".repeat(32), { status: 429, handleRequest: { reason: "TooManyRequests" } });
    const status = await pushed(purse, { channels, data: { alert: "x" } });
    expect(status).toMatchObject({ numSent: 0, numFailed: 6 });
    for (const id of gone) {
      await expect.poll(async () => (await installation(purse, id)).deviceToken).toBeUndefined();
    }
    for (const id of busy) expect((await installation(purse, id)).deviceToken).toBeDefined();
  });

  it("calls push services only, whatever endpoint a subscription has", async () => {
    const channels = ["forged"];
    const forged = JSON.parse(world.browsers.subscribe("forged"));
    for (const endpoint of [
      `${purse.url}/health`,
      "http://169.254.169.254/latest",
      "https://fcm.googleapis.com.evil.example/x",
      "file:///etc/passwd",
    ]) {
      await install(purse, {
        channels,
        deviceType: "web",
        deviceToken: JSON.stringify({ ...forged, endpoint }),
      });
    }
    expect(await pushed(purse, { channels, data: { alert: "x" } })).toMatchObject({
      numSent: 0,
      numFailed: 4,
    });
  });

  it("is sent at its scheduled time", async () => {
    const channels = ["later"];
    await install(purse, { channels, deviceType: "android", deviceToken: "later" });
    const at = new Date(Date.now() + 1_200).toISOString();
    const answer = await push(purse, { channels, data: { alert: "x" }, push_time: at });
    expect(await statusOf(purse, answer)).toMatchObject({ status: "scheduled", pushTime: at });
    await expect.poll(() => world.fcm.received.length, { interval: 5 }).toBe(1);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
    await expect.poll(async () => (await statusOf(purse, answer)).status).toBe("succeeded");
  });

  it("with a local time is sent to each device at that time in its zone", async () => {
    const channels = ["local"];
    for (const timeZone of ["Asia/Tokyo", "Asia/Kathmandu", "America/New_York", undefined]) {
      const deviceToken = `at ${timeZone}`;
      await install(purse, { channels, deviceType: "android", deviceToken, ...(timeZone && { timeZone }) });
    }
    // A minute ago in Tokyo, more than three hours ahead in Kathmandu.
    const pushTime = new Date(Date.now() + (9 * 60 - 1) * 60_000).toISOString().slice(0, -1);
    const answer = await push(purse, { channels, data: { alert: "x" }, push_time: pushTime });
    await expect.poll(() => world.fcm.received.length, { timeout: 10_000 }).toBe(1);
    expect(world.fcm.received.map(({ token }) => token)).toEqual(["at Asia/Tokyo"]);
    await expect
      .poll(() => statusOf(purse, answer))
      .toMatchObject({ status: "scheduled", pushTime, numSent: 1 });
  });

  it("is not sent after its expiration", async () => {
    const channels = ["expired"];
    await install(purse, { channels, deviceType: "android", deviceToken: "expired" });
    const status = await pushed(purse, { channels, data: { alert: "x" }, expiration_time: 1 });
    expect(status).toMatchObject({
      status: "failed",
      errorMessage: { message: "The push expired before it was sent" },
    });
    expect(world.fcm.received).toHaveLength(0);
  });

  it("reports changed installations to live queries", async () => {
    const operator = await connectLive(purse, { masterKey: purse.masterKey });
    await operator.subscribe("_Installation", { channels: "watched" });
    const channels = ["watched"];
    await install(purse, { channels, deviceType: "web", deviceToken: "no subscription" });
    expect(await operator.next()).toMatchObject({ op: "create" });
    await pushed(purse, { channels, data: { alert: "x" } });
    const event = await operator.next();
    expect(event.op).toBe("update");
    expect(event.object).not.toHaveProperty("deviceToken");
    operator.socket.terminate();
  });
});

describe("push", () => {
  it("is rejected if no service is configured", async () => {
    const purse = await hostPurse();
    const { body } = await push(purse, { where: {}, data: {} });
    expect(body).toEqual({ code: 115, error: "Missing push configuration" });
    await purse.remove();
  });

  it("is retried while its service is down", async () => {
    const world = await startPushServices();
    const purse = await hostPurse({ env: world.env });
    await install(purse, { deviceType: "android", deviceToken: "a" });
    await install(purse, { deviceType: "ios", deviceToken: "aa".repeat(32) });
    await install(purse, { deviceType: "web", deviceToken: world.browsers.subscribe("a") });
    await world.stop();
    expect(await pushed(purse, { where: {}, data: { alert: "x" } })).toMatchObject({
      numSent: 0,
      numFailed: 3,
    });
    expect((await fetch(`${purse.url}/health`)).status).toBe(200);
    await purse.remove();
  });

  if (NIGHTLY)
    it("with a scheduled time is sent by one of several processes on PostgreSQL, also if the first one crashes", async () => {
      const world = await startPushServices();
      const env = { ...world.env, ...(await databaseEnv("PostgreSQL")) };
      const [one, two] = await Promise.all([hostPurse({ env }), hostPurse({ env })]);
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => install(one, { deviceType: "android", deviceToken: `t${i}` })),
      );
      const dying = await startPurse({ env });
      const push_time = Math.ceil(Date.now() / 1_000) + 4;
      const orders = [one, two, dying].map((each) =>
        push(each, { where: {}, data: { alert: "x" }, push_time }),
      );
      const scheduled = await Promise.all(orders);
      for (const { status } of scheduled) expect(status).toBe(200);
      await dying.kill();
      for (const answer of scheduled) {
        const sent = () => statusOf(one, answer);
        await expect.poll(sent, { timeout: 20_000 }).toMatchObject({ status: "succeeded", numSent: 20 });
      }
      expect(world.fcm.received).toHaveLength(60);
      await Promise.all([one.remove(), two.remove(), dying.remove()]);
      await world.stop();
    });
});
