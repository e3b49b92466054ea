import { parseAt } from "@purse/kernel";
import { describe, expect, it } from "vitest";
import { accountLimitsSchema, DEFAULT_ACCOUNT_LIMITS } from "./accountLimits.ts";

const parse = (value: unknown) => parseAt("accountLimits", accountLimitsSchema, value);

describe("accountLimits of the config file", () => {
  it("are the defaults if these are enabled, and none otherwise", () => {
    expect(parse(undefined)(true)).toEqual(DEFAULT_ACCOUNT_LIMITS);
    expect(parse(undefined)(false)).toEqual({});
    expect(parse(false)(true)).toEqual({});
  });

  it("replace the defaults one by one, and apply without them", () => {
    const signUp = { count: 5, windowSeconds: 10 };
    const limits = parse({ signUp, role: false });
    expect(limits(true)).toEqual({ ...DEFAULT_ACCOUNT_LIMITS, signUp, role: undefined });
    expect(limits(false)).toEqual({ signUp, role: undefined });
  });

  it.each([
    [[], /"accountLimits" of the config file: Invalid input/],
    [{ logIns: false }, /"accountLimits.logIns" of the config file: it is not one of signUp, /],
    [{ signUp: 5 }, /"accountLimits.signUp" of/],
    [
      { signUp: { count: 0, windowSeconds: 1 } },
      /"accountLimits.signUp.count" of the config file: Too small/,
    ],
    [{ signUp: { count: 1 } }, /"accountLimits.signUp.windowSeconds" of/],
    [
      { signUp: { count: 1, windowSeconds: 1, by: "user" } },
      /"accountLimits.signUp" of the config file: .*"by"/,
    ],
  ])("are rejected if they are invalid: %j", (value, reason) => {
    expect(() => parse(value)).toThrow(reason);
  });
});
