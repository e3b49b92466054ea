import { describe, expect, it } from "vitest";
import { assertRolesPossible, parseRoles, ROLES } from "./processRoles.ts";

describe("parseRoles()", () => {
  it("reads roles in any order, with spaces", () => {
    expect(parseRoles("live, api")).toEqual(["api", "live"]);
    expect(parseRoles("api,live,worker,chain")).toEqual([...ROLES]);
  });

  it.each(["", "web", "api,web", "api,"])("rejects %j and names the roles", (text) => {
    expect(() => parseRoles(text)).toThrow("it must be one or several of api, live, worker, chain");
  });
});

describe("assertRolesPossible()", () => {
  it("rejects a subset of the roles on SQLite, which no other process can use", () => {
    const sqlite = { kind: "sqlite", path: "purse.sqlite" } as const;
    expect(() => assertRolesPossible(["api"], sqlite)).toThrow('PURSE_ROLES is "api"');
    assertRolesPossible(ROLES, sqlite);
    assertRolesPossible(["api"], { kind: "postgres", url: "postgres://host/database", connections: 5 });
  });
});
