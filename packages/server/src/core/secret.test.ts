import { describe, expect, it } from "vitest";
import { createSecret } from "./secret.ts";

describe("createSecret()", () => {
  it("creates secrets that a command line never parses as an option", () => {
    const secrets = Array.from({ length: 2_000 }, () => createSecret(15));
    expect(secrets.filter((secret) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{19}$/.test(secret))).toEqual([]);
    expect(new Set(secrets).size).toBe(secrets.length);
  });
});
