import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { envelope, hostPurse, type Purse, rest } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(() => purse?.remove());
afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

describe("the legacy envelope", () => {
  it("carries the method, the credentials and the parameters in the body", async () => {
    const made = await envelope(purse, "/classes/Thing", {
      a: 1,
      _ClientVersion: "js1.7.0",
      _InstallationId: "i",
    });
    expect(made.status).toBe(201);
    const id = String(made.body.objectId);
    expect((await envelope(purse, `/classes/Thing/${id}`, { _method: "GET" })).body).toMatchObject({ a: 1 });
    expect((await envelope(purse, `/classes/Thing/${id}`, { _method: "PUT", a: 2 })).status).toBe(200);
    expect(
      (await envelope(purse, "//classes//Thing", { _method: "GET", where: { a: 2 } })).body.results,
    ).toHaveLength(1);
    expect((await envelope(purse, `/classes/Thing/${id}`, { _method: "DELETE" })).body).toEqual({});
  });

  it("has parameters that the query string overrides", async () => {
    for (const n of [1, 2]) await rest(purse, "POST", "/classes/Limited", { n });
    const find = (search: string) =>
      envelope(purse, `/classes/Limited${search}`, { _method: "GET", limit: 2 });
    expect((await find("")).body.results).toHaveLength(2);
    expect((await find("?limit=1")).body.results).toHaveLength(1);
  });

  it("accepts conditions as nested query string fields", async () => {
    for (const name of ["ann", "bob"]) await rest(purse, "POST", "/classes/Named", { name });
    const { body } = await rest(purse, "GET", "/classes/Named?where[name][$regex]=^a");
    expect(body.results).toEqual([expect.objectContaining({ name: "ann" })]);
  });

  it("allows CORS from all origins without cookies", async () => {
    const response = await fetch(`${purse.serverUrl}/classes/Thing`, {
      method: "OPTIONS",
      headers: { Origin: "http://app.example", "Access-Control-Request-Headers": "x-parse-application-id" },
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(response.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(
      "x-moralis-platform",
    );
  });
});

describe("invalid input", () => {
  it.each([
    ["malformed JSON", "/classes/Thing", "{", 400, 107],
    ["a body that is not an object", "/classes/Thing", "[1]", 400, 107],
    ["an unknown operator", "/classes/Thing", { _method: "GET", where: { a: { $boom: 1 } } }, 400, 102],
    ["a bad key", "/classes/Thing", { "a;b": 1 }, 400, 105],
    ["a reserved key", "/classes/Thing", { objectId: "x" }, 400, 105],
    ["an internal key", "/classes/Thing", { _rperm: ["*"] }, 400, 105],
    ["a prototype key", "/classes/Thing", '{"_ApplicationId":"test-app","__proto__":{"x":1}}', 400, 105],
    [
      "a nested prototype key",
      "/classes/Thing",
      '{"_ApplicationId":"test-app","a":{"constructor":1}}',
      400,
      105,
    ],
    ["an ACL with a bad permission", "/classes/Thing", { ACL: { "*": { admin: true } } }, 400, 123],
    ["a bad class name", "/classes/a-b", { a: 1 }, 400, 103],
    ["an internal class", "/classes/_Hidden", { a: 1 }, 400, 103],
    [
      "a value that does not match its type",
      "/classes/Thing",
      { a: { __type: "Date", iso: "soon" } },
      400,
      111,
    ],
    ["an unknown operation", "/classes/Thing", { a: { __op: "Explode" } }, 400, 108],
    ["an unknown method", "/classes/Thing", { _method: "BREW" }, 405, 108],
    ["an unknown path", "/nothing/here", {}, 404, 108],
    [
      "a session token that is an object",
      "/classes/Thing",
      { _SessionToken: { $ne: 1 }, _method: "GET" },
      400,
      209,
    ],
    ["another application", "/classes/Thing", { _ApplicationId: "other", _method: "GET" }, 403, 119],
    ["a wrong master key", "/classes/Thing", { _MasterKey: "guess", _method: "GET" }, 403, 119],
    ["an unknown session", "/classes/Thing", { _SessionToken: "r:none", _method: "GET" }, 400, 209],
  ])(
    "with %s is rejected with its own code and message",
    { tags: ["8.code.107", "8.code.102", "8.code.105", "8.code.209"] },
    async (_name, path, body, status, code) => {
      expect(await envelope(purse, path, body)).toMatchObject({
        status,
        body: { code, error: expect.any(String) },
      });
    },
  );

  it("of another type than the field's is rejected with 111", async () => {
    await rest(purse, "POST", "/classes/Typed", { n: 1 });
    const { status, body } = await rest(purse, "POST", "/classes/Typed", { n: "one" });
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 111, error: "schema mismatch for Typed.n; expected Number but got String" },
    });
  });

  it("with a body that is too large is rejected before it is read", async () => {
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(purse.port, "127.0.0.1", () => {
        socket.write("POST /server/classes/Thing HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n{");
      });
      socket.once("data", (chunk) => {
        resolve(String(chunk).split("\r\n", 1)[0] ?? "");
        socket.destroy();
      });
      socket.once("error", reject);
    });
    expect(status).toBe("HTTP/1.1 413 Payload Too Large");
  });

  it("with an unknown path returns 404 with JSON", async () => {
    const response = await fetch(`${purse.url}/nothing.txt`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 101 });
  });
});
