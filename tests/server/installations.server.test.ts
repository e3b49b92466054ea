import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

/** Lets only the master key set vip, and stores whether the trigger received the master key. */
const CLOUD = `
Parse.Cloud.beforeSave("_Installation", ({ object, master }) => {
  if (!master && object.get("vip")) throw new Error("not important");
  object.set("seenMaster", master);
});
`;

const OPERATIONS = {
  badge: { __op: "Increment", amount: 0 },
  channels: { __op: "AddUnique", objects: [] },
};

describe.each(DATABASES)("saving an existing installation, on %s", (database) => {
  let purse: Purse;
  let devices = 0;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-installations-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_ENV: "production",
        PURSE_CLOUD: join(folder, "cloud.mjs"),
      },
    });
    const fields = { seenMaster: { type: "Boolean" }, vip: { type: "Boolean" } };
    await rest(purse, "PUT", "/schemas/_Installation", { fields }, MASTER);
  });
  afterAll(() => purse.remove());

  const post = (fields: JsonObject, credentials = {}, path = "/installations"): Promise<Answer> =>
    rest(purse, "POST", path, { deviceType: "ios", ...fields }, credentials);
  const stored = async (id: unknown): Promise<JsonObject> =>
    (await rest(purse, "GET", `/installations/${id}`, undefined, MASTER)).body;
  const newDevice = (): string => `device-${++devices}-of-${database.toLowerCase()}`;

  /** Creates an installation that only its user may read and write. */
  async function privateInstallation(): Promise<{ device: string; id: string; sessionToken: string }> {
    const { id: userId, sessionToken } = await signUp(purse);
    const device = newDevice();
    const ACL = { [userId]: { read: true, write: true } };
    const fields = {
      installationId: device,
      deviceToken: "token-of-victim",
      channels: ["private"],
      badge: 3,
      ACL,
    };
    const { status, body } = await post(fields, { sessionToken });
    expect(status).toBe(201);
    return { device, id: String(body.objectId), sessionToken };
  }

  it.each(["/installations", "/classes/_Installation"])(
    "is rejected with 101 by POST %s without permission in its ACL, and reveals none of its fields",
    async (path) => {
      const { device, id } = await privateInstallation();
      const stranger = await signUp(purse);
      const before = await stored(id);
      const evil = {
        deviceToken: "token-of-attacker",
        ACL: { "*": { read: true, write: true } },
        ...OPERATIONS,
      };
      for (const credentials of [{}, { sessionToken: stranger.sessionToken }]) {
        for (const installationId of [device, device.toUpperCase()]) {
          const { status, body } = await post({ installationId, ...evil }, credentials, path);
          expect([status, body]).toEqual([404, { code: 101, error: "Object not found." }]);
          const batch = {
            requests: [{ method: "POST", path: `/server${path}`, body: { installationId, ...evil } }],
          };
          const batched = await rest(purse, "POST", "/batch", batch, credentials);
          expect(batched.body).toEqual([{ error: { code: 101, error: "Object not found." } }]);
        }
        const put = await rest(purse, "PUT", `/installations/${id}`, evil, credentials);
        expect([put.status, put.body.code]).toEqual([404, 101]);
      }
      expect(await stored(id)).toEqual(before);
    },
  );

  it("updates it with the permissions of the caller", async () => {
    const { device, id, sessionToken } = await privateInstallation();
    const { status, body } = await post(
      { installationId: device, deviceToken: "new", ...OPERATIONS },
      { sessionToken },
    );
    expect([status, body]).toMatchObject([200, { objectId: id, badge: 3, channels: ["private"] }]);
    expect(await stored(id)).toMatchObject({ deviceToken: "new", seenMaster: false });
  });

  it("updates it for an anonymous device if it has no ACL", async () => {
    const device = newDevice();
    const first = await post({ installationId: device, deviceToken: "one" });
    const again = await post({ installationId: device.toUpperCase(), deviceToken: "two" });
    expect([first.status, again.status, again.body.objectId]).toEqual([201, 200, first.body.objectId]);
    expect(again.body.createdAt).toBe(first.body.createdAt);
    expect(await stored(first.body.objectId)).toMatchObject({ deviceToken: "two", seenMaster: false });
  });

  it("finds it by the ID in the header if the fields have none", async () => {
    const device = newDevice();
    const send = async (fields: JsonObject): Promise<Answer> => {
      const response = await fetch(`${purse.serverUrl}/installations`, {
        method: "POST",
        headers: {
          "X-Parse-Application-Id": purse.appId,
          "X-Parse-Installation-Id": device,
          "Content-Type": "application/json",
        },
        body: JSON.stringify(fields),
      });
      return { status: response.status, body: await response.json(), headers: response.headers };
    };
    const first = await send({ deviceType: "ios" });
    const again = await send({ deviceType: "ios", deviceToken: "later" });
    expect([first.status, again.status, again.body.objectId]).toEqual([201, 200, first.body.objectId]);
    expect(await stored(first.body.objectId)).toMatchObject({ installationId: device, deviceToken: "later" });
  });

  it("runs triggers with the privileges of the caller", async () => {
    const device = newDevice();
    const refused = await post({ installationId: device, vip: true });
    expect(refused.body.code).toBe(141);
    const { body } = await post({ installationId: device });
    expect((await post({ installationId: device, vip: true })).body.code).toBe(141);
    expect((await stored(body.objectId)).vip).toBeUndefined();
    await rest(purse, "PUT", `/installations/${body.objectId}`, { vip: true }, MASTER);
    expect(await stored(body.objectId)).toMatchObject({ vip: true, seenMaster: true });
  });

  it("adds no new fields without the permission to add fields", async () => {
    const device = newDevice();
    await post({ installationId: device });
    expect((await post({ installationId: device, newField: 1 })).body.code).toBe(119);
    const { body } = await rest(purse, "GET", "/schemas/_Installation", undefined, MASTER);
    expect(Object.keys(Object(body.fields))).not.toContain("newField");
  });

  it("respects class-level permissions", async () => {
    const device = newDevice();
    await post({ installationId: device });
    const open = { "*": true };
    const permissions = {
      create: open,
      get: open,
      find: open,
      count: open,
      update: {},
      delete: open,
      addField: open,
    };
    await rest(purse, "PUT", "/schemas/_Installation", { classLevelPermissions: permissions }, MASTER);
    const refused = await post({ installationId: device, deviceToken: "x" });
    await rest(
      purse,
      "PUT",
      "/schemas/_Installation",
      { classLevelPermissions: { ...permissions, update: open } },
      MASTER,
    );
    expect([refused.status, refused.body.code]).toEqual([400, 119]);
    expect((await post({ installationId: device, deviceToken: "x" })).status).toBe(200);
  });

  it.each<[string, JsonObject]>([
    ["no ID", {}],
    ["deleted IDs", { installationId: { __op: "Delete" }, deviceToken: { __op: "Delete" } }],
    ["a null ID", { installationId: null }],
  ])("is rejected with 135 with %s", async (_what, fields) => {
    const { status, body } = await post(fields);
    expect([status, body.code]).toEqual([400, 135]);
  });
});

describe.each(DATABASES)("roles in production on %s", (database) => {
  let purse: Purse;
  let open: Purse;
  beforeAll(async () => {
    const env = { PURSE_ENV: "production" };
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), ...env } });
    open = await hostPurse({
      env: { ...(await databaseEnv(database)), ...env, PURSE_ALLOW_ANONYMOUS_ROLES: "1" },
    });
  });
  afterAll(() => Promise.all([purse.remove(), open.remove()]));

  const role = (name: string): JsonObject => ({ name, ACL: { "*": { read: true } } });

  it.each(["/roles", "/classes/_Role"])("are not created by POST %s for anonymous clients", async (path) => {
    const { status, body } = await rest(purse, "POST", path, role("admins"));
    expect([status, body.code]).toEqual([400, 119]);
    const batch = { requests: [{ method: "POST", path: `/server${path}`, body: role("admins") }] };
    expect((await rest(purse, "POST", "/batch", batch)).body).toMatchObject([{ error: { code: 119 } }]);
    const named = await rest(purse, "GET", "/roles", undefined, MASTER);
    expect(named.body.results).toEqual([]);
  });

  it("are created by signed-in users and with the master key", async () => {
    const { sessionToken } = await signUp(purse);
    expect((await rest(purse, "POST", "/roles", role("members"), { sessionToken })).status).toBe(201);
    expect((await rest(purse, "POST", "/roles", role("owners"), MASTER)).status).toBe(201);
  });

  it("are created by all clients with PURSE_ALLOW_ANONYMOUS_ROLES", async () => {
    expect((await rest(open, "POST", "/roles", role("anyone"))).status).toBe(201);
  });
});
