import { describe, expect, it } from "vitest";
import { assertNoSecrets, withoutSecrets } from "./removeSecrets.ts";

describe("secrets of the MCP endpoint", () => {
  it("are removed from results at any depth", () => {
    const value = {
      results: [
        { objectId: "a", sessionToken: "r:1", authData: {}, owner: { password: "x", name: "ada" } },
        "text",
        null,
      ],
      _auth_data_magic: {},
      count: 0,
    };
    expect(withoutSecrets(value)).toEqual({
      results: [{ objectId: "a", owner: { name: "ada" } }, "text", null],
      count: 0,
    });
  });

  it.each([
    [{ sessionToken: "r:1" }],
    [{ "authData.magic.id": 1 }],
    [{ $or: [{ _hashed_password: { $exists: true } }] }],
    [{ $inQuery: { className: "_User", where: { _auth_data_magic: 1 } } }],
    [[{ $project: { x: "$authData.magic" } }]],
  ])("cannot be queried: %j", (query) => {
    expect(() => assertNoSecrets(query)).toThrow("holds credentials");
  });

  it("do not include other fields", () => {
    expect(() => assertNoSecrets({ passwords: 1, hasPassword: true, title: "session" })).not.toThrow();
  });
});
