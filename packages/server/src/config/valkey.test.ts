import { describe, expect, it } from "vitest";
import { settingsSchema } from "./settings.ts";
import { assertValkeyPossible } from "./valkey.ts";

describe("PURSE_VALKEY_URL", () => {
  it("is rejected on SQLite, which no other process can use", () => {
    const url = "valkey://127.0.0.1";
    expect(() => assertValkeyPossible(url, { kind: "sqlite", path: "a" })).toThrow("PURSE_VALKEY_URL is set");
    assertValkeyPossible(undefined, { kind: "sqlite", path: "a" });
    assertValkeyPossible(url, { kind: "postgres", url: "postgres://a/b", connections: 4 });
  });

  it.each(["valkey://a", "valkeys://u:p@a:1", "redis://a/1", "rediss://a"])("accepts %s", (url) => {
    expect(settingsSchema.shape.valkeyUrl.safeParse(url).success).toBe(true);
  });

  it.each(["a:6379", "http://a", "redis", "valkey://", "valkey:///1", "valkey://a/x", "valkey://a/0/1"])(
    "rejects %s",
    (url) => {
      expect(settingsSchema.shape.valkeyUrl.safeParse(url).success).toBe(false);
    },
  );
});
