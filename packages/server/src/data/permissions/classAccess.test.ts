import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { UniqueConstraintError, type Write } from "../../database/store.ts";
import { type DefaultAccess, defaultAccess, recordedAccess, unsetPermissions } from "./classAccess.ts";
import { CLOSED_PERMISSIONS } from "./defaultPermissions.ts";

const PRODUCTION = { classAccess: undefined, environment: "production", compatibility: "strict" } as const;

describe("defaultAccess()", () => {
  it.each([
    ["a new database in production", PRODUCTION, "closed", "closed"],
    ["a database from before in production", PRODUCTION, "open", "open"],
    ["development", { ...PRODUCTION, environment: "development" }, "closed", "open"],
    ["the compatibility with Parse Server", { ...PRODUCTION, compatibility: "parse" }, "closed", "open"],
    ["the setting open in production", { ...PRODUCTION, classAccess: "open" }, "closed", "open"],
    [
      "the setting closed with a database from before",
      { ...PRODUCTION, classAccess: "closed" },
      "open",
      "closed",
    ],
    [
      "the setting closed in development",
      { ...PRODUCTION, environment: "development", classAccess: "closed" },
      "open",
      "closed",
    ],
  ] as const)("of %s", (_, settings, recorded, access) => {
    expect(defaultAccess(settings, recorded)).toBe(access);
  });
});

describe("unsetPermissions()", () => {
  it("closes classes of the application only, if classes are closed", () => {
    expect(unsetPermissions("Note", "closed")).toEqual(CLOSED_PERMISSIONS);
    expect(unsetPermissions("_User", "closed")).toEqual({});
    expect(unsetPermissions("Note", "open")).toEqual({});
  });
});

describe("recordedAccess()", () => {
  /** A store with at most one unique value; `race` is what another process records at the same time. */
  function storeWith(recorded: DefaultAccess | undefined, race?: DefaultAccess) {
    const written: Write[] = [];
    return {
      written,
      getUniqueOwner: async () => recorded,
      write: async (writes: Write[]) => {
        if (race) throw new UniqueConstraintError("_SCHEMA.access", "new", race);
        written.push(...writes);
      },
    };
  }

  it("records that classes of a database without classes are closed", async () => {
    const store = storeWith(undefined);
    expect(await recordedAccess(store, [classWith({}, { className: "_User" })])).toBe("closed");
    expect(store.written).toEqual([
      { kind: "reserveUnique", scope: "_SCHEMA.access", value: "new", owner: "closed" },
    ]);
  });

  it("records that classes of a database with classes stay open", async () => {
    expect(await recordedAccess(storeWith(undefined), [classWith({})])).toBe("open");
  });

  it("keeps what is recorded, whatever classes there are now", async () => {
    const store = storeWith("closed");
    expect(await recordedAccess(store, [classWith({})])).toBe("closed");
    expect(store.written).toEqual([]);
  });

  it("takes what another process has recorded at the same time", async () => {
    expect(await recordedAccess(storeWith(undefined, "open"), [])).toBe("open");
  });
});
