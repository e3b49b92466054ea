import { describe, expect, it } from "vitest";
import { createRequestLog } from "./requestLog.ts";

/** The lines that a request writes, `fails` if it is rejected. */
async function linesOf(method: string, url: string, params: Record<string, string | object>, fails = false) {
  const lines: { message: string; url: unknown }[] = [];
  const log = createRequestLog({
    debug: (message, fields) => void lines.push({ message, url: fields?.url }),
  });
  const request = { method, url, params: JSON.parse(JSON.stringify(params)), requestId: "one" };
  const executed = log(request, async () => {
    if (fails) throw new Error("Object not found.");
    return { status: 201 };
  });
  await executed.catch(() => undefined);
  return lines;
}

describe("createRequestLog()", () => {
  it("logs the method, the URL and the body of a request, and the status of its response", async () => {
    const lines = await linesOf("POST", "/server/classes/Game?count=1", { count: "1", title: "Chess" });
    expect(lines.map(({ message }) => message)).toEqual([
      'REQUEST for [POST] /server/classes/Game?count=1: {\n  "title": "Chess"\n}',
      "RESPONSE from [POST] /server/classes/Game?count=1: 201",
    ]);
  });

  it("logs why a request fails", async () => {
    const [, last] = await linesOf("GET", "/server/classes/Game/x", {}, true);
    expect(last?.message).toBe("ERROR of [GET] /server/classes/Game/x: Object not found.");
  });

  it.each([
    ["a password", "username=ada&password=simple%20%40%2C%2F%3F", "username=ada&password=********"],
    ["a token of an email", "token=abc&username=ada", "token=********&username=ada"],
    ["a session token", "_SessionToken=r%3Aabcdefghij", "_SessionToken=********"],
    ["a session token in a condition", "where=%7B%22a%22%3A%22r%3Aabcdefghij%22%7D", "where=********"],
    ["the master key", "_MasterKey=open", "_MasterKey=********"],
  ])("masks %s in the query string", async (_, search, masked) => {
    const [first] = await linesOf("GET", `/server/login?${search}`, {});
    expect(first?.url).toBe(`/server/login?${masked}`);
    expect(first?.message).toBe(`REQUEST for [GET] /server/login?${masked}: {}`);
  });

  it("masks secrets in the body at any depth", async () => {
    const secret = "hidden";
    const lines = await linesOf("POST", "/server/users", {
      password: secret,
      authData: { service: { id: secret } },
      nested: [{ sessionToken: secret, kept: "shown" }],
    });
    const text = JSON.stringify(lines);
    expect(text).not.toContain(secret);
    expect(text).toContain("shown");
  });
});
