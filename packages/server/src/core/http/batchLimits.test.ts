import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { assertBatchLimits, BATCH_LIMITS, type BatchedRequest } from "./batchLimits.ts";

const many = (count: number, method: string, path: string, params: JsonObject = {}): BatchedRequest[] =>
  Array.from({ length: count }, () => ({ method, path, params }));

const { credentials, mails, functions } = BATCH_LIMITS;

describe("assertBatchLimits()", () => {
  it.each<[string, string, JsonObject, number]>([
    ["POST", "/login", {}, credentials.max],
    ["GET", "/login?username=a&password=b", {}, credentials.max],
    ["POST", "//login/", {}, credentials.max],
    ["POST", "/verifyPassword", {}, credentials.max],
    ["POST", "/users", {}, credentials.max],
    ["POST", "/classes/_User", {}, credentials.max],
    ["POST", "/classes/%5fUser", {}, credentials.max],
    ["PUT", "/users/x", { password: "p" }, credentials.max],
    ["PUT", "/classes/_User/x", { authData: {} }, credentials.max],
    ["POST", "/requestPasswordReset", {}, mails.max],
    ["POST", "/verificationEmailRequest", {}, mails.max],
    ["POST", "/apps/app/resend_verification_email", {}, mails.max],
    ["POST", "/functions/f", {}, functions.max],
    ["POST", "/jobs/j", {}, functions.max],
  ])("limits %s %s %o to %i", (method, path, params, max) => {
    expect(() => assertBatchLimits(many(max, method, path, params))).not.toThrow();
    expect(() => assertBatchLimits(many(max + 1, method, path, params))).toThrow(/at most/);
  });

  it("counts requests of one kind together, whatever their route", () => {
    const half = Math.ceil(credentials.max / 2) + 1;
    expect(() =>
      assertBatchLimits([...many(half, "POST", "/login"), ...many(half, "POST", "/users")]),
    ).toThrow(/sign-ups, log-ins/);
  });

  it.each([
    ["GET", "/users"],
    ["PUT", "/users/x"],
    ["DELETE", "/users/x"],
    ["POST", "/classes/login"],
    ["POST", "/classes/Post"],
  ])("does not limit %s %s", (method, path) => {
    expect(() => assertBatchLimits(many(500, method, path))).not.toThrow();
  });
});
