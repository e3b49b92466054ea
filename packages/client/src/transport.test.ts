import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { type Clock, systemClock } from "./connection.ts";
import { request } from "./transport.ts";
import { User } from "./user/User.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

describe("the envelope of a request", () => {
  it("is a POST with the HTTP method in the body", {
    tags: ["7.transport.post", "7.transport.verb-in-body"],
  }, async () => {
    await request("GET", "classes/Note");
    expect(server.requests[0]).toMatchObject({ httpMethod: "POST", body: { _method: "GET" } });
  });

  it("has no _method for a POST", async () => {
    await request("POST", "classes/Note");
    expect(server.requests[0]?.body).not.toHaveProperty("_method");
  });

  it("is sent as text/plain, so that browsers send no preflight", {
    tags: ["7.transport.content-type"],
  }, async () => {
    await request("PUT", "classes/Note/1");
    expect(server.requests[0]?.headers["content-type"]).toBe("text/plain");
  });

  it("contains the application id, the key and the client version", {
    tags: [
      "7.transport.body-application-id",
      "7.transport.body-client-key",
      "7.transport.body-client-version",
      "9.sdk-version",
    ],
  }, async () => {
    server.connect({ javascriptKey: "js" });
    await request("GET", "classes/Note");
    expect(server.requests[0]?.body).toMatchObject({
      _ApplicationId: "app",
      _JavaScriptKey: "js",
      _ClientVersion: "js1.7.0",
    });
  });

  it("contains the same installation id in every request", {
    tags: ["7.transport.body-installation-id"],
  }, async () => {
    await Promise.all([request("GET", "a"), request("GET", "b")]);
    const ids = server.requests.map(({ body }) => body._InstallationId);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  it("contains the current user's session token", { tags: ["7.transport.body-session-token"] }, async () => {
    await User.hydrate({ objectId: "u1", sessionToken: "r:mine" });
    await request("GET", "classes/Note");
    expect(server.requests[0]?.body._SessionToken).toBe("r:mine");
  });

  it("contains the session token of the request's options, and none for an empty string", async () => {
    await User.hydrate({ objectId: "u1", sessionToken: "r:mine" });
    await request("GET", "a", {}, { sessionToken: "r:other" });
    await request("GET", "b", {}, { sessionToken: "" });
    expect(server.requests[0]?.body._SessionToken).toBe("r:other");
    expect(server.requests[1]?.body).not.toHaveProperty("_SessionToken");
  });

  it("contains the master key on request, in place of the client key", {
    tags: ["7.transport.body-master-key"],
  }, async () => {
    server.connect({ javascriptKey: "js", masterKey: "master" });
    await request("GET", "a", {}, { useMasterKey: true });
    await request("GET", "b");
    expect(server.requests[0]?.body._MasterKey).toBe("master");
    expect(server.requests[0]?.body).not.toHaveProperty("_JavaScriptKey");
    expect(server.requests[1]?.body).not.toHaveProperty("_MasterKey");
  });

  it("contains no master key if none is set", async () => {
    await request("GET", "a", {}, { useMasterKey: true });
    expect(server.requests[0]?.body).not.toHaveProperty("_MasterKey");
  });

  it("contains the context", { tags: ["7.transport.body-context"] }, async () => {
    await request("POST", "classes/Note", {}, { context: { from: "test" } });
    expect(server.requests[0]?.body._context).toEqual({ from: "test" });
  });

  it("contains the flag _RevocableSession only after enableRevocableSession()", {
    tags: ["7.transport.body-revocable-session"],
  }, async () => {
    await request("GET", "a");
    User.enableRevocableSession();
    await request("GET", "b");
    expect(server.requests[0]?.body).not.toHaveProperty("_RevocableSession");
    expect(server.requests[1]?.body._RevocableSession).toBe("1");
  });
});

describe("the response of a request", () => {
  it("with an error body rejects with its code and message", {
    tags: ["8.backend.non-2xx-json"],
  }, async () => {
    server.respondWith(() => ({ status: 404, body: { code: 101, error: "Object not found." } }));
    await expect(request("GET", "a")).rejects.toMatchObject({
      code: 101,
      message: "Object not found.",
      status: 404,
    });
    expect(server.requests).toHaveLength(1);
  });

  it("with an error that is not JSON rejects with 107", { tags: ["8.backend.invalid-json"] }, async () => {
    server.respondWith(() => ({ status: 400, text: "<html>" }));
    const error = { code: 107, message: "Received an error with invalid JSON from Parse: <html>" };
    await expect(request("GET", "a")).rejects.toMatchObject(error);
  });

  it("with a body that is not JSON rejects with 100", {
    tags: ["8.backend.connection-failed", "8.code.100"],
  }, async () => {
    server.respondWith(() => ({ text: "" }));
    const failure = { code: 100, message: expect.stringMatching(/^XMLHttpRequest failed: /) };
    await expect(request("GET", "a")).rejects.toMatchObject(failure);
  });

  it("has the headers, such as the id of a job", async () => {
    server.respondWith(() => ({ body: {}, headers: { "X-Parse-Job-Status-Id": "job1" } }));
    expect((await request("POST", "jobs/x")).headers.get("X-Parse-Job-Status-Id")).toBe("job1");
  });
});

describe("a request that fails", () => {
  it("is retried after a random part of 125 ms times 2^attempt", {
    tags: ["9.retry.http-5xx", "9.retry.delay"],
  }, async () => {
    server.respondWith((_, attempt) => (attempt < 3 ? { status: 503, text: "" } : { body: { ok: 1 } }));
    expect((await request("GET", "a")).body).toEqual({ ok: 1 });
    expect(server.retryDelays).toEqual([125, 250]);
  });

  it("is given up after five attempts", {
    tags: ["9.retry.status-0", "9.retry.attempt-limit", "8.backend.unable-to-connect"],
  }, async () => {
    server.respondWith(() => ({ dropConnection: true }));
    const message = 'XMLHttpRequest failed: "Unable to connect to the Parse API"';
    await expect(request("GET", "a")).rejects.toMatchObject({ code: 100, message });
    expect(server.requests.length).toBeGreaterThanOrEqual(5);
    expect(server.retryDelays).toHaveLength(4);
  });

  it("rejects with the error of the last attempt", async () => {
    server.respondWith(() => ({ status: 500, body: { code: 1, error: "Internal server error." } }));
    await expect(request("GET", "a")).rejects.toMatchObject({ code: 1 });
    expect(server.requests).toHaveLength(5);
  });

  it("sends one request ID with all attempts if idempotency is on", async () => {
    server.connect({ idempotency: true });
    server.respondWith((_, attempt) => (attempt < 3 ? { status: 500, text: "" } : { body: {} }));
    await request("POST", "classes/Note");
    const ids = new Set(server.requests.map(({ headers }) => headers["x-parse-request-id"]));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toBeTruthy();
  });

  it("is not retried after its signal is aborted", async () => {
    const abort = new AbortController();
    server.respondWith(() => {
      abort.abort(new Error("enough"));
      return { status: 500 };
    });
    await expect(request("GET", "a", {}, { signal: abort.signal })).rejects.toThrow("enough");
    expect(server.requests).toHaveLength(1);
  });

  it("is not sent if its signal was aborted before", async () => {
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(request("GET", "a", {}, { signal })).rejects.toThrow("never mind");
    expect(server.requests).toHaveLength(0);
  });

  it("rejects at once if it is aborted while it waits for a retry", async () => {
    const abort = new AbortController();
    const sleep: Clock["sleep"] = (_, signal) => {
      const waiting = systemClock.sleep(600_000, signal);
      abort.abort(new Error("enough"));
      return waiting;
    };
    server.connect({ clock: { ...systemClock, sleep } });
    server.respondWith(() => ({ status: 503, text: "" }));
    await expect(request("GET", "a", {}, { signal: abort.signal })).rejects.toThrow("enough");
  });
});

describe("the Authorization header", () => {
  it("is sent if both type and token are set", async () => {
    server.connect({ serverAuthType: "Bearer", serverAuthToken: "gate" });
    await request("GET", "a");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer gate");
    server.connect({ serverAuthToken: "gate" });
    await request("GET", "a");
    expect(server.requests[1]?.headers).not.toHaveProperty("authorization");
  });
});
