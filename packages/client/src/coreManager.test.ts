import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { CoreManager } from "./coreManager.ts";
import { Moralis } from "./namespace.ts";
import { ParseObject } from "./object/ParseObject.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

describe("CoreManager", () => {
  it("reads and writes the settings of the connection under the old client's names", () => {
    CoreManager.set("REQUEST_ATTEMPT_LIMIT", 1);
    CoreManager.set("SERVER_URL", `${server.url}/`);
    expect(CoreManager.get("REQUEST_ATTEMPT_LIMIT")).toBe(1);
    expect(CoreManager.get("SERVER_URL")).toBe(server.url);
    expect(CoreManager.get("APPLICATION_ID")).toBe("app");
    expect(CoreManager.setIfNeeded("MASTER_KEY", "m")).toBe("m");
    expect(CoreManager.setIfNeeded("MASTER_KEY", "n")).toBe("m");
    expect(CoreManager.get("VERSION")).toBe("js1.7.0");
  });

  it("sends serverAuthType and serverAuthToken as the Authorization header", async () => {
    Moralis.serverAuthType = "Bearer";
    Moralis.serverAuthToken = "abc";
    expect([Moralis.serverAuthType, CoreManager.get("SERVER_AUTH_TOKEN")]).toEqual(["Bearer", "abc"]);
    await Moralis.getServerHealth();
    expect(server.requests[0]?.headers.authorization).toBe("Bearer abc");
  });

  it("sends REQUEST_HEADERS with every request", async () => {
    CoreManager.set("REQUEST_HEADERS", { "X-Tenant": "blue" });
    await Moralis.getServerHealth();
    expect(server.requests[0]?.headers["x-tenant"]).toBe("blue");
  });

  it("keeps a class named User apart from _User after allowCustomUserClass(true)", () => {
    Moralis.User.allowCustomUserClass(true);
    expect([new ParseObject("User").className, CoreManager.get("PERFORM_USER_REWRITE")]).toEqual([
      "User",
      false,
    ]);
    CoreManager.set("PERFORM_USER_REWRITE", true);
    expect(new ParseObject("User").className).toBe("_User");
  });

  it("rejects unknown keys", () => {
    expect(() => CoreManager.get("NOTHING")).toThrow("Configuration key not found: NOTHING");
    expect(() => CoreManager.set("NOTHING", 1)).toThrow("Configuration key not found: NOTHING");
  });
});

describe("the REST controller", () => {
  it("sends requests like every other method, and returns the body of the response", async () => {
    server.respondWith(() => ({ body: { results: [1] } }));
    const answer = await CoreManager.getRESTController().request("GET", "classes/Note", { limit: 1 });
    expect(answer).toEqual({ results: [1] });
    expect(await Moralis._request("PUT", "classes/Note/1", { a: 1 }, { sessionToken: "r:1" })).toEqual({
      results: [1],
    });
    expect(server.requests[1]).toMatchObject({
      call: "PUT classes/Note/1",
      body: { a: 1, _SessionToken: "r:1" },
    });
    const text = JSON.stringify({ a: 1 });
    expect(await Moralis._ajax("POST", `${server.url}/plain`, text)).toMatchObject({ status: 200 });
  });

  it("encodes and decodes values as the old client did", () => {
    const date = new Date(0);
    const json = { __type: "Date", iso: date.toISOString() };
    expect(Moralis._encode({ date }, null)).toEqual({ date: json });
    expect(Moralis._decode(null, { date: json })).toEqual({ date });
    expect(() => Moralis._encode(new ParseObject("Note"), null, true)).toThrow(
      "Parse Objects not allowed here",
    );
  });
});
