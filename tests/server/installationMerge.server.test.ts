import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("the installations of one device on %s", (database) => {
  let purse: Purse;
  let count = 0;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse.remove());

  const unique = (kind: string): string => `${kind}-${++count}`;
  const newToken = (): string => (++count).toString(16).padStart(64, "0");
  const post = (fields: JsonObject, credentials = {}): Promise<Answer> =>
    rest(purse, "POST", "/installations", { deviceType: "ios", ...fields }, credentials);
  const put = (id: unknown, fields: JsonObject, credentials = {}): Promise<Answer> =>
    rest(purse, "PUT", `/installations/${id}`, fields, credentials);
  const get = (id: unknown): Promise<Answer> => rest(purse, "GET", `/installations/${id}`, undefined, MASTER);
  async function having(where: JsonObject): Promise<JsonObject[]> {
    const query = encodeURIComponent(JSON.stringify(where));
    const { body } = await rest(purse, "GET", `/installations?where=${query}`, undefined, MASTER);
    if (!Array.isArray(body.results)) throw new Error(JSON.stringify(body));
    return body.results.map(Object);
  }
  /** Creates two installations of one device: one with its ID, the other with its token. */
  async function halves() {
    const installationId = unique("device");
    const deviceToken = newToken();
    const byId = await post({ installationId });
    const byToken = await post({ deviceToken });
    expect([byId.status, byToken.status]).toEqual([201, 201]);
    return { installationId, deviceToken, byId: byId.body.objectId, byToken: byToken.body.objectId };
  }

  it("are merged into the one with the token when POST contains both IDs", async () => {
    const { installationId, deviceToken, byId, byToken } = await halves();
    const { status, body } = await post({ installationId, deviceToken });
    expect([status, body.objectId]).toEqual([200, byToken]);
    expect(await having({ deviceToken })).toMatchObject([{ objectId: byToken, installationId }]);
    expect((await get(byId)).status).toBe(404);
  });

  it.each(["byId", "byToken"] as const)(
    "are merged when PUT of the one found %s contains both IDs, and the response names the remaining one",
    async (which) => {
      const found = await halves();
      const { installationId, deviceToken, byToken } = found;
      const score = { __op: "Increment", amount: 1 };
      const { status, body } = await put(found[which], {
        installationId,
        deviceToken,
        deviceType: "ios",
        score,
      });
      expect([status, body.score]).toEqual([200, 1]);
      expect(body.objectId).toBe(which === "byId" ? byToken : undefined);
      expect(await having({ $or: [{ installationId }, { deviceToken }] })).toMatchObject([
        { objectId: byToken, installationId, deviceToken, score: 1 },
      ]);
    },
  );

  it("remain one when an installation with only a token gets its ID", async () => {
    const deviceToken = newToken();
    const installationId = unique("device");
    const first = await post({ deviceToken });
    const second = await post({ deviceToken: deviceToken.toUpperCase(), installationId });
    expect([second.status, second.body.objectId]).toEqual([200, first.body.objectId]);
    expect(await having({ deviceToken })).toMatchObject([{ installationId }]);
  });

  it("remain one when an installation is saved with only its token", async () => {
    const deviceToken = newToken();
    const first = await post({ deviceToken, installationId: unique("device") });
    const again = await post({ deviceToken, badge: 2 });
    expect([again.status, again.body.objectId]).toEqual([200, first.body.objectId]);
  });

  it("are replaced by a new one with the same token and another ID", async () => {
    const deviceToken = newToken();
    const first = await post({ deviceToken, installationId: unique("device") });
    const second = await post({ deviceToken, installationId: unique("device") });
    expect(second.status).toBe(201);
    expect((await having({ deviceToken })).map(({ objectId }) => objectId)).toEqual([second.body.objectId]);
    expect((await get(first.body.objectId)).status).toBe(404);
  });

  it.each([
    ["POST that names its id", (installationId: string) => ({ installationId }), true],
    ["PUT that names its id", (installationId: string) => ({ installationId }), false],
    ["PUT of its object", () => ({}), false],
  ] as const)("lose their token to the one that gets it by %s", async (_how, fieldsOf, isPost) => {
    const deviceToken = newToken();
    const installationId = unique("device");
    const old = await post({ deviceToken, installationId: unique("device") });
    const { body } = await post({ installationId });
    const fields = { ...fieldsOf(installationId), deviceToken };
    const { status } = isPost ? await post(fields) : await put(body.objectId, fields);
    expect(status).toBe(200);
    expect((await having({ deviceToken })).map(({ objectId }) => objectId)).toEqual([body.objectId]);
    expect((await get(old.body.objectId)).status).toBe(404);
  });

  it("remain separate for different apps", async () => {
    const deviceToken = newToken();
    const old = await post({ deviceToken, installationId: unique("device"), appIdentifier: "one" });
    await post({ deviceToken, installationId: unique("device"), appIdentifier: "two" });
    expect((await get(old.body.objectId)).status).toBe(200);
  });

  it("are rejected with 132 if several have the token and the ID is missing", async () => {
    const deviceToken = newToken();
    for (const appIdentifier of ["one", "two"])
      await post({ deviceToken, installationId: unique("device"), appIdentifier });
    const { status, body } = await post({ deviceToken });
    expect([status, body]).toEqual([
      400,
      {
        code: 132,
        error: "Must specify installationId when deviceToken matches multiple Installation objects",
      },
    ]);
  });

  it.each(["installationId", "deviceToken", "deviceType"])(
    "have a fixed %s: a change is rejected with 136",
    async (field) => {
      const deviceToken = newToken();
      const ids: JsonObject =
        field === "installationId" ? { installationId: unique("device") } : { deviceToken };
      const { body } = await post(ids);
      const { status, body: refused } = await put(body.objectId, { [field]: newToken() });
      expect([status, refused]).toEqual([
        400,
        { code: 136, error: `${field} may not be changed in this operation` },
      ]);
      expect((await get(body.objectId)).body).toMatchObject(ids);
    },
  );

  it("accept a new token if they have an ID, on any spelling of their class path", async () => {
    const installationId = unique("device");
    const { body } = await post({ installationId, deviceToken: newToken() });
    const deviceToken = newToken();
    expect((await put(body.objectId, { deviceToken, channels: [] })).status).toBe(200);
    for (const path of ["/classes/_Installation", "/classes/%5FInstallation"]) {
      const again = await rest(purse, "POST", path, { deviceType: "ios", installationId });
      expect([again.status, again.body.objectId]).toEqual([200, body.objectId]);
    }
    expect((await get(body.objectId)).body).toMatchObject({ installationId, deviceToken, channels: [] });
  });

  it("are merged in a batch too", async () => {
    const { installationId, deviceToken, byToken } = await halves();
    const requests = [
      {
        method: "POST",
        path: "/server/installations",
        body: { installationId, deviceToken, deviceType: "ios" },
      },
    ];
    for (const transaction of [false, true]) await rest(purse, "POST", "/batch", { requests, transaction });
    expect(await having({ $or: [{ installationId }, { deviceToken }] })).toMatchObject([
      { objectId: byToken },
    ]);
  });

  it("are found by the ID in the header, except with the master key", async () => {
    const installationId = unique("device");
    const send = async (fields: JsonObject, headers = {}): Promise<Answer> => {
      const response = await fetch(`${purse.serverUrl}/installations`, {
        method: "POST",
        headers: {
          "X-Parse-Application-Id": purse.appId,
          "X-Parse-Installation-Id": installationId,
          ...headers,
        },
        body: JSON.stringify(fields),
      });
      return { status: response.status, body: await response.json(), headers: response.headers };
    };
    const created = await send({ deviceType: "ios" });
    expect(created.status).toBe(201);
    expect((await get(created.body.objectId)).body).toMatchObject({ installationId });
    const refused = await send({ deviceType: "ios" }, { "X-Parse-Master-Key": purse.masterKey });
    expect([refused.status, refused.body.code]).toEqual([400, 135]);
  });

  it("are neither merged nor deleted by clients without write permission", async () => {
    const owner = await signUp(purse);
    const ACL = { [owner.id]: { read: true, write: true } };
    const installationId = unique("device");
    const deviceToken = newToken();
    const mine = await post({ installationId, deviceToken, ACL }, { sessionToken: owner.sessionToken });
    const stranger = await post({ installationId: unique("device"), deviceToken });
    expect(stranger.status).toBe(201);
    expect((await post({ deviceToken: newToken(), installationId })).status).toBe(404);
    const other = await post({ deviceToken: newToken() });
    const moved = await put(other.body.objectId, { installationId });
    expect([moved.status, moved.body.code]).toEqual([404, 101]);
    expect((await get(mine.body.objectId)).body).toMatchObject({ installationId, deviceToken, ACL });
  });

  it("are unchanged if the save fails", async () => {
    const { installationId, deviceToken, byId, byToken } = await halves();
    const { body } = await post({ installationId, deviceToken, channels: [1] });
    expect(body.code).toBe(112);
    expect([(await get(byId)).status, (await get(byToken)).status]).toEqual([200, 200]);
  });
});
