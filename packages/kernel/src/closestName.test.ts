import { describe, expect, it } from "vitest";
import { closestName } from "./closestName.ts";

const KNOWN = ["PORT", "HOST", "TRUSTED_PROXIES", "DATABASE_URL", "DATABASE_REPLICA_URL"];

describe("closestName()", () => {
  it.each([
    ["PROT", "PORT"],
    ["POR", "PORT"],
    ["PORTS", "PORT"],
    ["host", "HOST"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["DATABSE_URL", "DATABASE_URL"],
  ])("finds the name that %s is a mistyped spelling of: %s", (mistyped, expected) => {
    expect(closestName(mistyped, KNOWN)).toBe(expected);
  });

  it.each(["", "STRIPE_KEY", "P", "MAIL"])("finds none for %j", (mistyped) => {
    expect(closestName(mistyped, KNOWN)).toBeUndefined();
  });
});
