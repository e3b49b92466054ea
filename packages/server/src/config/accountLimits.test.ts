import { describe, expect, it } from "vitest";
import { DEFAULT_ACCOUNT_LIMITS, parseAccountLimits } from "./accountLimits.ts";

describe("accountLimits of the config file", () => {
  it("are the defaults where these are enabled, and none otherwise", () => {
    expect(parseAccountLimits(undefined)(true)).toEqual(DEFAULT_ACCOUNT_LIMITS);
    expect(parseAccountLimits(undefined)(false)).toEqual({});
    expect(parseAccountLimits(false)(true)).toEqual({});
  });

  it("replace the defaults one by one, and apply without them", () => {
    const signUp = { count: 5, windowSeconds: 10 };
    const limits = parseAccountLimits({ signUp, role: false });
    expect(limits(true)).toEqual({ ...DEFAULT_ACCOUNT_LIMITS, signUp, role: undefined });
    expect(limits(false)).toEqual({ signUp, role: undefined });
  });

  it.each([
    [[], /false or an object/],
    [{ logIns: false }, /"logIns" is not known/],
    [{ signUp: 5 }, /signUp must be false or/],
    [{ signUp: { count: 0, windowSeconds: 1 } }, /signUp must be false or/],
    [{ signUp: { count: 1 } }, /signUp must be false or/],
    [{ signUp: { count: 1, windowSeconds: 1, by: "user" } }, /signUp must be false or/],
  ])("are rejected where they are not valid: %j", (value, reason) => {
    expect(() => parseAccountLimits(value)).toThrow(reason);
  });
});
