/*
 * Requests in the format of the Moralis SDK for Unity, and its requirements on the text of a response, which it changes by
 * patterns before parsing. On PostgreSQL, which does not keep the order of keys.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  const cloud = join(mkdtempSync(join(tmpdir(), "purse-unity-")), "cloud.mjs");
  writeFileSync(cloud, `Parse.Cloud.define("echo", ({ params }) => params);`);
  purse = await hostPurse({ env: { ...(await databaseEnv("PostgreSQL")), PURSE_CLOUD: cloud } });
});
afterAll(() => purse?.remove());

const wireDate = (iso: string) => ({ __type: "Date", iso });

/** Sends a request; resolves with the text of the response. */
async function send(
  method: string,
  path: string,
  body?: unknown,
  sessionToken?: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${purse.serverUrl}/${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      "X-Parse-Application-Id": purse.appId,
      "X-Parse-Client-Version": "1.2.10.0",
      "X-Parse-Installation-Id": "0c0f6d3e-1a5c-4b5e-9d0e-000000000005",
      "x-moralis-platform": "UNITY SDK",
      "x-moralis-platform-version": "v1.2.10",
      ...(sessionToken !== undefined && { "X-Parse-Session-Token": sessionToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

describe("the Moralis SDK for Unity on PostgreSQL", () => {
  it("saves whole objects with their times, class and token", async () => {
    const times = {
      createdAt: wireDate("2022-01-02T03:04:05.678Z"),
      updatedAt: wireDate("2022-01-02T03:04:05.678Z"),
    };
    const hero = { Strength: 5, Name: "Ann", ClassName: "Hero", sessionToken: "", ...times };
    const made = await send("POST", "classes/Hero", {
      ...hero,
      ACL: { "*": { read: true, write: true } },
    });
    expect(made.status).toBe(201);
    const { objectId }: JsonObject = JSON.parse(made.text);
    const changed = await send("PUT", `classes/Hero/${objectId}`, {
      ...hero,
      objectId,
      Strength: 6,
    });
    expect(changed.status).toBe(200);
    const saved: JsonObject = JSON.parse((await send("GET", `classes/Hero/${objectId}`)).text);
    expect(saved).toMatchObject({ Strength: 6, Name: "Ann", ClassName: "Hero" });
    expect(String(saved.createdAt)).not.toContain("2022-");
    const asText = { ...hero, createdAt: times.createdAt.iso, updatedAt: times.updatedAt.iso };
    expect((await send("POST", "classes/Hero", asText)).status).toBe(201);
  });

  it("saves its user with all fields without changing server-managed ones", async () => {
    const { sessionToken } = await signUp(purse);
    const me: JsonObject = JSON.parse((await send("GET", "users/me", undefined, sessionToken)).text);
    const { sessionToken: _, ...user } = me;
    const all = {
      ...user,
      accounts: [],
      authData: {},
      updatedAt: wireDate(String(user.updatedAt)),
      bio: "x",
    };
    const { status } = await send("PUT", `classes/_User/${user.objectId}`, all, sessionToken);
    expect(status).toBe(200);
  });

  it("reads objects and dates by patterns, without parsing", async () => {
    const battle = {
      won: wireDate("2022-01-02T03:04:05.678Z"),
      turns: [wireDate("2022-01-02T03:04:06.000Z")],
    };
    await send("POST", "classes/Battle", battle);
    const { text } = await send("GET", "classes/Battle?where={}");
    expect(text).toMatch(/^\{"results":\[.*\]\}$/);
    const dates = [...text.matchAll(/\{"__type":"Date","iso":("[\dT:.-]+Z")\}/g)].map(([, date]) => date);
    expect(dates.toSorted()).toEqual(['"2022-01-02T03:04:05.678Z"', '"2022-01-02T03:04:06.000Z"']);
  });

  it("calls functions with an empty object or parameters", async () => {
    expect((await send("POST", "functions/echo", {})).text).toBe('{"result":{}}');
    const params = { address: "0x1", at: "2022-01-02T03:04:05Z" };
    expect((await send("POST", "functions/echo", params)).text).toBe(`{"result":${JSON.stringify(params)}}`);
  });

  it("connects and subscribes with null members", async () => {
    const socket = await openSocket(purse);
    const nothing = { restApiKey: null, javascriptKey: null, clientKey: null, windowsKey: null };
    const connected = await socket.request({
      op: "connect",
      applicationId: purse.appId,
      ...nothing,
      masterKey: null,
      sessionToken: null,
      installationId: null,
    });
    expect(connected.op).toBe("connected");
    const query = { className: "Hero", where: { Name: "Bob" } };
    const message = { op: "subscribe", applicationId: purse.appId, requestId: 1, sessionToken: null, query };
    expect((await socket.request(message)).op).toBe("subscribed");
    const created = new Promise((resolve) => socket.socket.once("message", (data) => resolve(String(data))));
    const born = wireDate("2022-01-02T03:04:05.678Z");
    await rest(purse, "POST", "/classes/Hero", { Name: "Bob", born });
    const text = await created;
    expect(text).toContain('"op":"create"');
    expect(text).toContain('{"__type":"Date","iso":"2022-01-02T03:04:05.678Z"}');
    socket.socket.terminate();
  });
});
