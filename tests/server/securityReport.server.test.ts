import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("the security check of Parse Dashboard on %s", (database) => {
  let purse: Purse;
  let silent: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    silent = await hostPurse({
      env: { ...(await databaseEnv(database)), PURSE_ENABLE_SECURITY_CHECK: "0" },
    });
  });
  afterAll(() => Promise.all([purse.remove(), silent.remove()]));

  it("reports the findings of the studio by group", async () => {
    await rest(purse, "POST", "/classes/Open", { n: 1 });
    const { status, body } = await rest(purse, "GET", "/security", undefined, MASTER);
    expect([status, body]).toMatchObject([200, { report: { version: "1.0.0", state: "fail" } }]);
    const { groups } = Object(body.report);
    expect(groups).toContainEqual({
      name: "Outbound requests",
      state: "success",
      checks: [{ title: "No insecure settings found", state: "success" }],
    });
    const classes: JsonObject = groups.find(({ name }: JsonObject) => name === "Class-level permissions");
    expect(classes).toMatchObject({ state: "fail" });
    expect(classes.checks).toContainEqual({
      title: "Everyone can update and delete objects of Open that have no ACL",
      state: "fail",
      warning: expect.any(String),
      solution: expect.any(String),
    });
    const info = await rest(purse, "GET", "/serverInfo", undefined, MASTER);
    expect(info.body.features).toMatchObject({ settings: { securityCheck: true } });
  });

  it("requires the master key and can be disabled", async () => {
    expect((await rest(purse, "GET", "/security")).status).toBe(403);
    expect((await rest(silent, "GET", "/security")).status).toBe(403);
    expect((await rest(silent, "GET", "/security", undefined, MASTER)).status).toBe(409);
    const info = await rest(silent, "GET", "/serverInfo", undefined, MASTER);
    expect(info.body.features).toMatchObject({ settings: { securityCheck: false } });
  });

  it("protects products: everyone may read them, and the master key may create complete ones", async () => {
    const icon = { __type: "File", name: "icon.png" };
    const product = { productIdentifier: "song", icon, order: 1, title: "Song", subtitle: "A song" };
    expect((await rest(purse, "POST", "/classes/_Product", product)).body.code).toBe(119);
    for (const field of Object.keys(product)) {
      const { status, body } = await rest(
        purse,
        "POST",
        "/classes/_Product",
        { ...product, [field]: null },
        MASTER,
      );
      expect([status, body]).toEqual([400, { code: 111, error: `${field} is required.` }]);
    }
    const { body } = await rest(purse, "POST", "/classes/_Product", product, MASTER);
    expect((await rest(purse, "GET", `/classes/_Product/${body.objectId}`)).body.title).toBe("Song");
    expect((await rest(purse, "DELETE", `/classes/_Product/${body.objectId}`)).body.code).toBe(119);
    const bought = await rest(purse, "POST", "/validate_purchase", { productIdentifier: "song" });
    expect([bought.status, bought.body]).toEqual([
      400,
      { code: 107, error: "missing receipt or productIdentifier" },
    ]);
  });
});
