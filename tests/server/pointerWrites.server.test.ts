import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const EVERYONE = { "*": true };

/** Changes the owner of an object between the read and the write of an update. */
const CLOUD = `
async function giveAway({ object, context }) {
  if (context.isInner || !object.get("heir")) return;
  const same = await new Parse.Query("Deed").get(object.id, { useMasterKey: true });
  const heir = Parse.User.createWithoutData(same.get("heir"));
  same.set(Array.isArray(same.get("owners")) ? { owners: [heir] } : { owner: heir });
  await same.save(null, { useMasterKey: true, context: { isInner: true } });
}
Parse.Cloud.beforeSave("Deed", giveAway);
Parse.Cloud.beforeDelete("Deed", giveAway);
`;

describe.each(DATABASES)("pointer permissions on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-pointers-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: { ...(await databaseEnv(database)), PURSE_CLOUD: join(folder, "cloud.mjs") },
    });
    const own = { pointerFields: ["owner", "owners"] };
    const body = {
      className: "Deed",
      fields: {
        owner: { type: "Pointer", targetClass: "_User" },
        owners: { type: "Array" },
        heir: { type: "String" },
        tags: { type: "Array" },
      },
      classLevelPermissions: {
        get: EVERYONE,
        find: EVERYONE,
        count: EVERYONE,
        create: EVERYONE,
        addField: EVERYONE,
        update: own,
        delete: own,
      },
    };
    expect((await rest(purse, "POST", "/schemas/Deed", body, MASTER)).status).toBe(200);
  });
  afterAll(() => purse.remove());

  const pointer = (objectId: string) => ({ __type: "Pointer", className: "_User", objectId });

  async function deedOf(userId: string, isList: boolean, heir?: string): Promise<string> {
    const owner = isList ? { owners: [pointer("nobody"), pointer(userId)] } : { owner: pointer(userId) };
    const fields = { ...owner, ...(heir !== undefined && { heir }), tags: ["a"] };
    // The owner changes only from the next write on.
    const { body } = await rest(
      purse,
      "POST",
      "/classes/Deed",
      { ...fields, _context: { isInner: true } },
      MASTER,
    );
    return `/classes/Deed/${body.objectId}`;
  }

  it("let the users of pointer fields add fields to a publicly writable object", async () => {
    const body = {
      className: "Form",
      fields: { owner: { type: "Pointer", targetClass: "_User" }, n: { type: "Number" } },
      classLevelPermissions: {
        create: EVERYONE,
        update: EVERYONE,
        addField: { pointerFields: ["owner"] },
      },
    };
    expect((await rest(purse, "POST", "/schemas/Form", body, MASTER)).status).toBe(200);
    const [owner, stranger] = [await signUp(purse), await signUp(purse)];
    const form = await rest(purse, "POST", "/classes/Form", { owner: pointer(owner.id) }, owner);
    const path = `/classes/Form/${form.body.objectId}`;
    expect((await rest(purse, "PUT", path, { n: 1 }, stranger)).status).toBe(200);
    expect((await rest(purse, "PUT", path, { more: 1 }, stranger)).body.code).toBe(101);
    expect((await rest(purse, "PUT", path, { more: 1 }, owner)).status).toBe(200);
    // A new object has no owner yet.
    expect((await rest(purse, "POST", "/classes/Form", { other: 1 }, owner)).body.code).toBe(119);
  });

  describe.each([
    ["a pointer", false],
    ["an array of pointers", true],
  ])("in %s", (_what, isList) => {
    it.each([
      ["Set", { n: 1 }],
      ["Increment", { n: { __op: "Increment", amount: 1 } }],
      ["AddUnique", { tags: { __op: "AddUnique", objects: ["b"] } }],
      ["a dotted key", { "box.n": 1 }],
    ])(
      "reject an update by %s with 101 when the owner of the object has changed meanwhile",
      async (_op, fields) => {
        const owner = await signUp(purse);
        const heir = await signUp(purse);
        const path = await deedOf(owner.id, isList, heir.id);
        const { status, body } = await rest(purse, "PUT", path, fields, owner);
        expect([status, body.code]).toEqual([404, 101]);
        const after = await rest(purse, "GET", path, undefined, MASTER);
        expect([after.body.n, after.body.tags, after.body.box]).toEqual([undefined, ["a"], undefined]);
      },
    );

    it("reject a deletion with 101 when the owner has changed meanwhile", async () => {
      const owner = await signUp(purse);
      const heir = await signUp(purse);
      const path = await deedOf(owner.id, isList, heir.id);
      expect((await rest(purse, "DELETE", path, undefined, owner)).body.code).toBe(101);
      expect((await rest(purse, "GET", path, undefined, MASTER)).status).toBe(200);
    });

    it("let the users of pointer fields write and delete the object", async () => {
      const owner = await signUp(purse);
      const path = await deedOf(owner.id, isList);
      for (const fields of [{ n: 1 }, { tags: { __op: "Add", objects: ["b"] } }, { "box.n": 1 }]) {
        expect((await rest(purse, "PUT", path, fields, owner)).status).toBe(200);
      }
      const stranger = await signUp(purse);
      expect((await rest(purse, "PUT", path, { n: 2 }, stranger)).body.code).toBe(101);
      expect((await rest(purse, "DELETE", path, undefined, stranger)).body.code).toBe(101);
      expect((await rest(purse, "DELETE", path, undefined, owner)).status).toBe(200);
    });
  });
});
