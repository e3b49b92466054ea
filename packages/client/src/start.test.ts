import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { Cloud } from "./cloud.ts";
import { connection } from "./connection.ts";
import { Plugins } from "./plugins.ts";
import { start } from "./start.ts";
import { memoryStorage } from "./storage.ts";
import { User } from "./user/User.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
});
afterEach(() => server.stop());

describe("start()", () => {
  it("requires serverUrl", { tags: ["5.start.server-url-required"] }, async () => {
    await expect(start({ appId: "app" })).rejects.toThrow("Moralis.start failed: serverUrl is required");
  });

  it("requires appId", { tags: ["5.start.app-id-required"] }, async () => {
    await expect(start({ serverUrl: server.url })).rejects.toThrow("Moralis.start failed: appId is required");
  });

  it("warns of a secret in a browser page", { tags: ["5.start.secret-in-browser-warning"] }, async () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await start({ serverUrl: server.url, appId: "app", moralisSecret: "secret", plugins: [] });
    expect(warn).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
    warn.mockRestore();
  });

  it("creates a connection that is frozen", async () => {
    await start({ serverUrl: `${server.url}/`, appId: "app", plugins: [] });
    expect(connection()).toMatchObject({ applicationId: "app", serverUrl: server.url });
    expect(Object.isFrozen(connection())).toBe(true);
  });

  it("uses the default storage and fetch if none is given", async () => {
    await start({ serverUrl: server.url, appId: "app", plugins: [], storage: undefined, fetch: undefined });
    expect(connection().storage.kind).toBe("sync");
  });

  it("requests only the server's plugins", async () => {
    server.respondWith(() => ({ body: { result: [] } }));
    await start({ serverUrl: server.url, appId: "app" });
    expect(server.requests.map(({ call }) => call)).toEqual(["POST functions/getPluginSpecs"]);
  });

  it("loads the classes of the signed-in user's values", async () => {
    const storage = memoryStorage();
    const place = { __type: "GeoPoint", latitude: 47, longitude: 8 };
    await storage.area.setItem(
      "Parse/app/currentUser",
      JSON.stringify({ className: "_User", objectId: "u1", place }),
    );
    await start({ serverUrl: server.url, appId: "app", plugins: [], storage, tracksCurrentUser: true });
    expect(User.current()?.get("place")).toMatchObject({ latitude: 47, longitude: 8 });
  });

  it("succeeds with servers that do not have getPluginSpecs", async () => {
    server.respondWith(() => ({
      status: 400,
      body: { code: 141, error: 'Invalid function: "getPluginSpecs"' },
    }));
    await start({ serverUrl: server.url, appId: "app" });
    expect(Object.keys(Plugins)).toEqual([]);
  });
});

describe("plugins", () => {
  const specs = [{ name: "shop", functions: ["buy"] }];

  it("call cloud functions named after plugin and function", {
    tags: ["7.plugin.function-name"],
  }, async () => {
    server.respondWith(() => ({ body: { result: { data: { success: true, result: { data: "ok" } } } } }));
    await start({ serverUrl: server.url, appId: "app", plugins: specs });
    expect(await Plugins.shop?.buy?.({ item: 1 })).toEqual({ data: "ok" });
    expect(server.requests[0]).toMatchObject({ call: "POST functions/shop_buy", body: { item: 1 } });
  });

  it("reject with the details of a failure", {
    tags: ["8.plugin.something-went-wrong", "8.plugin.details"],
  }, async () => {
    server.respondWith(() => ({
      body: { result: { data: { success: false, data: { data: { reason: "sold out" } } } } },
    }));
    await start({ serverUrl: server.url, appId: "app", plugins: specs });
    await expect(Plugins.shop?.buy?.()).rejects.toThrow('Something went wrong\n{\n  "reason": "sold out"\n}');
  });

  it("reject unknown triggers", async () => {
    const result = { triggers: [{ name: "fly" }] };
    server.respondWith(() => ({ body: { result: { data: { success: true, result } } } }));
    await start({ serverUrl: server.url, appId: "app", plugins: specs });
    await expect(Plugins.shop?.buy?.()).rejects.toThrow('Unknown trigger: "fly"');
  });
});

describe("cloud functions", () => {
  beforeEach(() => server.connect());

  it("resolve with the result, with dates decoded", { tags: ["7.function.result"] }, async () => {
    server.respondWith(() => ({
      body: { result: { at: { __type: "Date", iso: "2026-01-02T03:04:05.006Z" } } },
    }));
    expect(await Cloud.run("when")).toEqual({ at: new Date("2026-01-02T03:04:05.006Z") });
  });

  it("send their parameters encoded at the top level", async () => {
    server.respondWith(() => ({ body: {} }));
    expect(await Cloud.run("when", { from: new Date(0), n: 1 })).toBeUndefined();
    expect(server.requests[0]?.body).toMatchObject({
      from: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" },
      n: 1,
    });
  });

  it("reject with the server's error", { tags: ["8.function.error-field"] }, async () => {
    server.respondWith(() => ({ status: 400, body: { code: 141, error: "no stock" } }));
    await expect(Cloud.run("buy")).rejects.toMatchObject({ code: 141, message: "no stock" });
  });

  it("reject a response without a result", async () => {
    server.respondWith(() => ({ body: { other: 1 } }));
    await expect(Cloud.run("buy")).rejects.toMatchObject({
      code: 107,
      message: "The server returned an invalid response.",
    });
  });
});
