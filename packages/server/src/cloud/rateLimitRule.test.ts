import { describe, expect, it } from "vitest";
import { assertRateLimitRule, methodsOf } from "./rateLimitRule.ts";

const RULE = { requestTimeWindow: 1_000, requestCount: 5 };

describe("a rate limit of a function", () => {
  it.each([
    [RULE],
    [{ ...RULE, zone: "user", requestMethods: ["GET", "POST"], errorResponseMessage: "Slower" }],
    [{ ...RULE, requestMethods: "PUT", includeMasterKey: true, includeInternalRequests: false }],
    [{ ...RULE, zone: undefined }],
  ])("may be %j", (rule) => {
    expect(() => assertRateLimitRule("f", rule)).not.toThrow();
  });

  it.each<[object | undefined, RegExp]>([
    [{}, /needs requestTimeWindow and requestCount/],
    [undefined, /needs requestTimeWindow and requestCount/],
    [{ ...RULE, windowMs: 1 }, /Invalid rate limit option "windowMs"/],
    [{ ...RULE, requestCount: 0 }, /rateLimit.requestCount cannot be 0/],
    [{ ...RULE, requestCount: 1.5 }, /rateLimit.requestCount cannot be 1.5/],
    [{ ...RULE, requestTimeWindow: "1s" }, /rateLimit.requestTimeWindow cannot be "1s"/],
    [{ ...RULE, zone: "toString" }, /rateLimit.zone cannot be "toString"/],
    [{ ...RULE, requestMethods: ["get"] }, /rateLimit.requestMethods cannot be \["get"\]/],
  ])("cannot be %j", (rule, message) => {
    expect(() => assertRateLimitRule("f", rule)).toThrow(message);
  });

  it("counts all methods unless it names some", () => {
    expect(methodsOf(undefined)).toBeUndefined();
    expect(methodsOf("GET")).toEqual(["GET"]);
  });
});
