import { afterEach, describe, expect, it, vi } from "vitest";
import { VERSION } from "./transport.ts";
import { isNewer, warnWhenOutdated } from "./versionCheck.ts";

const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
afterEach(() => warned.mockClear());

const answering = (body: unknown, status = 200) =>
  vi.fn<typeof fetch>(async () => new Response(JSON.stringify(body), { status }));

describe("warnWhenOutdated()", () => {
  it("warns if the server knows a newer version", {
    tags: ["7.other.package-version-warning"],
  }, async () => {
    const get = answering({ version: "99.0.0" });
    await warnWhenOutdated("https://own.example/server", get);
    expect(String(get.mock.calls[0]?.[0])).toBe("https://own.example/moralis/package.json");
    expect(warned).toHaveBeenCalledWith(expect.stringMatching(/out of date.*99\.0\.0/));
  });

  it.each([
    ["the same version", { version: VERSION }, 200],
    ["an older version", { version: "0.1.0" }, 200],
    ["no version", {}, 200],
    ["a page", "<!doctype html>", 200],
    ["nothing", {}, 404],
  ])("does not warn if the server returns %s", async (_what, body, status) => {
    await warnWhenOutdated("https://own.example/server", answering(body, status));
    expect(warned).not.toHaveBeenCalled();
  });

  it("does not warn if the request fails", async () => {
    await warnWhenOutdated("https://own.example/server", () => Promise.reject(new TypeError("offline")));
    expect(warned).not.toHaveBeenCalled();
  });

  it.each([
    ["1.10.0", "1.9.9", true],
    ["1.7.0", "1.7.0", false],
    ["2.0.0", "1.99.99", true],
    ["1.6.9", "1.7.0", false],
    ["newest", "1.7.0", false],
  ])("isNewer() compares %s with %s: %s", (version, than, expected) => {
    expect(isNewer(version, than)).toBe(expected);
  });
});
