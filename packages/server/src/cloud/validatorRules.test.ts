import { describe, expect, it } from "vitest";
import { assertValidatorRules } from "./validatorRules.ts";

describe("assertValidatorRules()", () => {
  it.each([
    [{ requiredUser: true }, "requiredUser is not a supported parameter for Cloud Function validations."],
    [
      { requireUser: [] },
      "Invalid type for Cloud Function validation key requireUser. Expected boolean, actual array",
    ],
    [{ requireAllUserRoles: true }, "Expected array|function, actual boolean"],
    [{ fields: true }, "Invalid type for Cloud Function validation key fields. Expected array|object"],
    [
      { fields: { name: { require: true } } },
      "require is not a supported parameter for Cloud Function validations.",
    ],
    [{ fields: { name: { required: 1 } } }, "validation key required. Expected boolean, actual number"],
    [{ requireUserKeys: { name: { error: [] } } }, "validation key error. Expected string, actual array"],
    [{ requireUser: null }, "Expected boolean, actual null"],
  ])("throws with the reason for %j", (rules, reason) => {
    expect(() => assertValidatorRules("f", rules)).toThrow(`The validator of f: `);
    expect(() => assertValidatorRules("f", rules)).toThrow(reason);
  });

  it("reports rules that do not exist instead of throwing if it is told how, but not wrong types", () => {
    const reported: string[] = [];
    const report = (message: string) => void reported.push(message);
    assertValidatorRules("f", { requiredUser: true, fields: { a: { message: "no" } } }, report);
    expect(reported).toEqual([
      expect.stringContaining("The validator of f: requiredUser is not a supported parameter"),
      expect.stringContaining("The validator of f: message is not a supported parameter"),
    ]);
    expect(() => assertValidatorRules("f", { requireUser: [] }, report)).toThrow("Invalid type");
  });

  it("accepts all rules of functions, triggers and fields", () => {
    const field = { required: true, type: String, default: "f", constant: true, options: ["f"], error: "no" };
    expect(() =>
      assertValidatorRules("f", {
        requireUser: true,
        requireMaster: false,
        requireAnyUserRoles: () => ["a"],
        requireAllUserRoles: ["a"],
        requireUserKeys: { name: field },
        fields: { name: field, other: "other", third: String },
        skipWithMasterKey: true,
        validateMasterKey: true,
        rateLimit: { requestTimeWindow: 1_000, requestCount: 1 },
      }),
    ).not.toThrow();
    expect(() => assertValidatorRules("f", { fields: ["a"], requireUserKeys: ["b"] })).not.toThrow();
  });
});
