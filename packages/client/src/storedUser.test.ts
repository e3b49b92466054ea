import { describe, expect, it } from "vitest";
import { uuid } from "./uuid.ts";

describe("uuid()", () => {
  it("returns random UUIDs of version 4, so there is no limit per second", {
    tags: ["9.uuid-v1-limit"],
  }, () => {
    const ids = Array.from({ length: 20_000 }, uuid);
    expect(new Set(ids).size).toBe(ids.length);
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(ids.filter((id) => !form.test(id))).toEqual([]);
  });
});
