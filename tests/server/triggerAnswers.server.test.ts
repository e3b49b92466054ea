import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/answers.mjs");
const MASTER = { useMasterKey: true };
const DELETED = { __op: "Delete" };

describe.each(DATABASES)("triggers on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const env = {
      ...(await databaseEnv(database)),
      PURSE_CLOUD: CODE,
      PURSE_IDEMPOTENCY_PATHS: "classes/Answered",
    };
    purse = await hostPurse({ env });
    const permissions = { "*": true };
    const classLevelPermissions = {
      find: permissions,
      get: permissions,
      create: permissions,
      update: permissions,
      addField: permissions,
      protectedFields: { "*": ["guarded"] },
    };
    const fields = { guarded: { type: "String" } };
    const definition = { className: "Answered", fields, classLevelPermissions };
    expect((await rest(purse, "POST", "/schemas/Answered", definition, MASTER)).status).toBe(200);
  });
  afterAll(() => purse?.remove());

  const save = async (className: string, fields: object, objectId: unknown = "", credentials = {}) => {
    const id = String(objectId);
    const path = `/classes/${className}${id && `/${id}`}`;
    return (await rest(purse, id ? "PUT" : "POST", path, fields, credentials)).body;
  };
  const stored = async (className: string, id: unknown) =>
    (await rest(purse, "GET", `/classes/${className}/${String(id)}`, undefined, MASTER)).body;

  it("afterSave can change the response of a create without storing the changes", async () => {
    const body = await save("Answered", { name: "a", whispered: "w" });
    expect(body).toEqual({
      objectId: expect.any(String),
      createdAt: expect.any(String),
      extra: "x",
      whispered: DELETED,
    });
    const object = await stored("Answered", body.objectId);
    expect(object).toMatchObject({ name: "a", secret: "hidden", whispered: "w" });
    expect(object).not.toHaveProperty("extra");
  });

  it("afterSave can change the response of an update without storing the changes", async () => {
    const { objectId } = await save("Answered", { name: "a" });
    expect(await save("Answered", { name: "b", whispered: "w" }, objectId)).toEqual({
      updatedAt: expect.any(String),
      extra: "x",
      whispered: DELETED,
    });
    expect(await stored("Answered", objectId)).toMatchObject({ name: "b", secret: "hidden", whispered: "w" });
  });

  it("afterSave cannot reveal protected fields", async () => {
    expect(await save("Answered", { name: "a" })).not.toHaveProperty("guarded");
    expect(await save("Answered", { name: "a" }, "", MASTER)).toMatchObject({
      guarded: "only for the master key",
    });
    const ACL = {};
    expect(await save("Answered", { name: "a", ACL })).not.toHaveProperty("extra");
  });

  it("afterSave can change the responses of batches and transactions", async () => {
    for (const transaction of [false, true]) {
      const requests = ["a", "b"].map((name) => ({
        method: "POST",
        path: "/server/classes/Answered",
        body: { name },
      }));
      const { body } = await rest(purse, "POST", "/batch", { requests, transaction });
      const success = { objectId: expect.any(String), createdAt: expect.any(String), extra: "x" };
      expect(body).toEqual([{ success }, { success }]);
    }
  });

  it("afterSave can remove fields from the response of a repeated request", async () => {
    const headers = {
      "X-Parse-Application-Id": purse.appId,
      "X-Parse-Request-Id": crypto.randomUUID(),
      "Content-Type": "application/json",
    };
    const send = async (more = {}) => {
      const init = { method: "POST", headers: { ...headers, ...more }, body: '{"name":"a"}' };
      return (await fetch(`${purse.serverUrl}/classes/Answered`, init)).json();
    };
    const first = await send();
    expect(first).not.toHaveProperty("secret");
    const second = await send({ "Content-Type": "application/json; attempt=1" });
    expect(second).toMatchObject({ objectId: first.objectId });
    expect(second).not.toHaveProperty("secret");
  });

  it("afterSave changes nothing if it throws", async () => {
    expect(await save("Failing", { name: "a" })).toEqual({
      objectId: expect.any(String),
      createdAt: expect.any(String),
    });
  });

  it("afterSave returns the object that it saved again", async () => {
    const body = await save("Resaved", { name: "a" });
    expect(body).toMatchObject({ stamp: 1 });
    expect(await stored("Resaved", body.objectId)).toMatchObject({ name: "a", stamp: 1 });
  });

  it("afterSave can change the responses of sign-ups and installations", async () => {
    const user = await rest(purse, "POST", "/users", { username: "ada", password: "p", nickname: "Ada" });
    expect(user.body).toMatchObject({
      sessionToken: expect.any(String),
      greeting: "welcome",
      nickname: DELETED,
    });
    const credentials = { sessionToken: String(user.body.sessionToken) };
    const path = `/users/${user.body.objectId}`;
    const changed = await rest(purse, "PUT", path, { nickname: "Eve" }, credentials);
    expect(changed.body).toMatchObject({ greeting: "welcome", nickname: DELETED });
    const installation = { installationId: crypto.randomUUID(), deviceType: "ios" };
    for (const badge of [1, 2]) {
      const { body } = await rest(purse, "POST", "/installations", { ...installation, badge });
      expect(body).toMatchObject({ greeting: "welcome" });
    }
  });

  it("beforeSave returns reverted fields: as deleted for a new object, with the old value otherwise", async () => {
    const body = await save("Reverted", { foo: "a", name: "n" });
    expect(body).toMatchObject({ foo: DELETED });
    expect(body).not.toHaveProperty("name");
    expect(await stored("Reverted", body.objectId)).not.toHaveProperty("foo");
    expect(await save("Reverted", { foo: "b" }, body.objectId)).toMatchObject({ foo: DELETED });
    const created = await save("Answered", { name: "a" });
    expect(await save("Answered", { name: "reverted" }, created.objectId)).toMatchObject({ name: "a" });
    const requests = [
      { method: "PUT", path: `/server/classes/Answered/${created.objectId}`, body: { name: "reverted" } },
    ];
    for (const transaction of [false, true]) {
      const batch = await rest(purse, "POST", "/batch", { requests, transaction });
      expect(batch.body).toMatchObject([{ success: { name: "a" } }]);
    }
  });

  it.each([
    ["Add", "remove", ["a", "b"]],
    ["AddUnique", "remove", ["a", "b"]],
    ["Remove", "add", ["a", "b"]],
    ["Remove", "addUnique", ["a", "b"]],
    ["Add", "addUnique", ["x", "a", "b"]],
    ["AddUnique", "add", ["x", "a", "b", "b"]],
  ])("beforeSave can change a list after the client's %s by %s()", async (op, by, list) => {
    const start = ["x", "a"];
    const { objectId } = await save("Listed", { tags: start, nested: { tags: start } });
    const change = { __op: op, objects: [op === "Remove" ? "x" : "b"] };
    const body = await save("Listed", { tags: change, "nested.tags": change, by }, objectId);
    expect(body).toMatchObject({ tags: list, nested: { tags: list } });
    expect(await stored("Listed", objectId)).toMatchObject({ tags: list, nested: { tags: list } });
  });

  it("validators return the value of an unchanged constant", async () => {
    const { objectId } = await save("Constant", { foo: "baz" });
    expect(await save("Constant", { foo: "yolo" }, objectId)).toMatchObject({ foo: "bar" });
    expect(await stored("Constant", objectId)).toMatchObject({ foo: "bar" });
  });
});

describe.each(DATABASES)("an object that afterSave returns or sets, on %s", (database) => {
  const created = { objectId: expect.any(String), createdAt: expect.any(String) };
  const start = async (compatibility: string) =>
    hostPurse({
      env: { ...(await databaseEnv(database)), PURSE_CLOUD: CODE, PURSE_COMPATIBILITY: compatibility },
    });

  it("replaces the response with the Parse Server compatibility", async () => {
    const purse = await start("parse");
    try {
      const path = "/classes/Returned";
      const save = async (fields: object) => (await rest(purse, "POST", path, fields)).body;
      expect(await save({ name: "a" })).toEqual({ name: "a", added: true });
      expect(await save({ circular: true })).toEqual(created);
      const { objectId } = await save({ itself: true });
      const { body } = await rest(purse, "PUT", `${path}/${objectId}`, { name: "b", itself: false });
      expect(body).toEqual({ name: "b", added: true });
      const known = { __type: "Pointer", className: "Known", objectId: "a123456789" };
      const pointing = (await rest(purse, "POST", "/classes/Pointing", { known })).body;
      const target = { __type: "Object", className: "Target", objectId: expect.any(String), name: "new" };
      expect(pointing).toMatchObject({ ...created, target, list: [target] });
      expect(pointing).not.toHaveProperty("known");
      expect(pointing.user).toMatchObject({ __type: "Object", className: "_User" });
      expect(pointing.user).not.toHaveProperty("sessionToken");
    } finally {
      await purse.remove();
    }
  });

  it("is ignored or a pointer without the compatibility", async () => {
    const purse = await start("strict");
    try {
      const { body } = await rest(purse, "POST", "/classes/Returned", { name: "a" });
      expect(body).toEqual(created);
      const pointing = (await rest(purse, "POST", "/classes/Pointing", {})).body;
      const target = { __type: "Pointer", className: "Target", objectId: expect.any(String) };
      expect(pointing).toMatchObject({ ...created, target, list: [target], user: { __type: "Pointer" } });
    } finally {
      await purse.remove();
    }
  });
});
